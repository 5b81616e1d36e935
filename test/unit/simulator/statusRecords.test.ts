import type { Dialect } from "../../../simulator";
import { start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

/** Two healthy replicas, and one that is sick. */
async function sick(dialect: Partial<Dialect>) {
  const bench = await startWithCluster({ dialect });
  bench.simulator.change(bench.id, { sickReplica: { replica: 2, message: "Xid 79" } });
  return { ...bench, status: (await bench.call(`GET ${bench.path}/status`)).body };
}

const sickFacts = { restarts: expect.any(Number), message: "Xid 79" };

test.each<[Dialect["replicaHealth"], Dialect["replicaFlag"], object, object]>([
  ["flag", "healthy", { status: "healthy", healthy: true }, { status: "unhealthy", healthy: false }],
  ["flag", "ready", { phase: "healthy", ready: true }, { phase: "unhealthy", ready: false }],
  ["word", "ready", { status: "healthy" }, { status: "unhealthy" }],
  ["text", "ready", { state: "healthy", health: "healthy" }, { state: "unhealthy", health: "unhealthy" }],
])("a replica shows its health as %s (%s, if it is a flag)", async (replicaHealth, replicaFlag, well, unwell) => {
  const { status } = await sick({ replicaHealth, replicaFlag });
  expect(status.replicas).toEqual([
    { id: expect.any(String), restarts: 0, ...well },
    { id: expect.any(String), restarts: 0, ...well },
    { id: expect.any(String), ...sickFacts, ...unwell },
  ]);
});

test("the health of a replica that is not supposed to answer is unknown", async () => {
  const { call, clock } = await start({ dialect: { replicaHealth: "text" } });
  const { id } = (await call("POST /v1/clusters", web)).body;
  const seen = async () => {
    const { replicas } = (await call(`GET /v1/clusters/${id}/status`)).body;
    return replicas.map(({ state, health }: { state: string; health: string }) => `${state} ${health}`);
  };
  expect(await seen()).toEqual(Array(3).fill("pending unknown"));
  clock.advance(1000);
  expect(await seen()).toEqual(["healthy healthy", "starting unknown", "starting unknown"]);
  await call(`POST /v1/clusters/${id}/stop`);
  clock.advance(300);
  expect(await seen()).toEqual(Array(3).fill("stopped unknown"));
});

test.each<[Dialect["statusWords"], string[]]>([
  ["plain", ["healthy", "healthy", "unhealthy"]],
  ["upper-prefixed", ["REPLICA_STATUS_HEALTHY", "REPLICA_STATUS_HEALTHY", "REPLICA_STATUS_UNHEALTHY"]],
  ["title", ["Ready", "Ready", "Not Ready"]],
])("the words of the replicas are %s", async (statusWords, expected) => {
  const { status } = await sick({ statusWords });
  expect(status.replicas.map((replica: { status: string }) => replica.status)).toEqual(expected);
});

test("the status as a bare list of replicas", async () => {
  expect((await sick({ statusShape: "bare" })).status).toMatchObject([{ healthy: true }, {}, { healthy: false }]);
});

test("the status as replicas by their ids", async () => {
  const { status, simulator, id } = await sick({ statusShape: "bare", replicasForm: "by-id" });
  const ids = simulator.cluster(id)?.replicaStates.map((replica) => replica.id) ?? [];
  expect(Object.keys(status)).toEqual(ids);
  expect(status[ids[0] ?? ""]).toEqual({ status: "healthy", healthy: true, restarts: 0 });
});

test("the status as a record with replicas by their ids", async () => {
  const { status, simulator, id } = await sick({ replicasForm: "by-id" });
  const ids = simulator.cluster(id)?.replicaStates.map((replica) => replica.id) ?? [];
  expect(status).toMatchObject({ cluster_id: id, status: "running" });
  expect(Object.keys(status.replicas)).toEqual(ids);
});

test("the status as numbers of replicas", async () => {
  const { status, id } = await sick({ replicasForm: "counts" });
  expect(status).toEqual({ cluster_id: id, status: "running", replicas: { total: 3, healthy: 2 } });
  expect((await sick({ replicasForm: "counts", statusShape: "bare" })).status).toEqual({ total: 3, healthy: 2 });
});

test("the status as numbers still has the reason of a failure", async () => {
  const { call, path, simulator, id } = await startWithCluster({ dialect: { replicasForm: "counts" } });
  simulator.change(id, { status: "failed", message: "node lost" });
  expect((await call(`GET ${path}/status`)).body).toEqual({
    cluster_id: id,
    status: "failed",
    message: "node lost",
    replicas: { total: 3, healthy: 0 },
  });
});

test.each<[Dialect["replicasListed"], number]>([
  ["always", 3],
  ["once-scheduled", 0],
])("pending replicas are listed %s", async (replicasListed, atFirst) => {
  for (const [replicasForm, count] of [
    ["list", (body: { replicas: object[] }) => body.replicas.length],
    ["counts", (body: { replicas: { total: number } }) => body.replicas.total],
  ] as const) {
    const { call, clock } = await start({ dialect: { replicasListed, replicasForm } });
    const { id } = (await call("POST /v1/clusters", web)).body;
    expect(count((await call(`GET /v1/clusters/${id}/status`)).body)).toBe(atFirst);
    clock.advance(1000);
    expect(count((await call(`GET /v1/clusters/${id}/status`)).body)).toBe(3);
  }
});

test("the status word may be running from the creation on", async () => {
  const { call, simulator } = await start({ dialect: { runningWhen: "always" } });
  const { id, status } = (await call("POST /v1/clusters", web)).body;
  expect(status).toBe("provisioning");
  expect((await call(`GET /v1/clusters/${id}`)).body.status).toBe("running");
  expect(simulator.cluster(id)?.replicaStates.map((replica) => replica.status)).toEqual(Array(3).fill("pending"));
  expect((await call(`PATCH /v1/clusters/${id}`, { env: {} })).body.status).toBe("running");
});
