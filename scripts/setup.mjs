// @ts-check
// Makes a fresh clone ready to run: dependencies, then the build. Does nothing where both are up to date.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isBuilt, isInstalled, markBuilt } from "./lib/freshness.mjs";
import { isMain, ROOT, readManifest, runMain, since } from "./lib/root.mjs";
import { run, runTool } from "./lib/run.mjs";

/**
 * Installs and builds what is missing or out of date. Prints a line for each step that does something; a failed step shows
 * its output on stderr and throws an error with a one-line message.
 *
 * @param {{ quiet?: boolean }} [options] `quiet` leaves out the lines about steps, not the output of a failed one.
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
  // Tools for the build and the tests are needed even where NODE_ENV is "production".
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  return run("npm", args, { shell: process.platform === "win32" });
}

async function build() {
  // First, so that no file whose source is gone is left behind.
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  const compiled = await runTool("typescript", "tsc", []);
  if (compiled.code !== 0) return compiled;
  // A process of its own: what it needs was not installed yet when this one began.
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
