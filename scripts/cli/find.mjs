// @ts-check
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve, sep } from "node:path";
import { readManifest } from "../lib/root.mjs";
import { run } from "../lib/run.mjs";

/** The version of the Pulumi CLI for this repository: that of the devDependency `pulumi`, its official downloader. */
export const VERSION = /** @type {string} */ (readManifest().devDependencies.pulumi);

/** Without the language host, the CLI runs no Node program. */
export const LANGUAGE_HOST = "pulumi-language-nodejs";

/** Result of an attempt: the folder with `bin/pulumi` in it, or the reason why there is none. */
/** @typedef {{ root: string } | { reason: string }} Attempt */

/** @param {string} name */
export function executable(name) {
  return process.platform === "win32" ? `${name}.exe` : name;
}

/** @param {string} root */
export function cliIn(root) {
  return join(root, "bin", executable("pulumi"));
}

/** The CLI's cache folder, shared with the official downloader and with Pulumi's Automation API. */
export function cachedRoot() {
  return join(resolve(process.env.PULUMI_HOME || join(homedir(), ".pulumi")), "versions", VERSION);
}

/**
 * @param {string} [root]
 * @returns {Promise<Attempt>}
 */
export async function findCached(root = cachedRoot()) {
  if (!existsSync(cliIn(root))) return { reason: "nothing is kept there yet" };
  const found = await askVersion(cliIn(root));
  if (found !== VERSION) return { reason: found === undefined ? "it does not run" : `it is version ${found}` };
  return hasLanguageHost(root) ? { root } : { reason: `${LANGUAGE_HOST} is missing` };
}

/** @returns {Promise<Attempt>} */
export async function findOnPath() {
  const candidates = pathFolders().filter((folder) => existsSync(join(folder, executable("pulumi"))));
  const reasons = [];
  for (const folder of candidates) {
    const reason = await whyUnfit(folder);
    if (reason === undefined) return { root: dirname(folder) };
    reasons.push(reason);
  }
  return { reason: [...new Set(reasons)].join("; ") || "there is none" };
}

/** @param {string} folder */
async function whyUnfit(folder) {
  const path = join(folder, executable("pulumi"));
  // npm puts the lazy downloader on PATH; a request for its version would start the download.
  if (realpathSync(path).split(sep).includes("node_modules")) return "the npm package is only a downloader";
  // The Automation API takes a root and looks for bin/pulumi in it.
  if (basename(folder) !== "bin") return 'it is not in a folder named "bin"';
  const found = await askVersion(path);
  if (found === undefined) return "it does not run";
  if (!fits(found)) return `version ${found} does not fit`;
  return hasLanguageHost(dirname(folder)) ? undefined : `${LANGUAGE_HOST} is missing`;
}

/**
 * Whether the major version is the same, and the minor version is not older.
 *
 * @param {string} found
 */
function fits(found) {
  const [major, minor] = found.split(".").map(Number);
  const [wantedMajor, wantedMinor] = VERSION.split(".").map(Number);
  return major === wantedMajor && Number(minor) >= Number(wantedMinor);
}

/**
 * Whether the language host is beside the CLI, or on PATH, where the CLI looks next.
 *
 * @param {string} root
 */
export function hasLanguageHost(root, name = LANGUAGE_HOST) {
  return [join(root, "bin"), ...pathFolders()].some((folder) => existsSync(join(folder, executable(name))));
}

function pathFolders() {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => resolve(folder));
}

/**
 * @param {string} path
 * @returns {Promise<string | undefined>} Without the "v"; `undefined` if the CLI does not answer.
 */
async function askVersion(path) {
  const env = { PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { code, output } = await run(path, ["version"], { env, signal: AbortSignal.timeout(30_000) });
  return code === 0 ? /^v?(\d+\.\d+\.\d+\S*)$/m.exec(output)?.[1] : undefined;
}
