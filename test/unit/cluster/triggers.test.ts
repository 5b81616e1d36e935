import type { Properties } from "../../../provider/core";
import { closeAll, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  patch,
  redeploy,
  refresh,
  restart,
  running,
  scale,
  settleStopped,
  stop,
  toDo,
  warnings,
} from "./powerHarness";

afterEach(closeAll);

const env = { MODEL: "another" };
const before: Properties = { ...asked, restartTriggers: { v: 1, w: true }, redeployTriggers: ["a", 2] };

/** Inputs as check hands them out: without what is not said. */
function withChanges(changes: Properties): Properties {
  return JSON.parse(JSON.stringify({ ...before, ...changes }));
}

/** What changes, the requests that it takes, and what becomes of the replicas. */
const rows: [string, Properties, string[], { generation: number; restarts: number }][] = [
  ["another value in the map", { restartTriggers: { v: 2, w: true } }, [restart], { generation: 1, restarts: 1 }],
  ["another boolean", { restartTriggers: { v: 1, w: false } }, [restart], { generation: 1, restarts: 1 }],
  ["text in place of a number", { restartTriggers: { v: "1", w: true } }, [restart], { generation: 1, restarts: 1 }],
  ["a value fewer", { restartTriggers: { v: 1 } }, [restart], { generation: 1, restarts: 1 }],
  ["a list in place of the map", { restartTriggers: [1, true] }, [restart], { generation: 1, restarts: 1 }],
  ["another value in the list", { redeployTriggers: ["b", 2] }, [redeploy], { generation: 2, restarts: 0 }],
  ["another order of the list", { redeployTriggers: [2, "a"] }, [redeploy], { generation: 2, restarts: 0 }],
  ["both", { restartTriggers: ["b"], redeployTriggers: ["b"] }, [redeploy], { generation: 2, restarts: 0 }],
  ["another order of the keys", { restartTriggers: { w: true, v: 1 } }, [], { generation: 1, restarts: 0 }],
  ["none any more", { restartTriggers: undefined, redeployTriggers: undefined }, [], { generation: 1, restarts: 0 }],
  ["one with an env", { restartTriggers: ["b"], env }, [patch], { generation: 2, restarts: 0 }],
  ["one with a container", { redeployTriggers: ["b"], container: "a/b:2" }, [patch], { generation: 2, restarts: 0 }],
  ["both with an env", { restartTriggers: [1], redeployTriggers: [1], env }, [patch], { generation: 2, restarts: 0 }],
  ["one with more replicas", { restartTriggers: ["b"], replicas: 4 }, [restart, scale], { generation: 1, restarts: 1 }],
  [
    "one with fewer replicas",
    { redeployTriggers: [1], replicas: 1 },
    [redeploy, scale],
    { generation: 2, restarts: 0 },
  ],
  ["one, not waited for", { restartTriggers: ["b"], skipAwait: true }, [restart], { generation: 1, restarts: 1 }],
];

describe.each(["status", "list"])("triggers (health by %s)", (healthCheck) => {
  it.each(rows)("%s", async (_title, changes, calls, goal) => {
    const bench = await openBench();
    const made = await settle(bench, { ...before, healthCheck });
    const wanted = { ...withChanges(changes), healthCheck };
    const at = await change(bench, made, wanted);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at)).toMatchObject(goal);
    expect(toDo(bench, await refresh(bench, at), wanted)).toEqual([]);
    expect(at.state["settled"]).toBe(true);
    expect(warnings(bench)).toEqual([]);
  });
});

describe("triggers", () => {
  it("restart nothing at the first creation, and once when they are added later", async () => {
    const bench = await openBench();
    const made = await bench.run(bench.cluster.create(bench.ctx(), before));
    expect(writes(bench.simulator)).toEqual(["POST /v1/clusters"]);
    await expectAtGoal(bench, made, before);
    const plain = await settle(bench, { ...asked, name: "plain" });
    const at = await change(bench, plain, { ...before, name: "plain" });
    expect(writes(bench.simulator)).toEqual([redeploy]);
    await expectAtGoal(bench, at, { ...before, name: "plain" });
  });

  it("restart nothing of a cluster that is stopped, is being stopped, or is started by the same update", async () => {
    const bench = await openBench();
    const stopped = await change(bench, await settle(bench, before), withChanges({ ...atRest, restartTriggers: [1] }));
    expect(writes(bench.simulator)).toEqual([stop]);
    const still = await change(bench, stopped, withChanges({ ...atRest, restartTriggers: [2] }));
    expect(writes(bench.simulator)).toEqual([]);
    const at = await change(bench, still, withChanges({ restartTriggers: [3] }));
    expect(writes(bench.simulator)).toEqual([restart]);
    expect(running(bench, at).restarts).toBe(0);
    await expectAtGoal(bench, at, withChanges({ restartTriggers: [3] }));
  });

  it("restart a cluster once that cannot come up, and the next update only waits", async () => {
    const bench = await openBench();
    const made = await settle(bench, before);
    bench.simulator.change(made.id, { sickReplica: { replica: 1, message: "no driver" } });
    const wanted = withChanges({ restartTriggers: ["b"] });
    const failed = await failingChange(bench, made, wanted, { timeoutMs: 60_000 });
    expect(failed.state).toMatchObject({ restartTriggers: ["b"], settled: false });
    expect(writes(bench.simulator)).toEqual([restart]);
    bench.simulator.change(made.id, { sickReplica: undefined });
    const at = await change(bench, failed, wanted);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, wanted);
  });

  it("are one roll-out where the cluster has failed", async () => {
    const bench = await openBench();
    const made = await settle(bench, before);
    bench.simulator.change(made.id, { status: "failed", message: "node lost" });
    const at = await change(bench, made, withChanges({ restartTriggers: ["b"] }));
    expect(writes(bench.simulator)).toEqual([patch, redeploy]);
    expect(running(bench, at)).toMatchObject({ status: "running", generation: 2, restarts: 0 });
    await expectAtGoal(bench, at, withChanges({ restartTriggers: ["b"] }));
  });

  it("that are refused are asked for again by the next update, and the values in the state are the old ones", async () => {
    const bench = await openBench();
    const made = await settle(bench, before);
    bench.simulator.fault({ kind: "status", status: 422, message: "not now", path: "**/restart" });
    const wanted = withChanges({ restartTriggers: ["b"] });
    const failed = await failingChange(bench, made, wanted);
    expect(failed.state).toMatchObject({ restartTriggers: before["restartTriggers"], settled: false });
    const at = await change(bench, failed, wanted);
    expect(writes(bench.simulator)).toEqual([restart]);
    await expectAtGoal(bench, at, wanted);
  });

  it("wait for a service that is busy, and are then one request", async () => {
    const bench = await openBench({ dialect: { busyWhen: "changing" }, provisioningMs: 20_000 });
    const made = await settle(bench, before);
    await bench.client.scaleCluster(made.id, 3);
    const wanted = withChanges({ restartTriggers: ["b"], replicas: 3 });
    const at = await change(bench, made, wanted);
    expect(running(bench, at)).toMatchObject({ generation: 1, restarts: 1 });
    const done = bench.simulator.requests.filter(
      ({ path, status }) => path.endsWith("/restart") && Number(status) < 300,
    );
    expect(done).toHaveLength(1);
    await expectAtGoal(bench, at, wanted);
  });

  it("of a stopped cluster keep nothing from being started later", async () => {
    const bench = await openBench();
    const stopped = await settleStopped(bench, withChanges(atRest));
    const at = await change(bench, stopped, before);
    expect(writes(bench.simulator)).toEqual([restart]);
    await expectAtGoal(bench, at, before);
  });
});
