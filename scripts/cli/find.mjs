// @ts-check
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve, sep } from "node:path";
import { readManifest } from "../lib/root.mjs";
import { run } from "../lib/run.mjs";

/** The version of the Pulumi CLI for this repository: that of the devDependency `pulumi`, its official downloader. */
export const VERSION = /** @type {string} */ (readManifest().devDependencies.pulumi);

/** Without the language host, the CLI runs no Node program. */
const LANGUAGE_HOST = "pulumi-language-nodejs";

/** @param {string} name */
export function executable(name) {
  return process.platform === "win32" ? `${name}.exe` : name;
}

/** The CLI's cache folder, shared with the official downloader and with Pulumi's Automation API. */
export function cachedRoot() {
  return join(resolve(process.env.PULUMI_HOME || join(homedir(), ".pulumi")), "versions", VERSION);
}

/** The cache folder, or another folder, if the CLI of this version is in it. */
export async function findCached(root = cachedRoot()) {
  return hasProgram(root, LANGUAGE_HOST) && (await versionIn(root)) === VERSION ? root : undefined;
}

/** The folder of a CLI on PATH of this minor version or a newer one. */
export async function findOnPath() {
  for (const folder of pathFolders().filter(isCandidate)) {
    const root = dirname(folder);
    if (hasProgram(root, LANGUAGE_HOST) && fits((await versionIn(root)) ?? "")) return root;
  }
  return undefined;
}

/** @param {string} folder */
function isCandidate(folder) {
  const path = join(folder, executable("pulumi"));
  // The Automation API takes a root and looks for bin/pulumi in it. npm puts its downloader on PATH under the same name.
  return basename(folder) === "bin" && existsSync(path) && !realpathSync(path).split(sep).includes("node_modules");
}

/** @param {string} found */
function fits(found) {
  const [major, minor] = found.split(".").map(Number);
  const [wantedMajor, wantedMinor] = VERSION.split(".").map(Number);
  return major === wantedMajor && Number(minor) >= Number(wantedMinor);
}

/**
 * Whether a program is beside the CLI, or on PATH, where the CLI looks next.
 *
 * @param {string} root
 * @param {string} name
 */
export function hasProgram(root, name) {
  return [join(root, "bin"), ...pathFolders()].some((folder) => existsSync(join(folder, executable(name))));
}

function pathFolders() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => resolve(folder));
}

/**
 * The CLI's version, without the "v"; `undefined` if there is none that answers.
 *
 * @param {string} root
 */
async function versionIn(root) {
  const env = { PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { code, output } = await run(join(root, "bin", executable("pulumi")), ["version"], { env, timeout: 30_000 });
  return code === 0 ? /^v?(\d+\.\d+\.\d+\S*)$/m.exec(output)?.[1] : undefined;
}
