// @ts-check
// Prepares a fresh clone: installs the dependencies, then builds. Does nothing if both are up to date.
import { isBuilt, isInstalled } from "./lib/freshness.mjs";
import { isMain, readManifest, runMain, since } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";

/** Installs and builds if the result is missing or out of date. Prints a line for each step that runs. */
export async function setup() {
  const minimum = readManifest().engines.node.replace(/^\D+/, "");
  const isOlder = process.versions.node.localeCompare(minimum, "en", { numeric: true }) < 0;
  if (isOlder) throw new Error(`Node ${minimum} or newer is needed; this is Node ${process.versions.node}.`);
  // The build and the tests need their tools even if NODE_ENV is "production".
  if (!isInstalled()) await npm("Installing dependencies", ["ci", "--include=dev", "--no-audit", "--no-fund"]);
  if (!isBuilt()) await npm("Building", ["run", "--silent", "build"]);
}

/**
 * @param {string} title
 * @param {string[]} args
 */
async function npm(title, args) {
  const startedAt = performance.now();
  process.stdout.write(`${title} (npm ${args[0]}) … `);
  const { code, output } = await run("npm", args);
  process.stdout.write(`${code === 0 ? "done in" : "failed after"} ${since(startedAt)}\n`);
  if (code !== 0) throw new Error(`${output}\n${title} failed.`);
}

if (isMain(import.meta.url)) await runMain(setup);
