// @ts-check
// Runs every check of this repository, stage by stage, until one fails. `npm test -- --only unit` runs one step only.
// `--all`, for CI, runs all dialects, kills, engine tests, installations and fleets; ten minutes are enough for a share.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import jestConfig from "../jest.config.cjs";
import { runAttw } from "./lib/attw.mjs";
import { runJest } from "./lib/jest.mjs";
import { isMain, ROOT, runMain, since } from "./lib/root.mjs";
import { runTool } from "./lib/run.mjs";
import { checkWorkflows } from "./lib/workflows.mjs";
import { ensureCliFor } from "./pulumi-cli.mjs";
import { setup } from "./setup.mjs";

/** @typedef {import("./lib/jest.mjs").Counts} Counts */
/** @typedef {{ code: number | undefined, output: string, counts?: Counts }} StepResult */
/** @typedef {{ name: string, isForCi?: boolean, run: () => Promise<StepResult> }} Step */

/** The Jest projects that need the real Pulumi CLI; they take longest, so they come last. */
const WITH_CLI = ["install", "release", "scale", "engine"];
/** The steps that run or read the built package. */
const WITH_BUILD = ["package", "publint", "attw", ...WITH_CLI];
/** Package managers, releases, many stacks: an ordinary change does not break them, and they do not fit into ten minutes. */
const FOR_CI = ["install", "release", "scale"];
/** The engine tests of each change: each main way through both adapters, once. CI runs the others too. */
const ENGINE_FILES = [
  "automation",
  "autonaming",
  "drift",
  "failures",
  "features",
  "fleet",
  "gettingStarted",
  "ignoreChanges",
  "inputs",
  "kills1",
  "kills2",
  "lifecycle",
  "nativeFailures",
  "nativeLifeYaml",
  "nativeYaml",
  "preview",
  "quickstart",
  "resume1",
  "resume2",
  "schema",
  "secrets",
];

/**
 * The steps of one stage run in parallel, because most of them use at most one core.
 *
 * @returns {Step[][]}
 */
function allStages() {
  const quick = jestConfig.projects
    .map(({ displayName }) => displayName)
    .filter((project) => !WITH_CLI.includes(project));
  return [
    [{ name: "setup", run: () => setup().then(() => ({ code: 0, output: "" })) }],
    [
      { name: "biome", run: () => runTool("@biomejs/biome", "biome", ["check", "."]) },
      { name: "types", run: () => runTool("typescript", "tsc", ["-p", "test"]) },
      { name: "script-types", run: () => runTool("typescript", "tsc", ["-p", "scripts"]) },
    ],
    [
      ...quick.map((project) => ({ name: project, run: () => runJest(project, shares()) })),
      { name: "publint", run: () => runTool("publint", "publint", []) },
      { name: "attw", isForCi: true, run: runAttw },
      { name: "workflows", isForCi: true, run: checkWorkflows },
    ],
    ...WITH_CLI.map((project) => [
      { name: project, isForCi: FOR_CI.includes(project), run: () => runJestWithCli(project) },
    ]),
  ];
}

/** @param {string} project */
async function runJestWithCli(project) {
  // Only tests for CI have programs in Python and Go.
  const isForCi = chosen().all || FOR_CI.includes(project);
  const { root } = await (isForCi ? ensureCliFor("yaml", "python", "go") : ensureCliFor("yaml"));
  const env = { PULUMI_CLI_ROOT: root, PULUMI_SKIP_UPDATE_CHECK: "true", ...shares() };
  const files = project === "engine" && !chosen().all ? ["--runTestsByPath", ...engineFiles()] : [];
  // These tests wait for much of their time: for other processes, for the service, for the end of a time limit.
  const workers = Math.ceil(1.5 * availableParallelism());
  return runJest(project, env, [`--maxWorkers=${workers}`, ...files]);
}

function engineFiles() {
  const files = ENGINE_FILES.map((name) => join(ROOT, "test/engine", `${name}.test.ts`));
  const lost = files.find((file) => !existsSync(file));
  // Jest would leave it out in silence.
  if (lost) throw new Error(`There is no test file ${lost}.`);
  return files;
}

/** The share of the rows that table tests run. */
function shares() {
  const all = String(chosen().all);
  return { EVERY_DIALECT: all, EVERY_KILL: all };
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

/** @param {Step[][]} stages */
async function runStages(stages) {
  const total = { passed: 0, failed: 0 };
  for (const stage of stages) {
    const results = await Promise.all(stage.map(runStep));
    for (const { counts } of results) {
      total.passed += counts?.passed ?? 0;
      total.failed += counts?.failed ?? 0;
    }
    if (results.some(({ code }) => code !== 0)) return { ...total, ok: false };
  }
  return { ...total, ok: true };
}

/** The options of the command line. */
function chosen() {
  return parseArgs({ options: { only: { type: "string" }, all: { type: "boolean", default: false } } }).values;
}

/** @returns {Step[][]} */
function chosenStages() {
  const { only, all } = chosen();
  const stages = allStages();
  if (only === undefined) return stages.map((stage) => stage.filter(({ isForCi = false }) => all || !isForCi));
  const steps = stages.flat();
  const named = steps.filter((step) => step.name === only);
  // On a fresh clone, it has to be built first.
  const before = WITH_BUILD.includes(only) ? stages.slice(0, 1) : [];
  if (named.length > 0) return [...before, named];
  throw new Error(`There is no step "${only}". Steps: ${steps.map((step) => step.name).join(", ")}.`);
}

async function main() {
  const { passed, failed, ok } = await runStages(chosenStages());
  // A run without any test must not look like a success. A single step may have none.
  const isEmpty = chosen().only === undefined && passed + failed === 0;
  if (ok && isEmpty) console.error("No test was run.");
  if (!ok || failed > 0 || isEmpty) process.exitCode = 1;
  console.log(`${passed} passed, ${failed} failed`);
}

if (isMain(import.meta.url)) await runMain(main);
