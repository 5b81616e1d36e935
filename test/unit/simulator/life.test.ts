import { type Bench, start, stopAll, web } from "./harness";

afterEach(stopAll);

async function running(options = {}): Promise<Bench & { id: string; path: string }> {
  const bench = await start(options);
  const { body } = await bench.call("POST /v1/clusters", web);
  bench.clock.advance(3000);
  return { ...bench, id: body.id, path: `/v1/clusters/${body.id}` };
}

const words = (bench: Bench, id: string) => bench.simulator.cluster(id)?.replicaStates.map(({ status }) => status);
const ids = (bench: Bench, id: string) => bench.simulator.cluster(id)?.replicaStates.map((replica) => replica.id);

test("a created cluster has exactly the specified fields and is provisioning", async () => {
  const { call } = await start();
  const { status, body } = await call("POST /v1/clusters", web);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^cl_[0-9a-f]{8}$/),
    name: "web",
    status: "provisioning",
    gpu_type: "h100",
    replicas: 3,
    endpoint: `https://web-${body.id.slice(3)}.clusters.example.com`,
    created_at: "2030-01-01T00:00:00.000Z",
  });
});

test("a new cluster is provisioning even if nothing takes time", async () => {
  const { call, simulator } = await start({ provisioningMs: 0 });
  const { body } = await call("POST /v1/clusters", web);
  expect(body.status).toBe("provisioning");
  expect(simulator.cluster(body.id)?.status).toBe("running");
});

test("replicas get healthy one after the other, and the cluster runs with the last one", async () => {
  const { call, clock } = await start();
  const { body } = await call("POST /v1/clusters", web);
  const path = `/v1/clusters/${body.id}/status`;
  const at = async (ms: number) => {
    clock.advance(ms);
    const status = (await call(`GET ${path}`)).body;
    return [status.status, ...status.replicas.map((replica: { status: string }) => replica.status)];
  };
  expect(await at(0)).toEqual(["provisioning", "pending", "pending", "pending"]);
  expect(await at(1000)).toEqual(["provisioning", "healthy", "starting", "starting"]);
  expect(await at(1999)).toEqual(["provisioning", "healthy", "healthy", "starting"]);
  expect(await at(1)).toEqual(["running", "healthy", "healthy", "healthy"]);
});

test("the status answer names the cluster and tells the health of each replica", async () => {
  const { call, id, path } = await running();
  const { body } = await call(`GET ${path}/status`);
  expect(body.cluster_id).toBe(id);
  expect(body.replicas[0]).toEqual({ id: expect.any(String), status: "healthy", healthy: true, restarts: 0 });
});

test("scaling out keeps the old replicas and adds pending ones", async () => {
  const bench = await running();
  const before = ids(bench, bench.id);
  const { body } = await bench.call(`POST ${bench.path}/scale`, { replicas: 5 });
  expect(body).toMatchObject({ status: "scaling", replicas: 5 });
  expect(words(bench, bench.id)).toEqual(["healthy", "healthy", "healthy", "pending", "pending"]);
  expect(ids(bench, bench.id)?.slice(0, 3)).toEqual(before);
  bench.clock.advance(3000);
  expect(bench.simulator.cluster(bench.id)?.status).toBe("running");
});

test("scaling in removes the last replicas, and a later one gets a new id", async () => {
  const bench = await running();
  const before = ids(bench, bench.id) ?? [];
  await bench.call(`POST ${bench.path}/scale`, { replicas: 2 });
  expect(ids(bench, bench.id)).toEqual(before.slice(0, 2));
  bench.clock.advance(300);
  expect(bench.simulator.cluster(bench.id)?.status).toBe("running");
  await bench.call(`POST ${bench.path}/scale`, { replicas: 3 });
  expect(before).not.toContain(ids(bench, bench.id)?.[2]);
});

test("scaling to the present number changes nothing", async () => {
  const { call, path } = await running();
  expect((await call(`POST ${path}/scale`, { replicas: 3 })).body.status).toBe("running");
});

test("an update of env rolls out new replicas, and reads show the new env", async () => {
  const bench = await running();
  const before = ids(bench, bench.id);
  const { body } = await bench.call(`PATCH ${bench.path}`, { env: { B: "2" } });
  expect(body.status).toBe("updating");
  expect(words(bench, bench.id)).toEqual(["pending", "pending", "pending"]);
  expect(ids(bench, bench.id)?.some((id) => before?.includes(id))).toBe(false);
  bench.clock.advance(3000);
  const detail = (await bench.call(`GET ${bench.path}`)).body;
  expect(detail).toMatchObject({ status: "running", env: { B: "2" }, container: web.container });
});

test("an update to the present values changes nothing", async () => {
  const { call, path } = await running();
  const { body } = await call(`PATCH ${path}`, { env: web.env, container: web.container, replicas: 3 });
  expect(body.status).toBe("running");
});

test("an update of replicas alone scales", async () => {
  const bench = await running();
  expect((await bench.call(`PATCH ${bench.path}`, { replicas: 4 })).body.status).toBe("scaling");
  expect(words(bench, bench.id)).toEqual(["healthy", "healthy", "healthy", "pending"]);
});

test("a restart keeps the replicas and counts", async () => {
  const bench = await running();
  const before = ids(bench, bench.id);
  expect((await bench.call(`POST ${bench.path}/restart`)).body.status).toBe("restarting");
  expect(ids(bench, bench.id)).toEqual(before);
  expect(bench.simulator.cluster(bench.id)?.replicaStates[0]).toMatchObject({ restarts: 1, status: "pending" });
  bench.clock.advance(3000);
  expect(bench.simulator.cluster(bench.id)?.status).toBe("running");
});

test("a redeploy makes new replicas", async () => {
  const bench = await running();
  const before = ids(bench, bench.id);
  expect((await bench.call(`POST ${bench.path}/redeploy`)).body.status).toBe("deploying");
  expect(ids(bench, bench.id)).not.toEqual(before);
  expect(bench.simulator.cluster(bench.id)?.generation).toBe(2);
});

test("a stopped cluster keeps its settings and runs again after a restart, with the changes made meanwhile", async () => {
  const bench = await running();
  expect((await bench.call(`POST ${bench.path}/stop`)).body.status).toBe("stopping");
  bench.clock.advance(300);
  expect(words(bench, bench.id)).toEqual(["stopped", "stopped", "stopped"]);
  await bench.call(`PATCH ${bench.path}`, { env: { B: "2" }, replicas: 2 });
  expect(bench.simulator.cluster(bench.id)?.status).toBe("stopped");
  await bench.call(`POST ${bench.path}/restart`);
  bench.clock.advance(3000);
  expect(bench.simulator.cluster(bench.id)).toMatchObject({ status: "running", deployed: { env: { B: "2" } } });
  expect(words(bench, bench.id)).toEqual(["healthy", "healthy"]);
});

test("a deleted cluster is terminating, then gone, and stays in the simulator's memory", async () => {
  const { call, clock, simulator, id, path } = await running();
  expect((await call(`DELETE ${path}`)).body.status).toBe("terminating");
  expect((await call(`DELETE ${path}`)).status).toBe(200);
  expect((await call(`POST ${path}/restart`)).body.error).toMatchObject({ status: 409, code: "invalid_state" });
  clock.advance(300);
  const { status, body } = await call(`GET ${path}`);
  expect([status, body.error.code]).toEqual([404, "cluster_not_found"]);
  expect((await call("GET /v1/clusters")).body.clusters).toEqual([]);
  expect(simulator.cluster(id)).toMatchObject({ status: "gone", env: { A: "1" }, container: web.container });
});

test("every operation on an unknown cluster is refused with cluster_not_found", async () => {
  const { call } = await start();
  const path = "/v1/clusters/cl_none";
  for (const line of ["GET ", "DELETE "])
    expect((await call(`${line}${path}`)).body.error.code).toBe("cluster_not_found");
  for (const action of ["stop", "restart", "redeploy"]) {
    expect((await call(`POST ${path}/${action}`)).body.error.code).toBe("cluster_not_found");
  }
});
