import { diffCluster } from "../../../../provider/cluster/diff/diff";
import { hiddenReasonOf } from "../../../../provider/cluster/preflight/summary";
import type { Properties } from "../../../../provider/contract";
import { type Fixture, openSettled } from "../harness";
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
  [
    "a new mark",
    {},
    { __secrets: ["env.A"] },
    "the program marks more as secret; the state is encrypted anew, and the cluster does not change",
  ],
  ["a change that the program shows", { settled: false }, { replicas: 9 }, undefined],
])("the hidden reason of an update: %s", (_what, state, news, reason) => {
  const { changes } = diffCluster({ ...checked, ...state }, { ...checked, ...news });
  expect(hiddenReasonOf(changes)).toBe(reason);
});

const env = { A: "new-canary" };

const informed = ({ said }: Fixture) => said.filter((text) => text.startsWith("info: "));

test("before a difference, a change of env is said to renew the replicas that run, without its values", async () => {
  const { bench, id, state } = await openSettled(checked);
  bench.said.length = 0;
  const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), { ...checked, env }, checked));
  await bench.run(bench.cluster.diff(bench.ctx(), id, state, inputs));
  expect(informed(bench)).toEqual([expect.stringMatching(/`env` changes: a roll-out replaces both replicas$/)]);
  expect(bench.said.join()).not.toContain("new-canary");
});

test("what runs already is not said to be rolled out, whatever the last attempt was", async () => {
  const { bench, id, state } = await openSettled(checked);
  bench.said.length = 0;
  const attempted = { ...checked, env };
  const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), checked, attempted));
  await bench.run(bench.cluster.diff(bench.ctx(), id, state, inputs));
  expect(informed(bench)).toEqual([]);
});

describe("a refresh, in which the engine asks for a difference without a check,", () => {
  const drifts: [string, Properties, RegExp][] = [
    ["env", { env: { A: "by hand" } }, /^info: web: `env` changes: /],
    ["replicas", { replicas: 5 }, /^warning: web: 5 -> 2 replicas: 3 are removed$/],
  ];

  it.each(drifts)(
    "says nothing of a drift of %s: only the update after it changes the cluster",
    async (_name, drift, line) => {
      const { bench, id, state } = await openSettled(checked);
      const { cluster, ctx, run, said } = bench;
      bench.simulator.change(id, drift);
      const found = await run(cluster.read(ctx(), id, state));
      const drifted = found?.state ?? {};
      said.length = 0;
      await run(cluster.diff(ctx(), id, drifted, state));
      expect(said).toEqual([]);
      const { inputs } = await run(cluster.check(ctx(), checked, found?.inputs));
      await run(cluster.diff(ctx(), id, drifted, inputs));
      expect(said).toEqual([expect.stringMatching(line)]);
    },
  );

  it("says nothing of an operation that did not finish", async () => {
    const { bench, id, state } = await openSettled(checked);
    bench.said.length = 0;
    await bench.run(bench.cluster.diff(bench.ctx(), id, { ...state, settled: false }, checked));
    expect(bench.said).toEqual([]);
  });
});
