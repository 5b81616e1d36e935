// @ts-check
// `npm run test:newest`: all tests with the engine, with the newest Pulumi CLI that the Go module proxy serves and the newest SDK
// of npm, on a newer Node, which that SDK needs. In a clone of the last commit, so that nothing here changes. Needs Go and Python.
import { delimiter, join } from "node:path";
import { executable } from "./cli/builds.mjs";
import { runInModule } from "./lib/go.mjs";
import { isMain, ROOT, runMain, since } from "./lib/root.mjs";
import { run, succeed } from "./lib/run.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { ensurePulumiCli } from "./pulumi-cli.mjs";
import { setup } from "./setup.mjs";

/** The newest SDK needs Node 22 or later; the tests of installations use this one with it. */
const NODE = "24";

async function main() {
  const startedAt = performance.now();
  // The packages that install a CLI.
  await setup();
  const cli = await inTemporaryFolder((folder) =>
    runInModule(folder, [["list", "-m", "-f", "{{.Version}}", "github.com/pulumi/pulumi/pkg/v3@latest"]]),
  );
  const sdk = await succeed("npm view", run("npm", ["view", "@pulumi/pulumi", "version"]));
  console.log(`Pulumi CLI ${cli}, SDK ${sdk}, Node ${NODE}`);
  const root = await ensurePulumiCli(["yaml"], cli.replace(/^v/, ""));
  for (const language of /** @type {const} */ (["python", "go"]))
    await ensurePulumiCli([language], cli.replace(/^v/, "")).catch(({ message }) =>
      console.error(`No host for ${language}, so its tests are skipped: ${message}`),
    );
  await inTemporaryFolder(async (folder) => {
    await succeed("git clone", run("git", ["clone", "--quiet", ROOT, folder]));
    const npm = (/** @type {string[]} */ ...args) =>
      succeed(`npm ${args[0]}`, run("npm", [...args, "--no-audit", "--no-fund"], { cwd: folder }));
    await npm("ci", "--include=dev");
    // The package `node` brings its program with an installation script.
    await npm("install", "--no-save", "--force", `@pulumi/pulumi@${sdk}`, `node@${NODE}`);
    await npm("run", "build");
    const bin = join(folder, "node_modules/node/bin");
    const env = {
      PULUMI_CLI_ROOT: root,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ALL_TESTS: "true",
      PATH: [bin, process.env.PATH].join(delimiter),
    };
    // Every test by its name, those too that are skipped.
    const args = ["node_modules/jest/bin/jest.js", "--selectProjects", "engine", "--ci", "--verbose"];
    const { code } = await run(join(bin, executable("node")), args, { cwd: folder, env, show: true });
    console.log(`Pulumi CLI ${cli}, SDK ${sdk}, Node ${NODE}: ${code === 0 ? "ok" : "FAIL"} in ${since(startedAt)}`);
    process.exitCode = code === 0 ? 0 : 1;
  });
}

if (isMain(import.meta.url)) await runMain(main);
