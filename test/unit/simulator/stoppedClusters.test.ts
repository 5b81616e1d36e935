import type { Dialect } from "../../../simulator";
import { type Bench, startWithCluster, stopAll } from "./harness";

afterEach(stopAll);

type Stopped = Bench & { id: string; path: string };

async function stopped(dialect: Partial<Dialect>): Promise<Stopped> {
  const bench = await startWithCluster({ dialect });
  await bench.call(`POST ${bench.path}/stop`);
  bench.clock.advance(300);
  return bench;
}

test.each<[Dialect["stoppedWord"], Dialect["statusWords"], string]>([
  ["stopped", "plain", "stopped"],
  ["suspended", "plain", "suspended"],
  ["paused", "plain", "paused"],
  ["suspended", "upper-prefixed", "CLUSTER_STATUS_SUSPENDED"],
  ["paused", "title", "Paused"],
])(
  "a stopped cluster (%s, words %s) has the status word %s in every answer",
  async (stoppedWord, statusWords, word) => {
    const { call, path, simulator, id } = await stopped({ stoppedWord, statusWords });
    expect((await call(`GET ${path}`)).body.status).toBe(word);
    expect((await call(`GET ${path}/status`)).body.status).toBe(word);
    expect((await call("GET /v1/clusters")).body.clusters[0].status).toBe(word);
    expect(simulator.cluster(id)?.status).toBe("stopped");
  },
);

test("a stopping cluster has its own status word, and its replicas are stopped, whatever the word", async () => {
  const { call, path, clock } = await startWithCluster({ dialect: { stoppedWord: "paused" } });
  expect((await call(`POST ${path}/stop`)).body.status).toBe("stopping");
  clock.advance(300);
  expect((await call(`GET ${path}/status`)).body.replicas[0].status).toBe("stopped");
});

const change = { container: "vllm/vllm-openai:v0.6.4", env: { B: "2" }, replicas: 2 };

test("an update of a stopped cluster may be stored until the start", async () => {
  const { call, path, simulator, id } = await stopped({ stoppedUpdate: "stored" });
  expect((await call(`PATCH ${path}`, change)).body).toMatchObject({ status: "stopped", replicas: 2 });
  expect(simulator.cluster(id)).toMatchObject({ env: { B: "2" }, deployed: { env: { A: "1" } } });
});

test.each<Dialect["updateMethod"]>(["PATCH", "PUT", "POST"])(
  "an update (%s) of a stopped cluster may be refused, and changes nothing; its number of replicas is still scaled",
  async (updateMethod) => {
    const { call, path, simulator, id, clock } = await stopped({ updateMethod, stoppedUpdate: "refused" });
    const before = simulator.cluster(id);
    for (const body of [change, { env: {} }, { replicas: 2 }]) {
      const reply = await call(`${updateMethod} ${path}`, body);
      expect([reply.status, reply.body.error.code]).toEqual([409, "invalid_state"]);
    }
    expect((await call(`${updateMethod} ${path}`, { colour: "red" })).status).toBe(400);
    expect(simulator.cluster(id)).toEqual(before);
    expect((await call(`POST ${path}/scale`, { replicas: 2 })).body).toMatchObject({ status: "stopped", replicas: 2 });
    await call(`POST ${path}/restart`);
    clock.advance(3000);
    expect((await call(`${updateMethod} ${path}`, change)).status).toBe(200);
  },
);

test.each<[string, object]>([
  ["everything", change],
  ["replicas alone", { replicas: 2 }],
  ["nothing", { env: { A: "1" } }],
])("an update that changes %s may start a stopped cluster", async (_what, body) => {
  const { call, path, simulator, id, clock } = await stopped({ stoppedUpdate: "starts" });
  expect((await call(`PATCH ${path}`, body)).body.status).toBe("restarting");
  clock.advance(3000);
  const { status, container, env, replicas, deployed, replicaStates } = simulator.cluster(id) ?? {};
  expect([status, deployed, replicaStates?.length]).toEqual(["running", { container, env }, replicas]);
  expect(simulator.cluster(id)).toMatchObject(body);
});

test("if updates take effect at a redeploy, an update starts a cluster with its previous configuration", async () => {
  const { call, path, simulator, id, clock } = await stopped({ stoppedUpdate: "starts", updateRollsOut: false });
  await call(`PATCH ${path}`, { env: { B: "2" } });
  clock.advance(3000);
  expect(simulator.cluster(id)).toMatchObject({ status: "running", env: { B: "2" }, deployed: { env: { A: "1" } } });
});

test("a start by an update needs free GPUs, and without them nothing is changed", async () => {
  const { call, path, simulator, id } = await stopped({ stoppedUpdate: "starts" });
  simulator.setGpuType("h100", { stock: 1 });
  expect((await call(`PATCH ${path}`, change)).body.error.code).toBe("insufficient_capacity");
  expect(simulator.cluster(id)).toMatchObject({ status: "stopped", replicas: 3, env: { A: "1" } });
});

test.each<[Dialect["stoppedReplicas"], Dialect["replicasForm"], unknown]>([
  ["listed", "list", [{ status: "stopped" }, { status: "stopped" }, { status: "stopped" }]],
  ["listed", "counts", { total: 3, healthy: 0 }],
  ["none", "list", []],
  ["none", "by-id", {}],
  ["none", "counts", { total: 0, healthy: 0 }],
])("the replicas of a stopped cluster: %s, in the form %s", async (stoppedReplicas, replicasForm, expected) => {
  const { call, path, clock } = await stopped({ stoppedReplicas, replicasForm });
  const { body } = await call(`GET ${path}/status`);
  expect(body).toMatchObject({ status: "stopped", replicas: expected });
  expect(Object.keys(body.replicas)).toHaveLength(Object.keys(expected as object).length);
  expect((await call(`GET ${path}`)).body.replicas).toBe(3);
  await call(`POST ${path}/restart`);
  clock.advance(3000);
  expect(JSON.stringify((await call(`GET ${path}/status`)).body.replicas)).toContain("healthy");
});
