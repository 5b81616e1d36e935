// @ts-check
// Prepares a fresh clone: installs the dependencies, then builds. Does nothing if both are up to date.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isBuilt, isInstalled, markBuilt } from "./lib/freshness.mjs";
import { isMain, ROOT, readManifest, runMain, since } from "./lib/root.mjs";
import { run, runTool } from "./lib/run.mjs";

/**
 * Installs and builds if the result is missing or out of date. Prints a line for each step that runs. A failed step prints
 * its output to stderr and throws an error with a one-line message.
 *
 * @param {{ quiet?: boolean }} [options] `quiet` omits the lines about steps, not the output of a failed step.
 */
export async function setup({ quiet = false } = {}) {
  checkNode();
  if (!isInstalled()) await step("Installing dependencies (npm ci)", quiet, install);
  if (!isBuilt()) await step("Building", quiet, build);
}

function checkNode() {
  const minimum = readManifest().engines.node.replace(/^\D+/, "");
  const isOlder = process.versions.node.localeCompare(minimum, "en", { numeric: true }) < 0;
  if (isOlder) throw new Error(`Node ${minimum} or newer is needed; this is Node ${process.versions.node}.`);
}

function install() {
  // The build and the tests need their tools even if NODE_ENV is "production".
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  return run("npm", args, { shell: process.platform === "win32" });
}

async function build() {
  // First, so that no output of a removed source file stays.
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  const compiled = await runTool("typescript", "tsc", []);
  if (compiled.code !== 0) return compiled;
  // A separate process: its dependencies may not have been installed when this process started.
  const bundled = await run(process.execPath, [join(ROOT, "scripts", "plugin.mjs")]);
  if (bundled.code === 0) markBuilt();
  return bundled;
}

/**
 * @param {string} title
 * @param {boolean} quiet
 * @param {() => Promise<{ code: number | undefined, output: string }>} action
 */
async function step(title, quiet, action) {
  const startedAt = performance.now();
  if (!quiet) process.stdout.write(`${title} … `);
  const { code, output } = await action();
  if (!quiet) process.stdout.write(`${code === 0 ? "done in" : "failed after"} ${since(startedAt)}\n`);
  if (code === 0) return;
  console.error(output);
  throw new Error(`${title} failed${code === undefined ? "" : ` with exit code ${code}`}.`);
}

if (isMain(import.meta.url)) await runMain(() => setup());
