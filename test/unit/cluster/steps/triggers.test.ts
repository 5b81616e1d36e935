import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges, Fault } from "../../../../simulator";
import {
  noStatus,
  openFixture,
  openSettled,
  patch,
  redeploy,
  restart,
  scale,
  settle,
  stop,
  toRun,
  toStop,
  writes,
} from "../harness";

const env = { MODEL: "another" };
const before: Properties = { ...toRun, restartTriggers: { v: 1, w: true }, redeployTriggers: ["a", 2] };

/** Inputs as check returns them: without undefined values. */
function withChanges(changes: Properties): Properties {
  return JSON.parse(JSON.stringify({ ...before, ...changes }));
}

const kept = { generation: 1, restarts: 0 };
const restarted = { generation: 1, restarts: 1 };
const renewed = { generation: 2, restarts: 0 };

/** What changes, the requests for it, and what happens to the replicas. */
const rows: [string, Properties, string[], typeof kept][] = [
  ["another value in the map", { restartTriggers: { v: 2, w: true } }, [restart], restarted],
  ["another order of the list", { redeployTriggers: [2, "a"] }, [redeploy], renewed],
  ["both", { restartTriggers: ["b"], redeployTriggers: ["b"] }, [redeploy], renewed],
  ["another order of the keys", { restartTriggers: { w: true, v: 1 } }, [], kept],
  ["none any more", { restartTriggers: undefined, redeployTriggers: undefined }, [], kept],
  ["one with an env", { restartTriggers: ["b"], env }, [patch], renewed],
  ["one with more replicas", { restartTriggers: ["b"], replicas: 4 }, [restart, scale], restarted],
];

describe.each<[string, Fault[], typeof rows]>([
  ["the replicas", [], rows],
  ["the status word", [noStatus], rows.slice(0, 2)],
])("triggers: health by %s", (_health, faults, rows) => {
  it.each(rows)("restart what they have to: %s", async (_title, changes, calls, goal) => {
    // A restart has to last longer than the pause between two polls to be seen.
    const { bench, made } = await openSettled(before, { faults, provisioningMs: 6_000 });
    const wanted = withChanges(changes);
    const at = await bench.reach(made, wanted, calls);
    expect(bench.running(at)).toMatchObject(goal);
    expect(bench.warnings()).toEqual([]);
  });
});

describe("triggers", () => {
  it("restart nothing at the first creation, and once when they are added later", async () => {
    const bench = await openFixture();
    const made = await bench.run(bench.cluster.create(bench.ctx(), before));
    expect(writes(bench.simulator)).toEqual(["POST /v1/clusters"]);
    await bench.expectAtGoal(made, before);
    const plain = await settle(bench, { ...toRun, name: "plain" });
    await bench.reach(plain, { ...before, name: "plain" }, [redeploy]);
  });

  it("restart nothing of a cluster that is stopped, is being stopped, or is started by the same update", async () => {
    const bench = await openFixture();
    const stopped = await bench.change(await settle(bench, before), withChanges({ ...toStop, restartTriggers: [1] }));
    expect(writes(bench.simulator)).toEqual([stop]);
    const still = await bench.change(stopped, withChanges({ ...toStop, restartTriggers: [2] }));
    expect(writes(bench.simulator)).toEqual([]);
    const at = await bench.reach(still, withChanges({ restartTriggers: [3] }), [restart]);
    expect(bench.running(at).restarts).toBe(0);
  });

  it("are sent again by the next update after a refusal, and the state keeps the old values", async () => {
    const { bench, made } = await openSettled(before);
    bench.simulator.fault({ kind: "status", status: 422, message: "not now", path: "**/restart" });
    const wanted = withChanges({ restartTriggers: ["b"] });
    const failed = await bench.failingChange(made, wanted);
    expect(failed.state).toMatchObject({ restartTriggers: before["restartTriggers"], settled: false });
    await bench.reach(failed, wanted, [restart]);
  });
});

describe("an update of inputs that only this package reads", () => {
  const before = { ...toRun, restartTriggers: ["a"] };
  const changes = { maxHourlyCost: 100, restartTriggers: undefined, skipAwait: true, __timeouts: { create: "2h" } };
  const wanted: Properties = JSON.parse(JSON.stringify({ ...before, ...changes }));

  it("sends no request, and changes nothing else in the state", async () => {
    const { bench, made } = await openSettled(before);
    expect(bench.toDo(made, wanted)).not.toEqual([]);
    const { state } = await bench.change(made, wanted);
    expect(bench.simulator.requests).toEqual([]);
    expect(state).toEqual(JSON.parse(JSON.stringify({ ...made.state, ...changes })));
    expect(bench.toDo({ id: made.id, state }, wanted)).toEqual([]);
  });

  it("does not end what an earlier update did not reach", async () => {
    const { bench, made } = await openSettled(before);
    bench.simulator.change(made.id, { sickReplica: { replica: 0, message: "no driver" } });
    const failed = await bench.failingChange(made, { ...before, replicas: 3 }, { timeoutMs: 30_000 });
    const more = { ...wanted, replicas: 3, skipAwait: false };
    const again = await bench.failingChange(failed, more, { timeoutMs: 30_000 });
    expect(again.state).toMatchObject({ settled: false });
    expect(again.text).toMatch(/replica rep_\S+: unhealthy, no driver/);
  });
});

describe("hourlyCost", () => {
  const priced: Properties = { ...toRun, hourlyCost: 6 };
  const costAfter = async (changes: ClusterChanges) => {
    const { bench, made } = await openSettled(priced);
    bench.simulator.change(made.id, changes);
    return { bench, made, found: (await bench.refresh(made)).state };
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
