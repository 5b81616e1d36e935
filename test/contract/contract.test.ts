import { Client } from "../../provider/api/client";
import type { endpoints } from "../../provider/api/endpoints";
import { Transport } from "../../provider/api/http/transport";
import { isNotFound } from "../../provider/base/errors";
import { Secret } from "../../provider/config/settings";
import { dialects, type SimulatorOptions } from "../../simulator";
import { closeSimulators, openSimulator } from "../support/simulators";
import { sources } from "../support/sources";
import { VirtualClock } from "../support/virtualClock";

afterEach(closeSimulators);

/** The real client and a simulator, in the same virtual time. */
async function open(options: SimulatorOptions = {}) {
  const clock = new VirtualClock(Date.now());
  const simulator = await openSimulator({ clock, provisioningMs: 1_000, ...options });
  const { url: baseUrl, apiKey } = simulator;
  const timing = { clock, random: () => 0.5 };
  const transport = new Transport({ baseUrl, apiKey: new Secret(apiKey), userAgent: "contract/1", sources, ...timing });
  return { simulator, clock, client: new Client({ send: (request) => clock.run(transport.send(request)) }) };
}

/** The body of a creation. */
const web = {
  name: "web",
  gpuType: "h100",
  replicas: 2,
  container: "example/server:1.0",
  env: { HTTP_PROXY: "http://p", fooBar: "1" },
};

/** A call, its request line (`:id` is the cluster's), what is read of the answer, and its body as specified. */
type Row = [(api: Client, id: string) => Promise<unknown>, line: string, expected: unknown, body?: unknown];

const path = "/v1/clusters/:id";
const record = (fields: object = {}) =>
  expect.objectContaining({ name: "web", gpuType: "h100", replicas: 2, createdAt: expect.any(String), ...fields });
const created = { id: expect.stringMatching(/^cl_/), name: "web-2", status: "provisioning" };
const changes = { replicas: 3, container: "example/server:2.0", env: { fooBar: "2" } };
const model = { type: "h100", name: "NVIDIA H100", memoryGb: 80 };
const price = { pricePerHour: 2.99, currency: "USD" };
/** The cluster uses two of the 256. */
const stock = { available: true, availableCount: 254 };
const raw = expect.any(Object);
const listWith = (gpu: object) => ({ gpus: expect.arrayContaining([{ ...gpu, raw }]), extent: "whole" });
const { gpuType, ...others } = web;
const replica = { id: expect.any(String), status: "healthy", healthy: true };
const status = { status: "running", replicas: [replica, replica] };
const availability = { type: "h100", ...stock };
const info = { name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+$/) };

const rows: Record<keyof typeof endpoints, Row> = {
  createCluster: [
    (api) => api.createCluster({ ...web, name: "web-2" }),
    "POST /v1/clusters",
    record(created),
    { ...others, gpu_type: gpuType, name: "web-2" },
  ],
  listClusters: [(api) => api.listClusters(), "GET /v1/clusters", { clusters: [record()], extent: "unproven" }],
  getCluster: [(api, id) => api.getCluster(id), `GET ${path}`, record({ container: web.container, env: web.env })],
  updateCluster: [(api, id) => api.updateCluster(id, () => changes), `PATCH ${path}`, record({ replicas: 3 }), changes],
  deleteCluster: [(api, id) => api.deleteCluster(id), `DELETE ${path}`, record({ status: "terminating" })],
  stopCluster: [(api, id) => api.stopCluster(id), `POST ${path}/stop`, record({ status: "stopping" })],
  restartCluster: [(api, id) => api.restartCluster(id), `POST ${path}/restart`, record({ status: "restarting" })],
  redeployCluster: [(api, id) => api.redeployCluster(id), `POST ${path}/redeploy`, record({ status: "deploying" })],
  scaleCluster: [(api, id) => api.scaleCluster(id, 4), `POST ${path}/scale`, record({ replicas: 4 }), { replicas: 4 }],
  getClusterStatus: [(api, id) => api.getClusterStatus(id), `GET ${path}/status`, status],
  listGpuTypes: [(api) => api.listGpuTypes(), "GET /v1/gpus", listWith({ ...model, ...price, ...stock })],
  getGpuTypeAvailability: [
    (api) => api.getGpuTypeAvailability("h100"),
    "GET /v1/gpus/h100/availability",
    { ...availability, raw },
  ],
  listGpuModels: [(api) => api.listGpuModels(), "GET /v1/gpus/models", listWith(model)],
  listGpuAvailability: [(api) => api.listGpuAvailability(), "GET /v1/gpus/availability", listWith(availability)],
  listGpuPricing: [(api) => api.listGpuPricing(), "GET /v1/gpus/pricing", listWith({ type: "h100", ...price })],
  getHealth: [(api) => api.getHealth(), "GET /health", { healthy: true, status: "ok", raw: { status: "ok" } }],
  getServiceInfo: [(api) => api.getServiceInfo(), "GET /", expect.objectContaining(info)],
};

test.each(Object.entries(rows))("the client sends and reads what is specified: %s", async (_name, row) => {
  const [call, line, expected, body] = row;
  const { client, clock, simulator } = await open();
  const { id } = await client.createCluster(web);
  await clock.advance(1_000);
  expect(await call(client, id)).toEqual(expected);
  const sent = simulator.requests.at(-1);
  expect([`${sent?.method} ${sent?.path}`, sent?.body]).toEqual([line.replace(":id", id), body]);
  expect(sent?.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
  expect(sent?.headers).toMatchObject({ accept: "application/json", "user-agent": "contract/1" });
});

/** Services with the client's names have other tests. */
const names = Object.keys(dialects).filter((name) => name !== "client");

test.each(names)("a 404 for an unknown cluster means not found: %s", async (dialect) => {
  const { client } = await open({ dialect });
  const update = { replicas: 2, container: web.container, env: {} };
  for (const call of [
    () => client.getCluster("cl_none"),
    () => client.getClusterStatus("cl_none"),
    () => client.deleteCluster("cl_none"),
    () => client.stopCluster("cl_none"),
    () => client.restartCluster("cl_none"),
    () => client.redeployCluster("cl_none"),
    () => client.scaleCluster("cl_none", 2),
    // Its code may be that of a missing method.
    () => client.updateCluster("cl_none", () => update),
  ])
    expect(isNotFound(await call().catch((error: unknown) => error))).toBe(true);
});
