// @ts-check
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The repository's package.json, the single source of versions.
 *
 * @typedef {{ version: string, description: string, license: string, author: string, keywords: string[], repository?: { url: string } }} Identity
 * @typedef {{ engines: { node: string }, config: { pulumi: string }, peerDependencies: { "@pulumi/pulumi": string } }} Needs
 * @returns {Identity & Needs}
 */
export function readManifest() {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
}

/**
 * Whether a module runs as a program and is not imported.
 *
 * @param {string} moduleUrl Its `import.meta.url`.
 */
export function isMain(moduleUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}

/**
 * Runs a program's main function. An error becomes one message and exit code 1, without a stack trace.
 *
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

/**
 * A duration for people.
 *
 * @param {number} startedAt From `performance.now()`.
 */
export function since(startedAt) {
  const seconds = (performance.now() - startedAt) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
