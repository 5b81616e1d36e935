import type { Dialect } from "../../simulator";
import { dialects, startSimulator } from "../../simulator";
import { type Bench, start, stopAll, web } from "./harness";

afterEach(stopAll);

async function withCluster(dialect: string | Partial<Dialect>): Promise<Bench & { id: string; path: string }> {
  const bench = await start({ dialect });
  const { id } = (await bench.call("POST /v1/clusters", web)).body;
  bench.clock.advance(3000);
  return { ...bench, id, path: `/v1/clusters/${id}` };
}

test.each(Object.keys(dialects))("the create response has the specified fields in the dialect %s", async (dialect) => {
  const { call } = await start({ dialect });
  const { body } = await call("POST /v1/clusters", web);
  expect(Object.keys(body)).toEqual(["id", "name", "status", "gpu_type", "replicas", "endpoint", "created_at"]);
});

test("terse: bare list, no echo, empty answers to actions and deletion", async () => {
  const { call, path } = await withCluster("terse");
  expect((await call("GET /v1/clusters")).body).toHaveLength(1);
  expect((await call(`GET ${path}`)).body).not.toHaveProperty("env");
  expect((await call(`GET ${path}/status`)).body).toHaveLength(3);
  for (const line of [`POST ${path}/restart`, `POST ${path}/stop`, `POST ${path}/redeploy`]) {
    expect(await call(line)).toMatchObject({ status: 202, text: "" });
  }
  expect(await call(`DELETE ${path}`)).toMatchObject({ status: 204, text: "" });
});

test("terse: an update waits for a redeploy", async () => {
  const { call, path, simulator, id, clock } = await withCluster("terse");
  await call(`PATCH ${path}`, { env: { B: "2" } });
  expect(simulator.cluster(id)).toMatchObject({ status: "running", env: { B: "2" }, deployed: { env: { A: "1" } } });
  await call(`POST ${path}/redeploy`);
  clock.advance(3000);
  expect(simulator.cluster(id)).toMatchObject({ status: "running", deployed: { env: { B: "2" } } });
});

test("terse: a name is free again only when its cluster is gone", async () => {
  const { call, path, clock } = await withCluster("terse");
  expect((await call("POST /v1/clusters", web)).body.error).toMatchObject({ status: 409, code: "name_taken" });
  await call(`DELETE ${path}`);
  expect((await call("POST /v1/clusters", web)).status).toBe(409);
  clock.advance(300);
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
});

test("terse: env is required", async () => {
  const { call } = await start({ dialect: "terse" });
  expect((await call("POST /v1/clusters", { ...web, env: undefined })).body.error.message).toContain("env");
});

test("plain: two clusters may have one name", async () => {
  const { call } = await withCluster("plain");
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
});

test("wrapped records", async () => {
  const { call, path } = await withCluster({ recordShape: "wrapped" });
  for (const line of [`GET ${path}`, `POST ${path}/restart`, `DELETE ${path}`]) {
    expect((await call(line)).body.cluster.name).toBe("web");
  }
});

test("injected variables are echoed but not asked for", async () => {
  const { call, path, simulator, id } = await withCluster({ injectedEnv: { GPU_HOST: "x" } });
  expect((await call(`GET ${path}`)).body.env).toEqual({ A: "1", GPU_HOST: "x" });
  expect(simulator.cluster(id)?.env).toEqual({ A: "1" });
});

test.each(["PUT", "POST"] as const)("the update method can be %s", async (updateMethod) => {
  const { call, path } = await withCluster({ updateMethod });
  expect((await call(`${updateMethod} ${path}`, { replicas: 4 })).body.replicas).toBe(4);
  expect((await call(`PATCH ${path}`, { replicas: 5 })).status).toBe(405);
});

test("a replacing update needs every setting and resets env", async () => {
  const { call, path, simulator, id } = await withCluster({ updateMethod: "PUT", updateSemantics: "replace" });
  expect((await call(`PUT ${path}`, { replicas: 4 })).status).toBe(400);
  const { container, name } = web;
  expect((await call(`PUT ${path}`, { replicas: 4, container, name: "other" })).status).toBe(400);
  expect((await call(`PUT ${path}`, { replicas: 4, container, name })).status).toBe(200);
  expect(simulator.cluster(id)).toMatchObject({ replicas: 4, env: {}, status: "updating" });
});

test("a cluster may call itself running before its replicas are healthy", async () => {
  const { call, clock, simulator } = await start({ dialect: { runningWhen: "placed" } });
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(1000);
  expect(simulator.cluster(id)?.status).toBe("running");
  expect(simulator.cluster(id)?.replicaStates.at(-1)?.status).toBe("starting");
});

test("a stopped cluster may only start by a redeploy", async () => {
  const { call, path, simulator, id, clock } = await withCluster({ startedBy: "redeploy" });
  await call(`POST ${path}/stop`);
  clock.advance(300);
  expect((await call(`POST ${path}/restart`)).body.error.code).toBe("invalid_state");
  await call(`POST ${path}/redeploy`);
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("running");
});

test("the rate limit may answer 503", async () => {
  const { call } = await start({ rateLimit: 0, dialect: { rateLimitStatus: 503 } });
  expect((await call("GET /health")).body.error).toMatchObject({ status: 503, code: "rate_limited" });
});

test.each([
  ["milliseconds", "1893456060000"],
  ["seconds", "1893456060"],
  ["delta", "60"],
] as const)("the reset header in %s", async (rateResetUnit, expected) => {
  const { call } = await start({ dialect: { rateResetUnit } });
  expect((await call("GET /health")).headers.get("x-ratelimit-reset")).toBe(expected);
});

test("the descriptor may be elsewhere", async () => {
  const { call } = await start({ dialect: { descriptorPath: "/v1" } });
  expect((await call("GET /v1")).body.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await call("GET /")).status).toBe(404);
});

test("an unknown dialect is refused", async () => {
  await expect(startSimulator({ dialect: "klingon" })).rejects.toThrow("plain, terse");
});
