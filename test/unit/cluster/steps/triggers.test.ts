import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges } from "../../../../simulator";
import {
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

describe("triggers", () => {
  it.each(rows)("restart what they have to: %s", async (_title, changes, calls, goal) => {
    // A restart has to last longer than the pause between two polls to be seen.
    const { fixture, made } = await openSettled(before, { provisioningMs: 6_000 });
    const at = await fixture.reach(made, withChanges(changes), calls);
    expect(fixture.running(at)).toMatchObject(goal);
    expect(fixture.warnings()).toEqual([]);
  });

  it("restart nothing at the first creation, and once when they are added later", async () => {
    const fixture = await openFixture();
    const made = await fixture.run(fixture.cluster.create(fixture.ctx(), before));
    expect(writes(fixture.simulator)).toEqual(["POST /v1/clusters"]);
    await fixture.expectAtGoal(made, before);
    const plain = await settle(fixture, { ...toRun, name: "plain" });
    await fixture.reach(plain, { ...before, name: "plain" }, [redeploy]);
  });

  it("restart nothing of a cluster that is stopped, is being stopped, or is started by the same update", async () => {
    const fixture = await openFixture();
    const stopped = await fixture.change(
      await settle(fixture, before),
      withChanges({ ...toStop, restartTriggers: [1] }),
    );
    expect(writes(fixture.simulator)).toEqual([stop]);
    const still = await fixture.change(stopped, withChanges({ ...toStop, restartTriggers: [2] }));
    expect(writes(fixture.simulator)).toEqual([]);
    const at = await fixture.reach(still, withChanges({ restartTriggers: [3] }), [restart]);
    expect(fixture.running(at).restarts).toBe(0);
  });

  it("are sent again by the next update after a refusal, and the state keeps the old values", async () => {
    const { fixture, made } = await openSettled(before);
    fixture.simulator.fault({ kind: "status", status: 422, message: "not now", path: "**/restart" });
    const wanted = withChanges({ restartTriggers: ["b"] });
    const failed = await fixture.failingChange(made, wanted);
    expect(failed.state).toMatchObject({ restartTriggers: before["restartTriggers"], settled: false });
    await fixture.reach(failed, wanted, [restart]);
  });
});

it("an update of inputs that only this package reads sends no request, and changes nothing else in the state", async () => {
  const before = { ...toRun, restartTriggers: ["a"] };
  const changes = { maxHourlyCost: 100, restartTriggers: undefined, skipAwait: true, __timeouts: { create: "2h" } };
  const wanted: Properties = JSON.parse(JSON.stringify({ ...before, ...changes }));
  const { fixture, made } = await openSettled(before);
  expect(fixture.toDo(made, wanted)).not.toEqual([]);
  const { id, state } = await fixture.change(made, wanted);
  expect(fixture.simulator.requests).toEqual([]);
  expect(state).toEqual(JSON.parse(JSON.stringify({ ...made.state, ...changes })));
  expect(fixture.toDo({ id, state }, wanted)).toEqual([]);
});

describe("hourlyCost", () => {
  const openPriced = () => openSettled({ ...toRun, hourlyCost: 6 });

  it.each<[string, ClusterChanges, number]>([
    ["more replicas", { replicas: 5 }, 15],
    ["a stop", { status: "stopped" }, 0],
    ["a failure", { status: "failed" }, 6],
  ])("follows what a refresh finds: %s", async (_title, changes, cost) => {
    const { fixture, made } = await openPriced();
    fixture.simulator.change(made.id, changes);
    expect((await fixture.refresh(made)).state["hourlyCost"]).toBe(cost);
  });

  it("is absent after a change from no replicas to some, never null", async () => {
    const { fixture, made } = await openPriced();
    fixture.simulator.change(made.id, { replicas: 0 });
    const none = await fixture.refresh(made);
    expect(none.state).toMatchObject({ replicas: 0, hourlyCost: 0 });
    fixture.simulator.change(made.id, { replicas: 3 });
    const again = await fixture.read(none);
    expect(again?.state).toMatchObject({ replicas: 3 });
    for (const properties of [again?.state, again?.inputs]) expect(properties).not.toHaveProperty("hourlyCost");
  });
});
