import { gpuModelId } from "../../../simulator";
import { type Bench, start, stopAll } from "./harness";

afterEach(stopAll);

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const h100 = gpuModelId("h100");
const image = "vllm/vllm-openai:v0.6.3";

const web = { name: "web", gpuModelId: h100, gpusPerReplica: 1, replicaCount: 2, imageUrl: image, envVars: { A: "1" } };

async function startWithWeb(): Promise<Bench & { id: string; path: string }> {
  const bench = await start({ dialect: "client" });
  const { id } = (await bench.call("POST /v1/clusters", web)).body.data;
  bench.clock.advance(3000);
  return { ...bench, id, path: `/v1/clusters/${id}` };
}

test("a creation answers five fields in an envelope, and ids are UUIDs", async () => {
  const { call } = await start({ dialect: "client" });
  expect((await call("POST /v1/clusters", web)).body).toEqual({
    data: {
      id: uuid,
      name: "web",
      status: "pending",
      endpointUrl: expect.stringMatching(/^https:\/\/web-/),
      createdAt: "2030-01-01T00:00:00.000Z",
    },
  });
});

test("the list shows the GPU model by id and by name, and how many replicas run", async () => {
  const { call, id } = await startWithWeb();
  expect((await call("GET /v1/clusters")).body).toEqual({
    data: [
      {
        id,
        name: "web",
        gpuModelId: h100,
        gpuModelName: "H100",
        gpuVram: 80,
        replicaCount: 2,
        runningReplicas: 2,
        activeReplicas: 2,
        tier: "community",
        status: "running",
        endpointUrl: expect.any(String),
        createdAt: "2030-01-01T00:00:00.000Z",
      },
    ],
  });
});

test("get shows the requested values, the defaults, and the replicas", async () => {
  const { call, path } = await startWithWeb();
  const { data } = (await call(`GET ${path}`)).body;
  expect(data).toMatchObject({
    gpuModel: { id: h100, name: "H100", manufacturer: "NVIDIA", vramGb: 80 },
    gpusPerReplica: 1,
    resourceSize: "small",
    tier: "community",
    containerPort: 80,
    healthCheckEnabled: false,
    diskSizeGb: 10,
    imageUrl: image,
    envVars: { A: "1" },
    updatedAt: "2030-01-01T00:00:00.000Z",
  });
  expect(data.replicas).toHaveLength(2);
  expect(data.replicas[0]).toMatchObject({
    id: uuid,
    gpuCount: 1,
    status: "running",
    healthy: true,
    consecutiveFailures: 0,
    node: { region: "eu-north" },
  });
});

test.each<[string, number, string]>([
  ["pending until a replica has a place", 100, "pending"],
  ["deploying until all replicas are healthy", 1500, "deploying"],
  ["running then", 3000, "running"],
])("a new cluster is %s", async (_title, ms, status) => {
  const { call, clock } = await start({ dialect: "client" });
  const { id } = (await call("POST /v1/clusters", web)).body.data;
  clock.advance(ms);
  expect((await call(`GET /v1/clusters/${id}`)).body.data.status).toBe(status);
});

test.each([
  ["an unhealthy replica makes it degraded", { sickReplica: { replica: 0, message: "no answer" } }, "degraded"],
  ["it is stopped", { status: "stopped" }, "stopped"],
  ["it is failed", { status: "failed" }, "failed"],
  ["it is terminated when it is gone", { status: "gone" }, "terminated"],
] as const)("a cluster says its state: %s", async (_title, changes, status) => {
  const { call, path, simulator, id } = await startWithWeb();
  simulator.change(id, changes);
  expect((await call(`GET ${path}`)).body.data.status).toBe(status);
});

test("an unhealthy replica still runs, and counts its failures", async () => {
  const { call, path, simulator, id } = await startWithWeb();
  simulator.change(id, { sickReplica: { replica: 1, message: "no answer" } });
  const { replicas } = (await call(`GET ${path}`)).body.data;
  expect(replicas[1]).toMatchObject({ status: "running", healthy: false });
  expect(replicas[1].consecutiveFailures).toBeGreaterThan(0);
});

test("a failed cluster says why, and others say nothing of the kind", async () => {
  const { call, path, simulator, id } = await startWithWeb();
  expect((await call(`GET ${path}`)).body.data).not.toHaveProperty("statusReason");
  simulator.change(id, { status: "failed", message: "out of memory" });
  expect((await call(`GET ${path}`)).body.data).toMatchObject({ statusReason: "out of memory" });
});

test("a terminated cluster stays readable, but is removed from the list and refuses changes", async () => {
  const { call, path, clock } = await startWithWeb();
  expect((await call(`DELETE ${path}`)).body.data).toMatchObject({ status: "terminated", imageUrl: image });
  clock.advance(86_400_000);
  expect((await call(`GET ${path}`)).body.data).toMatchObject({ status: "terminated", replicas: [] });
  expect((await call("GET /v1/clusters")).body).toEqual({ data: [] });
  expect((await call(`DELETE ${path}`)).status).toBe(404);
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
});

test.each<[string, unknown, object]>([
  ["scale", { replicaCount: 5 }, { replicaCount: 5, scaled: 3 }],
  ["scale", { replicaCount: 1 }, { replicaCount: 1, scaled: 1 }],
  ["redeploy", { imageUrl: "acme/model:2" }, { status: "deploying", imageUrl: "acme/model:2" }],
  ["redeploy", { cloudInitRuncmd: ["date"] }, { status: "deploying", imageUrl: image }],
  ["redeploy", {}, { status: "deploying", imageUrl: image }],
  ["redeploy", undefined, { status: "deploying", imageUrl: image }],
  ["stop", undefined, { status: "stopped", imageUrl: image }],
  ["restart", undefined, { status: "deploying", imageUrl: image }],
])("%s with the body %j answers %j", async (action, body, expected) => {
  const { call, path, id } = await startWithWeb();
  expect((await call(`POST ${path}/${action}`, body)).body).toEqual({ data: { id, ...expected } });
});

test("a redeploy keeps the environment, and replaces every replica", async () => {
  const { call, path, simulator, id, clock } = await startWithWeb();
  const before = simulator.cluster(id)?.replicaStates.map((replica) => replica.id);
  await call(`POST ${path}/redeploy`, { imageUrl: "acme/model:2", cloudInitRuncmd: ["date"] });
  clock.advance(3000);
  const after = simulator.cluster(id);
  expect(after).toMatchObject({ deployed: { container: "acme/model:2", env: { A: "1" } } });
  expect(after?.extras).toEqual({ gpusPerReplica: 1, cloudInitRuncmd: ["date"] });
  expect(after?.replicaStates.map((replica) => replica.id)).not.toEqual(before);
});

test.each([
  ["GET", "/status", 404],
  ["PATCH", "", 405],
  ["PUT", "", 405],
])("%s /v1/clusters/:id%s is no endpoint: %d", async (method, rest, status) => {
  const { call, path } = await startWithWeb();
  const body = method === "GET" ? undefined : { replicaCount: 3 };
  expect((await call(`${method} ${path}${rest}`, body)).status).toBe(status);
});

test.each(["/v1/gpus", "/v1/gpus/h100/availability", `/v1/gpus/${h100}/availability`])(
  "%s is not found",
  async (path) => {
    const { call } = await start({ dialect: "client" });
    const { status, body } = await call(`GET ${path}`);
    expect([status, body.error]).toEqual([404, expect.objectContaining({ type: "not_found_error" })]);
  },
);

test.each<[string, string, unknown, number, string]>([
  ["an unknown GPU model", "POST /v1/clusters", { ...web, gpuModelId: "h100" }, 400, "invalid_request_error"],
  ["a name that is taken", "POST /v1/clusters", web, 409, "invalid_request_error"],
  ["an unknown cluster", "GET /v1/clusters/x", undefined, 404, "not_found_error"],
])("%s is refused with a type", async (_title, line, body, status, type) => {
  const { call } = await startWithWeb();
  const reply = await call(line, body);
  expect(reply.status).toBe(status);
  expect(reply.body).toEqual({ error: { type, code: expect.any(String), message: expect.any(String) } });
});

test.each([
  ["no GPU model", { ...web, gpuModelId: undefined }],
  ["no number of GPUs", { ...web, gpusPerReplica: undefined }],
  ["the names of the specification, which are unknown", { name: "web", gpu_type: "h100", container: image }],
])("a creation with %s makes a cluster without a GPU", async (_title, body) => {
  const { call, simulator } = await start({ dialect: "client" });
  const { id } = (await call("POST /v1/clusters", body)).body.data;
  expect(simulator.cluster(id)?.gpusPerReplica).toBe(0);
  const models = (await call("GET /v1/gpus/models")).body.data;
  expect(models.find((model: { id: string }) => model.id === h100).availability.totalGpus).toBe(256);
});

test("a cluster holds as many GPUs as its replicas have together", async () => {
  const { call } = await start({ dialect: "client" });
  expect((await call("POST /v1/clusters", { ...web, gpusPerReplica: 4, replicaCount: 65 })).status).toBe(409);
  expect((await call("POST /v1/clusters", { ...web, gpusPerReplica: 4, replicaCount: 60 })).status).toBe(201);
  expect((await call("POST /v1/clusters", { ...web, name: "more", replicaCount: 17 })).status).toBe(409);
});
