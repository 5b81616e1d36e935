import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { openFixture, openSettled, settle, writes } from "../harness";
import * as power from "../powerHarness";

const { asked, atRest, change, expectAtGoal, failingChange, reach, running, warnings } = power;
const { patch, redeploy, restart, scale, stop } = power;

const env = { MODEL: "another" };
const before: Properties = { ...asked, restartTriggers: { v: 1, w: true }, redeployTriggers: ["a", 2] };

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
  ["the status word", [power.noStatus], rows.slice(0, 2)],
])("triggers: health by %s", (_health, faults, rows) => {
  it.each(rows)("restart what they have to: %s", async (_title, changes, calls, goal) => {
    // A restart has to last longer than the pause between two polls to be seen.
    const { bench, made } = await openSettled(before, { faults, provisioningMs: 6_000 });
    const wanted = withChanges(changes);
    const at = await change(bench, made, wanted);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at)).toMatchObject(goal);
    expect(power.toDo(bench, await power.refresh(bench, at), wanted)).toEqual([]);
    expect(at.state["settled"]).toBe(true);
    expect(warnings(bench)).toEqual([]);
  });
});

describe("triggers", () => {
  it("restart nothing at the first creation, and once when they are added later", async () => {
    const bench = await openFixture();
    const made = await bench.run(bench.cluster.create(bench.ctx(), before));
    expect(writes(bench.simulator)).toEqual(["POST /v1/clusters"]);
    await expectAtGoal(bench, made, before);
    const plain = await settle(bench, { ...asked, name: "plain" });
    await reach(bench, plain, { ...before, name: "plain" }, [redeploy]);
  });

  it("restart nothing of a cluster that is stopped, is being stopped, or is started by the same update", async () => {
    const bench = await openFixture();
    const stopped = await change(bench, await settle(bench, before), withChanges({ ...atRest, restartTriggers: [1] }));
    expect(writes(bench.simulator)).toEqual([stop]);
    const still = await change(bench, stopped, withChanges({ ...atRest, restartTriggers: [2] }));
    expect(writes(bench.simulator)).toEqual([]);
    const at = await reach(bench, still, withChanges({ restartTriggers: [3] }), [restart]);
    expect(running(bench, at).restarts).toBe(0);
  });

  it("are sent again by the next update after a refusal, and the state keeps the old values", async () => {
    const { bench, made } = await openSettled(before);
    bench.simulator.fault({ kind: "status", status: 422, message: "not now", path: "**/restart" });
    const wanted = withChanges({ restartTriggers: ["b"] });
    const failed = await failingChange(bench, made, wanted);
    expect(failed.state).toMatchObject({ restartTriggers: before["restartTriggers"], settled: false });
    await reach(bench, failed, wanted, [restart]);
  });
});
