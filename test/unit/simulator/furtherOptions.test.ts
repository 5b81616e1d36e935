import { type Dialect, publishedDialects } from "../../../simulator";
import { start, startWithCluster, stopAll } from "./harness";

afterEach(stopAll);

const { client } = publishedDialects;

const endpointsOf = async (dialect: Partial<Dialect>) => {
  const { call } = await start({ dialect });
  return { call, ...(await call("GET /")).body.endpoints };
};

test.each<[string, Partial<Dialect>]>([
  ["plain", {}],
  ["client", client],
])("the descriptor of %s names the existing endpoints", async (_name, dialect) => {
  const { clusters, gpus, health } = await endpointsOf(dialect);
  expect(Object.keys(gpus)).toEqual(["models", "availability", "pricing"]);
  expect(Object.keys(clusters)).toEqual(["list", "get", "create", "terminate", "stop", "restart", "scale", "redeploy"]);
  expect([health, clusters.scale]).toEqual(["GET /health", "POST /v1/clusters/:id/scale"]);
});

test.each<[string, Partial<Dialect>, string]>([
  ["plain", {}, "PUT /v1/clusters/:id"],
  ["a service with PUT", { updateMethod: "PUT" }, "PATCH /v1/clusters/:id"],
  ["client", client, "PUT /v1/clusters/:id"],
])("a lying descriptor of %s names an update that does not exist, and omits scale", async (_n, on, line) => {
  const { clusters, call } = await endpointsOf({ ...on, descriptor: "lying" });
  expect(clusters).toMatchObject({ update: line, status: "GET /v1/clusters/:id/status" });
  expect(clusters).not.toHaveProperty("scale");
  expect((await call(line.replace(":id", "x"), {})).status).toBe(405);
  expect((await call("POST /v1/clusters/x/scale", {})).body.error.code).toBe("cluster_not_found");
});

test("a descriptor of the client that lies names a status that is not found", async () => {
  const { call, simulator } = await start({ dialect: { ...client, descriptor: "lying" } });
  const { id } = simulator.addCluster({ name: "web", gpuType: "h100" });
  expect((await call(`GET /v1/clusters/${id}`)).status).toBe(200);
  expect((await call(`GET /v1/clusters/${id}/status`)).status).toBe(404);
});

test.each<[string, Partial<Dialect>]>([
  ["plain", {}],
  ["client", client],
])("the descriptor of %s may be absent", async (_name, dialect) => {
  const { call } = await start({ dialect: { ...dialect, descriptor: "absent" } });
  expect((await call("GET /")).status).toBe(404);
  expect((await call("GET /health")).status).toBe(200);
});

test("a list of items has a next cursor on each page but the last", async () => {
  const { call, simulator } = await start({ dialect: { listShape: "items", paged: true, paging: "next-cursor" } });
  for (const name of ["a", "b", "c"]) simulator.addCluster({ name, gpuType: "h100" });
  const first = (await call("GET /v1/clusters")).body;
  expect(first).toEqual({ items: [expect.anything(), expect.anything()], nextCursor: expect.any(String) });
  const second = (await call(`GET /v1/clusters?cursor=${encodeURIComponent(first.nextCursor)}`)).body;
  expect(second).toEqual({ items: [expect.objectContaining({ name: "c" })] });
});

test("an error may have a type without a code", async () => {
  const { call } = await start({ dialect: { ...client, errorShape: "typed-no-code" } });
  const { body } = await call("GET /v1/clusters/x");
  expect(body).toEqual({ error: { type: "not_found_error", message: 'There is no cluster "x".' } });
});

test.each([
  [401, "authentication_error"],
  [403, "permission_error"],
  [410, "not_found_error"],
  [422, "invalid_request_error"],
  [429, "rate_limit_error"],
  [503, "server_error"],
])("an error of status %d has the type %s", async (status, type) => {
  const { call } = await start({ dialect: { errorShape: "typed" }, faults: [{ kind: "status", status }] });
  expect((await call("GET /health")).body.error.type).toBe(type);
});

test("a restart of a running cluster may be refused, one of a stopped cluster is not", async () => {
  const { call, path, clock } = await startWithCluster({ dialect: { restartOf: "stopped" } });
  expect((await call(`POST ${path}/restart`)).body.error).toMatchObject({ status: 409, code: "invalid_state" });
  await call(`POST ${path}/stop`);
  clock.advance(300);
  expect((await call(`POST ${path}/restart`)).status).toBe(200);
});

test.each([
  [true, true],
  [false, false],
])("a replica may say healthy only if its cluster has a health check (%p)", async (healthCheckEnabled, healthy) => {
  const { call, simulator } = await start({ dialect: { ...client, uncheckedHealth: "false" } });
  const { id } = simulator.addCluster({ name: "web", gpuType: "h100", extras: { healthCheckEnabled } });
  const { status, replicas } = (await call(`GET /v1/clusters/${id}`)).body.data;
  expect([status, replicas[0].status, replicas[0].healthy]).toEqual(["running", "running", healthy]);
});
