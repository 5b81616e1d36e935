import type { Client } from "../../provider/api/client";
import type { endpoints } from "../../provider/api/endpoints";
import { contract, web } from "./harness";

/** A call; its request line and body by the specification (`:id` is the cluster's); and what is read of the answer. */
type Row = [(client: Client, id: string) => Promise<unknown>, line: string, body: unknown, expected: unknown];

const record = (more: object = {}) =>
  expect.objectContaining({ name: "web", gpuType: "h100", replicas: 2, createdAt: expect.any(String), ...more });
const changes = { replicas: 3, container: "example/server:2.0", env: { fooBar: "2" } };
const model = { type: "h100", name: "NVIDIA H100", memoryGb: 80 };
const price = { pricePerHour: 2.99, currency: "USD" };
/** The cluster uses two of the 256. */
const stock = { available: true, availableCount: 254 };
const among = (facts: object) => ({
  gpus: expect.arrayContaining([{ ...facts, raw: expect.any(Object) }]),
  certain: true,
});
const { gpuType, ...same } = web;
const replica = { id: expect.any(String), status: "healthy", healthy: true };
const none = undefined;

const rows: Record<keyof typeof endpoints, Row> = {
  createCluster: [
    (client) => client.createCluster({ ...web, name: "web-2" }),
    "POST /v1/clusters",
    { ...same, gpu_type: gpuType, name: "web-2" },
    record({ id: expect.stringMatching(/^cl_/), name: "web-2", status: "provisioning" }),
  ],
  listClusters: [(client) => client.listClusters(), "GET /v1/clusters", none, { clusters: [record()], complete: true }],
  getCluster: [
    (client, id) => client.getCluster(id),
    "GET /v1/clusters/:id",
    none,
    record({ container: web.container, env: web.env }),
  ],
  updateCluster: [
    (client, id) => client.updateCluster(id, () => changes),
    "PATCH /v1/clusters/:id",
    changes,
    record({ replicas: 3 }),
  ],
  deleteCluster: [
    (client, id) => client.deleteCluster(id),
    "DELETE /v1/clusters/:id",
    none,
    record({ status: "terminating" }),
  ],
  stopCluster: [
    (client, id) => client.stopCluster(id),
    "POST /v1/clusters/:id/stop",
    none,
    record({ status: "stopping" }),
  ],
  restartCluster: [
    (client, id) => client.restartCluster(id),
    "POST /v1/clusters/:id/restart",
    none,
    record({ status: "restarting" }),
  ],
  redeployCluster: [
    (client, id) => client.redeployCluster(id),
    "POST /v1/clusters/:id/redeploy",
    none,
    record({ status: "deploying" }),
  ],
  scaleCluster: [
    (client, id) => client.scaleCluster(id, 4),
    "POST /v1/clusters/:id/scale",
    { replicas: 4 },
    record({ replicas: 4 }),
  ],
  getClusterStatus: [
    (client, id) => client.getClusterStatus(id),
    "GET /v1/clusters/:id/status",
    none,
    { status: "running", replicas: [replica, replica] },
  ],
  listGpuTypes: [(client) => client.listGpuTypes(), "GET /v1/gpus", none, among({ ...model, ...price, ...stock })],
  getGpuTypeAvailability: [
    (client) => client.getGpuTypeAvailability("h100"),
    "GET /v1/gpus/h100/availability",
    none,
    { type: "h100", ...stock, raw: expect.any(Object) },
  ],
  listGpuModels: [(client) => client.listGpuModels(), "GET /v1/gpus/models", none, among(model)],
  listGpuAvailability: [
    (client) => client.listGpuAvailability(),
    "GET /v1/gpus/availability",
    none,
    among({ type: "h100", ...stock }),
  ],
  listGpuPricing: [
    (client) => client.listGpuPricing(),
    "GET /v1/gpus/pricing",
    none,
    among({ type: "h100", ...price }),
  ],
  getHealth: [
    (client) => client.getHealth(),
    "GET /health",
    none,
    { healthy: true, status: "ok", raw: { status: "ok" } },
  ],
  getServiceInfo: [
    (client) => client.getServiceInfo(),
    "GET /",
    none,
    expect.objectContaining({ name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }),
  ],
};

test.each(Object.entries(rows))("%s sends and reads what the specification says", async (_name, row) => {
  const [call, line, body, expected] = row;
  const { client, clock, last } = await contract();
  const { id } = await client.createCluster(web);
  await clock.advance(1_000);
  expect(await call(client, id)).toEqual(expected);
  const sent = last();
  expect([`${sent?.method} ${sent?.path}`, sent?.body]).toEqual([line.replace(":id", id), body]);
  expect(sent?.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
  expect(sent?.headers).toMatchObject({ accept: "application/json", "user-agent": "contract/1" });
});
