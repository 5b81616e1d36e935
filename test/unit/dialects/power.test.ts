import { closeAll, countOf, forget, writes } from "../cluster/harness";
import { create, expectReached, type Held, names, open, read, toDo, type Wanted, warnings, web } from "./harness";

afterEach(closeAll);

type Bench = Awaited<ReturnType<typeof open>>;

const stopped: Wanted = { ...web, desiredStatus: "stopped" };
const changed: Partial<Wanted> = { replicas: 3, container: "team/server:2.0", env: { MODEL: "another-model" } };

async function change(bench: Bench, { id, state }: Held, wanted: Wanted): Promise<Held> {
  forget(bench);
  return { id, state: await bench.run(bench.cluster.update(bench.ctx(), id, state, wanted)) };
}

/** The cluster is stopped, the state says so, and there is no difference, neither now nor after a refresh. */
async function expectAtRest(bench: Bench, held: Held, wanted: Wanted): Promise<void> {
  expect(bench.simulator.cluster(held.id)?.status).toBe("stopped");
  expect(held.state).toMatchObject({ desiredStatus: "stopped", settled: true, readyReplicas: 0, replicaStatuses: [] });
  expect(toDo(bench, held, wanted)).toEqual([]);
  const again = await read(bench, held);
  expect(toDo(bench, again, wanted)).toEqual([]);
  expect(again.state).toEqual(held.state);
}

describe.each(names)("in the dialect %s", (dialect) => {
  it("a cluster is stopped by one request that counts, and started again", async () => {
    const bench = await open(dialect);
    const at = await change(bench, await create(bench), stopped);
    expect(writes(bench.simulator)).toEqual(["POST /v1/clusters/:id/stop"]);
    await expectAtRest(bench, at, stopped);
    expect(warnings(bench)).toEqual([]);
    const up = await change(bench, at, web);
    await expectReached(bench, up, web);
  });

  it("a stopped cluster accepts new replicas, container and env, and runs them after its start", async () => {
    const bench = await open(dialect);
    const resting = await change(bench, await create(bench), stopped);
    const next = await change(bench, resting, { ...stopped, ...changed });
    await expectAtRest(bench, next, { ...stopped, ...changed });
    await expectReached(bench, await change(bench, next, { ...web, ...changed }), { ...web, ...changed });
  });

  it("a stopped cluster is started and changed in everything by one update", async () => {
    const bench = await open(dialect);
    const resting = await change(bench, await create(bench), stopped);
    await expectReached(bench, await change(bench, resting, { ...web, ...changed }), { ...web, ...changed });
  });

  it.each([
    ["restart", { restartTriggers: ["b"] }, { generation: 1, restarts: 1 }],
    ["redeploy", { redeployTriggers: ["b"] }, { generation: 2, restarts: 0 }],
  ])("a trigger makes one %s, and nothing else", async (action, trigger, { generation, restarts }) => {
    const bench = await open(dialect, { provisioningMs: 20_000 });
    const wanted = { ...web, ...trigger };
    const at = await change(bench, await create(bench), wanted);
    expect(writes(bench.simulator)).toEqual([`POST /v1/clusters/:id/${action}`]);
    const { generation: made, replicaStates = [] } = bench.simulator.cluster(at.id) ?? {};
    expect({ made, restarts: replicaStates.map((one) => one.restarts) }).toEqual({
      made: generation,
      restarts: [restarts, restarts],
    });
    await expectReached(bench, at, wanted);
  });

  it("a trigger whose answer is lost restarts the replicas once", async () => {
    const bench = await open(dialect, { provisioningMs: 20_000 });
    const held = await create(bench);
    bench.simulator.fault({ kind: "drop", when: "after", path: "**/restart" });
    const wanted = { ...web, restartTriggers: ["b"] };
    await expectReached(bench, await change(bench, held, wanted), wanted);
    expect(countOf(bench.simulator, "POST /v1/clusters/:id/restart")).toBe(1);
  });
});
