// @ts-check
// Runs every check of this repository, stage by stage, until one fails. `npm test -- --only unit` runs one step only.
// `--all`, for CI, runs all dialects, crashes, engine tests, installations and fleets; otherwise a share, in about four minutes.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMain, runMain, since } from "./lib/root.mjs";
import { run, runTool } from "./lib/run.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { ensurePulumiCli } from "./pulumi-cli.mjs";
import { setup } from "./setup.mjs";

/** @typedef {{ passed: number, failed: number }} Counts */
/** @typedef {{ code: number | undefined, output: string, counts?: Counts }} StepResult */
/** @typedef {{ name: string, isForAll?: boolean, run: () => Promise<StepResult> }} Step */

const { only, all } = parseArgs({
  options: { only: { type: "string" }, all: { type: "boolean", default: false } },
}).values;

/** The Jest projects without the CLI. */
const QUICK = ["unit", "contract", "laws", "package"];

/**
 * Those with the CLI, and the languages of their programs besides that of Node.
 *
 * @satisfies {Record<string, Parameters<typeof ensurePulumiCli>[0]>}
 */
const WITH_CLI = /** @type {const} */ ({
  install: [],
  release: ["yaml"],
  scale: [],
  engine: all ? ["yaml", "python", "go"] : ["yaml"],
});

/** The share of the rows that table tests run. */
const shares = { ALL_TESTS: String(all) };

/**
 * The steps of one stage run in parallel, because most of them use at most one core.
 *
 * @type {Step[][]}
 */
const stages = [
  [{ name: "setup", run: () => setup().then(() => ({ code: 0, output: "" })) }],
  [
    { name: "biome", run: () => runTool("@biomejs/biome/bin/biome", ["check", "."]) },
    { name: "layers", run: () => run("npm", ["run", "-s", "layers"]) },
    { name: "types", run: () => runTool("typescript/bin/tsc", ["-p", "test"]) },
    { name: "script-types", run: () => runTool("typescript/bin/tsc", ["-p", "scripts"]) },
  ],
  [
    // One Jest for all of them, so that its workers are never more than the cores.
    { name: "quick", run: () => runJest(QUICK, shares) },
    { name: "publint", run: () => runTool("publint/src/cli.js", []) },
    { name: "attw", isForAll: true, run: runAttw },
  ],
  // Alone: a compiler uses every core, and the steps below would build the same.
  [{ name: "cli", run: () => ensurePulumiCli(WITH_CLI.engine).then(() => ({ code: 0, output: "" })) }],
  // An ordinary change does not break package managers, releases and many stacks. The last one measures times.
  [
    { name: "install", isForAll: true, run: () => runWithCli("install") },
    { name: "release", isForAll: true, run: () => runWithCli("release") },
  ],
  [{ name: "scale", isForAll: true, run: () => runWithCli("scale") }],
  [{ name: "engine", run: () => runWithCli("engine") }],
];

/** Whether the types of the packed package resolve from CommonJS, ESM, a bundler and old settings ("are the types wrong"). */
function runAttw() {
  // Without `prepack`, because setup has built, and other steps read the build.
  return runTool("@arethetypeswrong/cli/dist/index.js", ["--pack", "."], {
    env: { npm_config_ignore_scripts: "true" },
  });
}

/** @param {keyof typeof WITH_CLI} project */
async function runWithCli(project) {
  const root = await ensurePulumiCli(WITH_CLI[project]);
  const env = { PULUMI_CLI_ROOT: root, PULUMI_SKIP_UPDATE_CHECK: "true", ...shares };
  // The main ways through both adapters, and crashes; `--all` runs the others too.
  const files = project === "engine" && !all ? ["--testPathPatterns", "\\.main\\."] : [];
  // These tests wait for some of their time: for the service, for the end of a time limit. With 1.5 a core, 13 % of the cores
  // was idle (measured); with 2.5 nothing was gained.
  const workers = 2 * availableParallelism();
  return runJest([project], env, [`--maxWorkers=${workers}`, ...files]);
}

/**
 * Runs some of the Jest projects of jest.config.cjs. Jest writes to the terminal; the counts come from its report.
 *
 * @param {string[]} projects
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string[]} [more] Options of Jest.
 * @returns {Promise<{ code: number | undefined, output: string, counts: Counts }>}
 */
function runJest(projects, env, more = []) {
  return inTemporaryFolder(async (folder) => {
    const report = join(folder, "report.json");
    // --ci: a missing snapshot fails instead of being written.
    const args = ["--selectProjects", ...projects, "--ci", "--json", `--outputFile=${report}`, ...more];
    const result = await runTool("jest/bin/jest.js", args, { env, show: true });
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

/**
 * Prints the step's line, and its output if it failed.
 *
 * @param {Step} step
 */
async function runStep({ name, run }) {
  const startedAt = performance.now();
  /** @type {StepResult} */
  const result = await run().catch((error) => ({ code: undefined, output: String(error?.message ?? error) }));
  if (result.code !== 0 && result.output !== "") console.error(result.output);
  const exit = result.code ? `, exit code ${result.code}` : "";
  console.log(`${result.code === 0 ? "ok  " : "FAIL"} ${name} (${since(startedAt)}${exit})`);
  return result;
}

/** @returns {Step[][]} */
function chosenStages() {
  if (only === undefined) return stages.map((stage) => stage.filter(({ isForAll = false }) => all || !isForAll));
  const steps = [...stages.flat(), ...QUICK.map((name) => ({ name, run: () => runJest([name], shares) }))];
  const step = steps.find(({ name }) => name === only);
  if (!step) throw new Error(`There is no step "${only}". Steps: ${steps.map(({ name }) => name).join(", ")}.`);
  // On a fresh clone, everything has to be installed and built first.
  return step.name === "setup" ? [[step]] : [...stages.slice(0, 1), [step]];
}

async function main() {
  const total = { passed: 0, failed: 0 };
  let ok = true;
  for (const stage of chosenStages()) {
    const results = await Promise.all(stage.map(runStep));
    for (const { counts } of results) {
      total.passed += counts?.passed ?? 0;
      total.failed += counts?.failed ?? 0;
    }
    ok = results.every(({ code }) => code === 0);
    if (!ok) break;
  }
  // A run without any test must not look like a success. A single step may have none.
  const isEmpty = only === undefined && total.passed + total.failed === 0;
  if (ok && isEmpty) console.error("No test was run.");
  if (!ok || total.failed > 0 || isEmpty) process.exitCode = 1;
  console.log(`${total.passed} passed, ${total.failed} failed`);
}

if (isMain(import.meta.url)) await runMain(main);
