// @ts-check
// Finds or installs the real Pulumi CLI for the engine tests and the demo. Run as a program, it prints the CLI's path.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildInto, executable, rootOf, VERSION } from "./cli/builds.mjs";
import { isMain, runMain } from "./lib/root.mjs";

/**
 * The folder of the Pulumi CLI with its Node language host, and with those of further languages. It contains `bin/pulumi`, and
 * fits the Automation API (`PulumiCommand.get({ root })`). The first call on a computer may take minutes; it reports its
 * progress on stderr.
 *
 * @param {readonly ("yaml" | "python" | "go")[]} [languages]
 * @param {string} [version]
 */
export async function ensurePulumiCli(languages = [], version = VERSION) {
  const root = rootOf(version);
  const bin = join(root, "bin");
  await ensureProgram(root, version);
  // An official CLI has all of them.
  for (const language of /** @type {const} */ (["nodejs", ...languages])) {
    const host = /** @type {const} */ (`pulumi-language-${language}`);
    if (!existsSync(join(bin, executable(host)))) await buildInto(host, bin);
  }
  return root;
}

/**
 * Installs the official CLI if there is none, as the Automation API does. For networks that cannot reach Pulumi's downloads, the
 * CLI is built from its sources, which come from the Go module proxy.
 *
 * @param {string} root
 * @param {string} version
 */
async function ensureProgram(root, version) {
  // Late, because in a fresh clone another step installs these packages first.
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  const { SemVer } = await import("semver");
  const options = { root, version: new SemVer(version) };
  if (await PulumiCommand.get(options).catch(() => undefined)) return;
  console.error(`Downloading the Pulumi CLI ${version} …`);
  await PulumiCommand.install(options).catch(async ({ message }) => {
    console.error(message);
    await buildInto("pulumi", join(root, "bin"), `v${version}`);
  });
}

if (isMain(import.meta.url))
  await runMain(async () => console.log(join(await ensurePulumiCli(["yaml", "python"]), "bin", executable("pulumi"))));
