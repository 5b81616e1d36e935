// @ts-check
// The packages of a release: our own for npm, and one for each language that has an SDK of its own.
import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../cli/find.mjs";
import { FILE_TIME, packFolder } from "../lib/archive.mjs";
import { runInModule } from "../lib/go.mjs";
import { ROOT, readManifest } from "../lib/root.mjs";
import { run, runTool, succeed } from "../lib/run.mjs";
import { goImport } from "./facts.mjs";

const { version } = readManifest();

/**
 * @param {string} folder
 * @param {string} out
 */
export async function packForNpm(folder, out) {
  // The build is there already.
  const args = ["pack", "--ignore-scripts", "--pack-destination", out];
  await succeed(`npm pack in ${folder}`, run("npm", args, { cwd: folder, shell: process.platform === "win32" }));
}

/**
 * How the generated SDK of a language becomes a file that its users install.
 *
 * @type {Record<string, (sdk: string, out: string) => Promise<void>>}
 */
const packers = {
  nodejs: async (sdk, out) => {
    symlinkSync(join(ROOT, "node_modules"), join(sdk, "node_modules"), "junction");
    await succeed("The compiler of the SDK for TypeScript", runTool("typescript", "tsc", [], { cwd: sdk }));
    for (const file of ["package.json", "README.md", "LICENSE"]) copyFileSync(join(sdk, file), join(sdk, "bin", file));
    await packForNpm(join(sdk, "bin"), out);
  },
  python: async (sdk, out) => {
    // The description on the page of the package, which the project names in this folder.
    copyFileSync(join(sdk, "pulumi_gpucluster/README.md"), join(sdk, "README.md"));
    const args = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, "."];
    const env = { SOURCE_DATE_EPOCH: String(FILE_TIME) };
    await succeed("The wheel of the SDK for Python", run("python3", args, { cwd: sdk, env }));
  },
  go: async (sdk, out) => {
    const folder = join(sdk, "gpucluster");
    copyFileSync(join(sdk, "LICENSE"), join(folder, "LICENSE"));
    const commands = [
      ["get", `github.com/pulumi/pulumi/sdk/v3@v${VERSION}`],
      ["mod", "tidy"],
      ["vet", "./..."],
    ];
    const reason = await runInModule(folder, commands, goImport);
    if (reason !== undefined) throw new Error(`The SDK for Go is no module: ${reason}`);
    await packFolder(join(out, `sdk-go-v${version}.tar.gz`), folder);
  },
  csharp: (sdk, out) => packFolder(join(out, `sdk-csharp-v${version}.tar.gz`), sdk),
};

/**
 * @param {string} sdks The folder of the generated SDKs.
 * @param {string} out
 */
export async function packSdks(sdks, out) {
  for (const [language, pack] of Object.entries(packers)) {
    copyFileSync(join(ROOT, "LICENSE"), join(sdks, language, "LICENSE"));
    await pack(join(sdks, language), out);
  }
}
