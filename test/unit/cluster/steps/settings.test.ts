import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges } from "../../../../simulator";
import { openFixture, openSettled, settle } from "../harness";
import { asked, change, failingChange, refresh, toDo } from "../powerHarness";

const before = { ...asked, restartTriggers: ["a"] };

describe("an update of inputs that only this package reads", () => {
  const changes = { maxHourlyCost: 100, restartTriggers: undefined, skipAwait: true, __timeouts: { create: "2h" } };
  const wanted: Properties = JSON.parse(JSON.stringify({ ...before, ...changes }));

  it("sends no request, and changes nothing else in the state", async () => {
    const { bench, made } = await openSettled(before);
    expect(toDo(bench, made, wanted)).not.toEqual([]);
    const { state } = await change(bench, made, wanted);
    expect(bench.simulator.requests).toEqual([]);
    expect(state).toEqual(JSON.parse(JSON.stringify({ ...made.state, ...changes })));
    expect(toDo(bench, { id: made.id, state }, wanted)).toEqual([]);
  });

  it("does not end what an earlier update did not reach", async () => {
    const { bench, made } = await openSettled(before);
    bench.simulator.change(made.id, { sickReplica: { replica: 0, message: "no driver" } });
    const failed = await failingChange(bench, made, { ...before, replicas: 3 }, { timeoutMs: 30_000 });
    const more = { ...wanted, replicas: 3, skipAwait: false };
    const again = await failingChange(bench, failed, more, { timeoutMs: 30_000 });
    expect(again.state).toMatchObject({ settled: false });
    expect(again.text).toMatch(/replica rep_\S+: unhealthy, no driver/);
  });
});

describe("hourlyCost", () => {
  const priced: Properties = { ...asked, hourlyCost: 6 };
  const costAfter = async (changes: ClusterChanges) => {
    const bench = await openFixture();
    const made = await settle(bench, priced);
    bench.simulator.change(made.id, changes);
    return { bench, made, found: (await refresh(bench, made)).state };
  };

  it.each([
    ["more replicas", { replicas: 5 }, 15],
    ["a stop", { status: "stopped" }, 0],
    ["a failure", { status: "failed" }, 6],
  ] as const)("follows what a refresh finds: %s", async (_title, changes, cost) => {
    const { found } = await costAfter(changes);
    expect(found["hourlyCost"]).toBe(cost);
  });

  it("is absent after a change from no replicas to some, never null", async () => {
    const { bench, made, found } = await costAfter({ replicas: 0 });
    expect(found).toMatchObject({ replicas: 0, hourlyCost: 0 });
    bench.simulator.change(made.id, { replicas: 3 });
    const again = await bench.run(bench.cluster.read(bench.ctx(), made.id, found));
    expect(again?.state).toMatchObject({ replicas: 3 });
    expect(again?.state).not.toHaveProperty("hourlyCost");
    expect(again?.inputs).not.toHaveProperty("hourlyCost");
  });
});
