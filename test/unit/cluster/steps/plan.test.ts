import type { ClusterRecord } from "../../../../provider/api/decode/records";
import { diffCluster, effectsOf } from "../../../../provider/cluster/diff/diff";
import type { CheckedInputs, ClusterState } from "../../../../provider/cluster/schema/stateFields";
import { planOf, requestedInputs, type Step } from "../../../../provider/cluster/steps/plan";
import { completed } from "../inputs";

const before = { ...completed, settled: true, status: "running" } as unknown as ClusterState;
const shown: ClusterRecord = { id: "cl_1", status: "running", replicas: 2 };
const stopped = { record: { ...shown, status: "stopped" }, state: { ...before, desiredStatus: "stopped" as const } };
const env = { MODEL: "another" };

interface Case {
  readonly inputs?: Partial<CheckedInputs>;
  readonly state?: Partial<ClusterState>;
  readonly record?: Partial<ClusterRecord>;
}

function updateOf({ inputs, state, record }: Case) {
  const [own, old] = [{ ...completed, ...inputs } as CheckedInputs, { ...before, ...state }];
  const effects = effectsOf(diffCluster({ ...old }, { ...own }));
  return { inputs: own, state: old, record: { ...shown, ...record }, effects };
}

const rows: [string, Case, Step[]][] = [
  ["replicas", { inputs: { replicas: 4 } }, ["scale", "waitUntilReady"]],
  ["env", { inputs: { env } }, ["configure", "rollOut", "waitUntilReady"]],
  [
    "env and more replicas",
    { inputs: { env, replicas: 4 } },
    ["configure", "rollOut", "waitUntilReady", "scale", "waitUntilReady"],
  ],
  ["env and fewer replicas", { inputs: { env, replicas: 1 } }, ["configure", "rollOut", "scale", "waitUntilReady"]],
  ["extra fields", { inputs: { extraFields: { tier: "x" } } }, ["configure", "waitUntilReady"]],
  ["a restart", { inputs: { restartTriggers: ["b"] } }, ["restart", "waitUntilReady"]],
  ["a restart with an env", { inputs: { restartTriggers: ["b"], env } }, ["configure", "rollOut", "waitUntilReady"]],
  ["both triggers", { inputs: { restartTriggers: ["b"], redeployTriggers: ["b"] } }, ["redeploy", "waitUntilReady"]],
  ["a stop", { inputs: { desiredStatus: "stopped" } }, ["stop"]],
  ["a stop with an env", { inputs: { desiredStatus: "stopped", env } }, ["configure", "stop"]],
  ["a start", stopped, ["start", "scale", "waitUntilReady"]],
  [
    "a start with an env",
    { ...stopped, inputs: { env } },
    ["configureStopped", "start", "configure", "rollOut", "scale", "waitUntilReady"],
  ],
  ["an env at rest", { ...stopped, inputs: { env, desiredStatus: "stopped" } }, ["configureStopped", "stop"]],
  ["a probe", { inputs: { readinessProbe: { path: "/" } }, record: { status: "stopped" } }, ["waitUntilReady"]],
  ["nothing, after a failure", { state: { settled: false } }, ["waitUntilReady"]],
  [
    "nothing, of a failed cluster",
    { state: { settled: false }, record: { status: "failed" } },
    ["redeploy", "waitUntilReady"],
  ],
  [
    "nothing, after an update that was only stored",
    { state: { settled: false, __unfinished: "rollout" } },
    ["configure", "rollOut", "waitUntilReady"],
  ],
];

it.each(rows)("the plan of %s", (_title, given, steps) => {
  expect(planOf(updateOf(given))).toEqual(steps);
});

it("a request has the changes of the program, and what others have set for everything else", () => {
  const state = { container: "a/b:1", env: { MODEL: "one", MODE: "fast" } };
  const record = { container: "a/b:1", replicas: 6, env: { MODEL: "one", MODE: "slow", OWN: "1" } };
  const { replicas, env: merged } = requestedInputs(
    updateOf({ state, record, inputs: { ...state, env: { MODEL: "two", MODE: "fast" } } }),
  );
  expect({ replicas, env: merged }).toEqual({ replicas: 6, env: { MODEL: "two", MODE: "slow", OWN: "1" } });
});
