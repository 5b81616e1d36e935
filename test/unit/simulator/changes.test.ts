import { start, stopAll, web } from "./harness";

afterEach(stopAll);

async function running() {
  const bench = await start();
  const { id } = (await bench.call("POST /v1/clusters", web)).body;
  bench.clock.advance(5000);
  return { ...bench, id, path: `/v1/clusters/${id}` };
}

test("replicas, env and container change at once without a request", async () => {
  const { call, simulator, id, path } = await running();
  simulator.change(id, { replicas: 5, env: { X: "y" }, container: "a/b:c" });
  expect((await call(`GET ${path}`)).body).toMatchObject({
    status: "running",
    replicas: 5,
    env: { X: "y" },
    container: "a/b:c",
  });
  expect(simulator.cluster(id)?.replicaStates.filter(({ healthy }) => healthy)).toHaveLength(5);
  simulator.change(id, { replicas: 1 });
  expect(simulator.cluster(id)?.replicaStates).toHaveLength(1);
});

test("another name leaves the endpoint unchanged, and frees the previous name", async () => {
  const { call, simulator } = await start({ dialect: { uniqueNames: true } });
  const { id, endpoint } = simulator.addCluster({ name: "web", gpuType: "h100" });
  simulator.change(id, { name: "other" });
  expect((await call(`GET /v1/clusters/${id}`)).body).toMatchObject({ name: "other", endpoint });
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
});

test("a cluster that another program starts runs the updates stored while it was stopped", async () => {
  const { call, simulator, id, path } = await running();
  simulator.change(id, { status: "stopped" });
  await call(`PATCH ${path}`, { env: { B: "2" } });
  expect(simulator.cluster(id)?.deployed.env).toEqual({ A: "1" });
  simulator.change(id, { status: "running" });
  expect(simulator.cluster(id)).toMatchObject({ status: "running", deployed: { env: { B: "2" } } });
});

test.each(["stopped", "failed", "gone", "running"] as const)(
  "a cluster becomes %s without a request",
  async (status) => {
    const { simulator, id } = await running();
    simulator.change(id, { status });
    expect(simulator.cluster(id)?.status).toBe(status);
  },
);

test("a stopped or failed cluster can be put back to running", async () => {
  const { simulator, id } = await running();
  for (const status of ["stopped", "failed"] as const) {
    simulator.change(id, { status });
    simulator.change(id, { status: "running" });
    expect(simulator.cluster(id)).toMatchObject({ status: "running", replicaStates: [{ healthy: true }, {}, {}] });
  }
});

test("a restart ends the failure of a cluster that failed while it ran", async () => {
  const { call, simulator, id, path, clock } = await running();
  simulator.change(id, { status: "failed", message: "node lost" });
  await call(`POST ${path}/restart`);
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("running");
});

test("a replica gets sick under a running cluster, and well again", async () => {
  const { simulator, id } = await running();
  simulator.change(id, { sickReplica: { replica: 0, message: "Xid 79" } });
  expect(simulator.cluster(id)).toMatchObject({
    status: "running",
    replicaStates: [{ healthy: false, message: "Xid 79" }, {}, {}],
  });
  simulator.change(id, { sickReplica: undefined });
  expect(simulator.cluster(id)?.replicaStates[0]?.healthy).toBe(true);
});

test("a cluster that another program made runs and is listed", async () => {
  const { call, simulator, clock } = await start({ apiKeys: { a: "mine", b: "theirs" } });
  const mine = simulator.addCluster({
    name: "other",
    gpuType: "h100",
    replicas: 2,
    createdAt: clock.time - 86_400_000,
  });
  simulator.addCluster({ name: "hidden", gpuType: "h100", organization: "theirs", status: "stopped" });
  expect(mine).toMatchObject({ status: "running", createdAt: "2029-12-31T00:00:00.000Z", organization: "mine" });
  expect((await call("GET /v1/clusters")).body.clusters).toMatchObject([
    { id: mine.id, name: "other", status: "running" },
  ]);
  expect((await call("GET /v1/gpus/h100/availability")).body.available_count).toBe(254);
});

test("later events do not change a snapshot, and a snapshot cannot change the simulator", async () => {
  const { simulator, id } = await running();
  const before = simulator.cluster(id);
  if (before) before.env.A = "spoiled";
  simulator.change(id, { replicas: 1 });
  expect(before?.replicas).toBe(3);
  expect(simulator.cluster(id)?.env).toEqual({ A: "1" });
});

test("an unknown cluster cannot be changed", async () => {
  const { simulator } = await start();
  expect(simulator.cluster("cl_none")).toBeUndefined();
  expect(() => simulator.change("cl_none", {})).toThrow("cl_none");
});

test("close ends waiting requests, and may be called again", async () => {
  const { simulator, call } = await start({ latencyMs: 60_000 });
  const waiting = expect(call("GET /health")).rejects.toThrow("fetch failed");
  await new Promise((resolve) => setTimeout(resolve, 30));
  await simulator.close();
  await simulator.close();
  await waiting;
});

test("an error inside the simulator is answered with 500, and the next request is served", async () => {
  const { call, simulator } = await start({ dialect: { priceForm: "text" } });
  simulator.setGpuType("h100", { pricePerHour: JSON.parse('"none"') });
  const { status, body, headers } = await call("GET /v1/gpus");
  expect([status, body.error.code]).toEqual([500, "internal_error"]);
  expect(headers.get("x-ratelimit-remaining")).toBe("99");
  expect((await call("GET /health")).status).toBe(200);
});
