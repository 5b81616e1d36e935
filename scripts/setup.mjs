// @ts-check
// Prepares a fresh clone: installs the dependencies, then builds. Does nothing if both are up to date.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, readManifest, runMain, since } from "./lib/root.mjs";
import { run, succeed } from "./lib/run.mjs";

/** All inputs of the build. */
const SOURCES = [
  ...["provider", "sdk", "simulator", "scripts/plugin", "scripts/plugin.mjs"],
  ...["tsconfig.json", "package.json", "package-lock.json"],
];

/** A file that each of the two steps of the build writes, the plugin's as its last one. */
const RESULTS = ["dist/sdk/index.js", "plugin/package.json"];

/** Installs and builds if the result is missing or out of date. Prints a line for each step that runs. */
export async function setup() {
  const minimum = readManifest().engines.node.replace(/^\D+/, "");
  const isOlder = process.versions.node.localeCompare(minimum, "en", { numeric: true }) < 0;
  if (isOlder) throw new Error(`Node ${minimum} or newer is needed; this is Node ${process.versions.node}.`);
  // The build and the tests need their tools even if NODE_ENV is "production".
  if (!isInstalled()) await npm("ci", "--include=dev", "--no-audit", "--no-fund");
  if (!isBuilt()) await npm("run", "--silent", "build");
}

/** @param {string[]} args */
async function npm(...args) {
  const startedAt = performance.now();
  console.log(`npm ${args.join(" ")} …`);
  await succeed(`npm ${args[0]}`, run("npm", args));
  console.log(`  done in ${since(startedAt)}`);
}

/** Whether npm has installed what package-lock.json says: it writes its own record at the end of each installation. */
function isInstalled() {
  return timeOf("package-lock.json") <= timeOf("node_modules/.package-lock.json");
}

/** Whether the results are newer than their sources. A file that was removed has changed the time of its folder. */
function isBuilt() {
  const built = Math.min(...RESULTS.map(timeOf));
  return SOURCES.flatMap(withContent).every((path) => timeOf(path) <= built);
}

/** @param {string} path */
function timeOf(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * A path, and all below it if it is a folder.
 *
 * @param {string} path
 */
function withContent(path) {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" });
  return [path, ...names.map((name) => join(path, name))];
}

if (isMain(import.meta.url)) await runMain(setup);
