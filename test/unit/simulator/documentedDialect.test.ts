import { startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

const documented = { dialect: "documented" };

test("the create answer has the documented fields and a bare record", async () => {
  const { call } = await startWithCluster(documented);
  expect((await call("POST /v1/clusters", { ...web, name: "other", gpu_type: "rtx-4090" })).body).toEqual({
    id: expect.stringMatching(/^cl_/),
    name: "other",
    status: "provisioning",
    gpu_type: "rtx-4090",
    replicas: 3,
    endpoint: expect.stringMatching(/^https:\/\/other-/),
    created_at: expect.any(String),
  });
});

test("lists are bare, and names are unique", async () => {
  const { call } = await startWithCluster(documented);
  expect((await call("GET /v1/clusters")).body).toMatchObject([{ name: "web", gpu_type: "h100" }]);
  expect((await call("GET /v1/gpus")).body[0]).toMatchObject({ type: "rtx-4090", price_per_hour: 0.49 });
  expect((await call("POST /v1/clusters", web)).body).toEqual({
    error: { code: "name_taken", message: expect.any(String), status: 409 },
  });
});

test.each([
  "/health",
  "/",
  "/v1/gpus",
  "/v1/gpus/models",
  "/v1/gpus/availability",
  "/v1/gpus/pricing",
  "/v1/gpus/rtx-4090/availability",
])("GET %s is answered", async (path) => {
  const { call } = await startWithCluster(documented);
  expect((await call(`GET ${path}`)).status).toBe(200);
});

test("an update by PATCH changes replicas, environment and extra fields, and get shows them", async () => {
  const { call, path } = await startWithCluster(documented);
  const autoscaling = { min_replicas: 1, max_replicas: 8, target_requests_per_replica: 50 };
  const changes = { replicas: 2, env: { B: "2" }, container_port: 8000, autoscaling };
  expect((await call(`PATCH ${path}`, changes)).body).toMatchObject({ replicas: 2 });
  expect((await call(`GET ${path}`)).body).toMatchObject({ ...changes, container: web.container });
});

test("extra fields of the creation are kept by an update that does not name them", async () => {
  const { call, path, simulator, id } = await startWithCluster(documented);
  await call(`PATCH ${path}`, { tier: "verified" });
  await call(`PATCH ${path}`, { container_port: 8000 });
  expect(simulator.cluster(id)?.extras).toEqual({ tier: "verified", containerPort: 8000 });
});

test("a failed cluster says why in its status", async () => {
  const { call, path, simulator, id } = await startWithCluster(documented);
  simulator.change(id, { status: "failed", message: "out of memory" });
  expect((await call(`GET ${path}/status`)).body).toMatchObject({ status: "failed", message: "out of memory" });
});

test("another program, such as autoscaling, changes the number of replicas", async () => {
  const { call, path, simulator, id } = await startWithCluster(documented);
  simulator.change(id, { replicas: 5 });
  expect((await call(`GET ${path}`)).body).toMatchObject({ replicas: 5, status: "running" });
});
