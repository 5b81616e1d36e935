// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "./run.mjs";
import { inTemporaryFolder } from "./temporary.mjs";

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * Runs some of the Jest projects of jest.config.cjs. Jest writes to the terminal; the counts come from its report.
 *
 * @param {string[]} projects
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string[]} [more] Options of Jest.
 * @returns {Promise<{ code: number | undefined, output: string, counts: Counts }>}
 */
export function runJest(projects, env, more = []) {
  return inTemporaryFolder(async (folder) => {
    const report = join(folder, "report.json");
    // --ci: a missing snapshot fails instead of being written.
    const args = ["--selectProjects", ...projects, "--ci", "--json", `--outputFile=${report}`, ...more];
    const result = await runTool("jest", "jest", args, { env, show: true });
    return { ...result, counts: readCounts(report) };
  });
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
