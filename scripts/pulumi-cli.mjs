// @ts-check
// Finds or installs the real Pulumi CLI for the engine tests and the demo. Run as a program, it prints the CLI's path.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildInto } from "./cli/builds.mjs";
import { cachedRoot, executable, findCached, findOnPath, hasProgram, VERSION } from "./cli/find.mjs";
import { isMain, runMain } from "./lib/root.mjs";
import { runTool } from "./lib/run.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";

/** Enough for its 120 MB at 2 Mbit/s. Where its host does not answer, the downloader itself may wait for ever. */
const DOWNLOAD_TIMEOUT_MS = 8 * 60_000;

const NO_CLI = `There is no Pulumi CLI ${VERSION}, and none could be installed. Install it (https://www.pulumi.com/docs/install), or Go.`;

/**
 * The folder of the Pulumi CLI with its Node language host, and with those of further languages. It contains `bin/pulumi`, and
 * fits the Automation API (`PulumiCommand.get({ root })`). The first call on a computer may take minutes; it reports its
 * progress on stderr. The cheapest way first; the last one needs only Go and its module proxy.
 *
 * @param {("yaml" | "python" | "go")[]} languages
 */
export async function ensurePulumiCli(...languages) {
  const root = (await findCached()) ?? (await findOnPath()) ?? (await install(download)) ?? (await install(build));
  if (root === undefined) throw new Error(NO_CLI);
  for (const language of languages) {
    const host = /** @type {const} */ (`pulumi-language-${language}`);
    if (!hasProgram(root, host)) await buildInto(host, join(root, "bin"));
  }
  return root;
}

/**
 * Installs the CLI with Pulumi's own downloader, the npm package `pulumi`.
 *
 * @param {string} folder
 */
async function download(folder) {
  console.error(`Downloading the Pulumi CLI ${VERSION} …`);
  // The downloader takes its target from the home folder only, and downloads to the temporary folder.
  const env = {
    PULUMI_HOME: folder,
    PULUMI_VERSION: VERSION,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    TMPDIR: folder,
    TEMP: folder,
  };
  await runTool("pulumi", "pulumi", ["version"], { env, timeout: DOWNLOAD_TIMEOUT_MS, show: true });
  return join(folder, "versions", VERSION);
}

/**
 * Builds the CLI from its sources, which come from the Go module proxy, for networks that cannot reach Pulumi's downloads. One
 * program after the other: the compiler uses every core, and two compilers at once run out of memory.
 *
 * @param {string} folder
 */
async function build(folder) {
  const bin = join(folder, "root", "bin");
  for (const name of /** @type {const} */ (["pulumi", "pulumi-language-nodejs"]))
    await buildInto(name, bin).catch(({ message }) => Promise.reject(new Error(`${message}\n${NO_CLI}`)));
  return dirname(bin);
}

/**
 * Fills a folder beside the CLI's folder, and moves the result into place in one step. An interrupted installation leaves
 * nothing behind; of two concurrent ones, the first to finish counts.
 *
 * @param {(folder: string) => Promise<string>} fill Resolves to the finished root, inside `folder`.
 */
async function install(fill) {
  const versions = dirname(cachedRoot());
  mkdirSync(versions, { recursive: true });
  return inTemporaryFolder(async (folder) => {
    const root = await findCached(await fill(folder));
    if (root === undefined || (await findCached())) return findCached();
    rmSync(cachedRoot(), { recursive: true, force: true });
    renameSync(root, cachedRoot());
    return cachedRoot();
  }, versions);
}

if (isMain(import.meta.url))
  await runMain(async () => console.log(join(await ensurePulumiCli("yaml", "python"), "bin", executable("pulumi"))));
