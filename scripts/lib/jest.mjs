// @ts-check
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "./run.mjs";

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * Runs one of the Jest projects of package.json. Jest writes to the terminal; the counts come from its report.
 *
 * @param {string} project
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string[]} [more] Options of Jest.
 * @returns {Promise<{ code: number | undefined, output: string, counts: Counts }>}
 */
export async function runJest(project, env, more = []) {
  const folder = mkdtempSync(join(tmpdir(), "gpucluster-jest-"));
  const report = join(folder, "report.json");
  try {
    // --ci: a missing snapshot fails instead of being written.
    const args = ["--selectProjects", project, "--ci", "--json", `--outputFile=${report}`, ...more];
    const result = await runTool("jest", "jest", args, { env, show: true });
    return { ...result, counts: readCounts(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} report
 * @returns {Counts}
 */
function readCounts(report) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, "utf8"));
    // A test file that cannot be loaded has no tests to count, but is a failure.
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    // Jest ended before it wrote a report; its exit code shows the failure.
    return { passed: 0, failed: 0 };
  }
}
