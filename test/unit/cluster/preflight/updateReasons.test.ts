import { diffCluster } from "../../../../provider/cluster/diff/diff";
import { hiddenReasonOf } from "../../../../provider/cluster/preflight/summary";
import type { Properties } from "../../../../provider/contract";
import { type Fixture, openSettled } from "../harness";
import { checked } from "../inputs";

test.each<[string, Properties, Properties, RegExp | undefined]>([
  ["an unfinished operation is continued", { settled: false }, {}, /^no input changes; the update continues the last /],
  ["new time limits change only the state", {}, { __timeouts: { create: "1h" } }, /^only `customTimeouts` changes; /],
  ["a new secret changes only the state", {}, { __secrets: ["env.A"] }, /^the program marks more as secret; /],
  ["a changed input needs no other reason", { settled: false }, { replicas: 9 }, undefined],
])("an update has a reason: %s", (_title, state, news, reason) => {
  const { changes } = diffCluster({ ...checked, ...state }, { ...checked, ...news });
  expect(hiddenReasonOf(changes)).toEqual(reason && expect.stringMatching(reason));
});

const env = { A: "new-canary" };

const informed = ({ messages: said }: Fixture) => said.filter((text) => text.startsWith("info: "));

test("a changed env is announced as a rollout, without its values", async () => {
  const { fixture, id, state } = await openSettled(checked);
  const { inputs } = await fixture.run(fixture.cluster.check(fixture.ctx(), { ...checked, env }, checked));
  await fixture.run(fixture.cluster.diff(fixture.ctx(), id, state, inputs));
  expect(informed(fixture)).toEqual([
    expect.stringMatching(/`env` changes: in place, a rollout replaces both replicas$/),
  ]);
  expect(fixture.messages.join()).not.toContain("new-canary");
});

test("a configuration that runs already is no rollout, even after a failed attempt to change it", async () => {
  const { fixture, id, state } = await openSettled(checked);
  const attempted = { ...checked, env };
  const { inputs } = await fixture.run(fixture.cluster.check(fixture.ctx(), checked, attempted));
  await fixture.run(fixture.cluster.diff(fixture.ctx(), id, state, inputs));
  expect(informed(fixture)).toEqual([]);
});

describe("a refresh, in which the engine requests a diff without a check,", () => {
  it("does not announce drift as a change, but the update after it does", async () => {
    const { fixture, id, state } = await openSettled(checked);
    const { cluster, ctx, run, messages: said } = fixture;
    fixture.simulator.change(id, { replicas: 5 });
    const found = await run(cluster.read(ctx(), id, state));
    const drifted = found?.state ?? {};
    said.length = 0;
    await run(cluster.diff(ctx(), id, drifted, state));
    expect(said).toEqual([]);
    const { inputs } = await run(cluster.check(ctx(), checked, found?.inputs));
    await run(cluster.diff(ctx(), id, drifted, inputs));
    expect(said).toEqual(["warning: web: 5 -> 2 replicas: 3 are removed"]);
  });
});
