import { hiddenReasonOf, rolloutOf, type Transition } from "../../../../provider/cluster/compare/transition";
import { type Bench, openSettled } from "../harness";
import { checked } from "../inputs";

const unfinished =
  "no input changes; the update continues the last operation, because the cluster is not as requested yet";

test.each([
  ["an operation that did not finish", { settled: false }, {}, unfinished],
  [
    "new time limits",
    {},
    { __timeouts: { create: "1h" } },
    "only `customTimeouts` changes; the cluster does not change",
  ],
  ["no change", {}, {}, undefined],
  ["a change that the program shows", { settled: false }, { replicas: 9 }, undefined],
  ["a variable", {}, { env: { A: "new-canary" } }, undefined],
])("the hidden reason of an update: %s", (_what, state, news, reason) => {
  expect(hiddenReasonOf({ ...checked, ...state }, { ...checked, ...news })).toBe(reason);
});

type Inputs = Transition["inputs"];
const inputs: Inputs = {
  ...{ name: "web", gpuType: "h100", replicas: 2, container: "a/b:1", env: { A: "old-canary" } },
  desiredStatus: "running",
};
const transition = (before: Partial<Inputs>, news: Partial<Inputs>, effects: Transition["effects"]): Transition => ({
  ...{ kind: "update", before: { ...inputs, ...before }, inputs: { ...inputs, ...news }, effects },
  ...{ causes: [], oldGoesFirst: false, keeps: true },
});
const rollout = new Set(["rollout"] as const);
const env = { A: "new-canary" };

test.each<[string, Transition, string | undefined]>([
  ["env", transition({}, { env }, rollout), "`env` changes: a roll-out replaces both replicas"],
  ["one replica", transition({ replicas: 1 }, { env }, rollout), "`env` changes: a roll-out replaces the replica"],
  ["a cluster that is stopped", transition({}, { env, desiredStatus: "stopped" }, rollout), undefined],
  ["no roll-out", transition({}, { replicas: 3 }, new Set(["scale"] as const)), undefined],
])("the roll-out of %s", (_what, change, text) => {
  expect(rolloutOf(change)).toBe(text);
});

const informed = ({ said }: Bench) => said.filter((text) => text.startsWith("info: "));

test("before a difference, a change of env is said to renew the replicas that run, without its values", async () => {
  const { bench, id, state } = await openSettled(checked);
  bench.said.length = 0;
  const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), { ...checked, env }, checked));
  await bench.run(bench.cluster.recognize(bench.ctx(), id, state, inputs));
  expect(informed(bench)).toEqual([expect.stringMatching(/`env` changes: a roll-out replaces both replicas$/)]);
  expect(bench.said.join()).not.toContain("new-canary");
});

test("what runs already is not said to be rolled out, whatever the last attempt was", async () => {
  const { bench, id, state } = await openSettled(checked);
  bench.said.length = 0;
  const attempted = { ...checked, env };
  const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), checked, attempted));
  await bench.run(bench.cluster.recognize(bench.ctx(), id, state, inputs));
  expect(informed(bench)).toEqual([]);
});

test("before a difference, an update without a change of the inputs says why it happens", async () => {
  const { bench, id, state } = await openSettled(checked);
  bench.said.length = 0;
  await bench.run(bench.cluster.recognize(bench.ctx(), id, { ...state, settled: false }, checked));
  expect(informed(bench)).toEqual([expect.stringContaining(unfinished)]);
});
