import { type Bench, start, stopAll, web } from "./harness";

let bench: Bench;
beforeAll(async () => {
  bench = await start({ rateLimit: 1000 });
});
afterAll(stopAll);

const { env: _env, ...withoutEnv } = web;
const { container: _container, ...withoutContainer } = web;

test.each<[string, unknown, number, string]>([
  ["a list as the body", [web], 400, "invalid_request"],
  ["no JSON", "{", 400, "invalid_request"],
  ["an unknown field", { ...web, gpuType: "h100" }, 400, "invalid_request"],
  ["a missing field", withoutContainer, 400, "invalid_request"],
  ["replicas as text", { ...web, replicas: "3" }, 400, "invalid_request"],
  ["no replicas", { ...web, replicas: 0 }, 400, "invalid_request"],
  ["half a replica", { ...web, replicas: 1.5 }, 400, "invalid_request"],
  ["a name that is no DNS label", { ...web, name: "My Web" }, 400, "invalid_request"],
  ["a container without a tag", { ...web, container: "a/b" }, 400, "invalid_request"],
  ["env with a number", { ...web, env: { A: 1 } }, 400, "invalid_request"],
  ["env null", { ...web, env: null }, 400, "invalid_request"],
  ["an unknown GPU type", { ...web, gpu_type: "x900" }, 400, "invalid_gpu_type"],
  ["a GPU type that is out of stock", { ...web, gpu_type: "rtx4090" }, 400, "invalid_gpu_type"],
  ["more replicas than there are GPUs", { ...web, replicas: 999 }, 409, "insufficient_capacity"],
  ["more than 1 MiB", { ...web, env: { A: "x".repeat(1024 * 1024) } }, 413, "body_too_large"],
])("a creation with %s is refused", async (_what, body, status, code) => {
  const reply = await bench.call("POST /v1/clusters", body);
  expect(reply.body).toEqual({ error: { code, message: expect.any(String), status } });
  expect(reply.status).toBe(status);
  expect(bench.simulator.clusters()).toEqual([]);
});

test("the refusal of a GPU type names it", async () => {
  const { body } = await bench.call("POST /v1/clusters", { ...web, gpu_type: "x900" });
  expect(body.error.message).toContain("x900");
});

test("a body without a fitting content type is refused", async () => {
  for (const type of ["text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded"]) {
    const { status } = await bench.call("POST /v1/clusters", web, { "content-type": type });
    expect(status).toBe(415);
  }
  const url = `${bench.simulator.url}/v1/clusters`;
  const body = new Blob([JSON.stringify(web)]);
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${bench.simulator.apiKey}` },
  });
  expect(response.status).toBe(415);
});

test("a content type with the charset UTF-8 is taken", async () => {
  const reply = await bench.call(
    "POST /v1/clusters",
    { ...web, replicas: 0 },
    { "content-type": "application/json; charset=utf-8" },
  );
  expect(reply.status).toBe(400);
});

test("a body that the request does not take is refused", async () => {
  const { id } = bench.simulator.addCluster({ name: "taken", gpuType: "l4" });
  expect((await bench.call(`POST /v1/clusters/${id}/stop`, {})).body.error.code).toBe("invalid_request");
  expect((await bench.call(`DELETE /v1/clusters/${id}`, {})).body.error.code).toBe("invalid_request");
  expect(bench.simulator.cluster(id)?.status).toBe("running");
});

test("a scale or update with a wrong body is refused", async () => {
  const { id } = bench.simulator.addCluster({ name: "strict", gpuType: "l4" });
  for (const body of [{}, { replicas: 0 }, { replicas: 2, force: true }, undefined]) {
    expect((await bench.call(`POST /v1/clusters/${id}/scale`, body)).status).toBe(400);
  }
  for (const body of [{}, { name: "other" }, { gpu_type: "h100" }, { env: { A: null } }]) {
    expect((await bench.call(`PATCH /v1/clusters/${id}`, body)).status).toBe(400);
  }
});

test("a query is refused", async () => {
  expect((await bench.call("GET /v1/clusters?limit=5")).body.error.code).toBe("invalid_request");
});

test("an unknown path is not found, also one with a slash too many", async () => {
  for (const path of ["/v2/clusters", "/v1/clusters/", "/v1", "//health"]) {
    const { status, body } = await bench.call(`GET ${path}`);
    expect([status, body.error.code]).toEqual([404, "not_found"]);
  }
});

test("a method that a path does not support is refused with the supported ones", async () => {
  const { status, body, headers } = await bench.call("PUT /v1/clusters/cl_1");
  expect([status, body.error.code]).toEqual([405, "method_not_allowed"]);
  expect(headers.get("allow")).toBe("GET, PATCH, DELETE");
  expect((await bench.call("HEAD /health")).status).toBe(405);
});

test("health and descriptor answer", async () => {
  expect((await bench.call("GET /health")).body).toEqual({ status: "ok" });
  const { body } = await bench.call("GET /");
  expect(Object.keys(body)).toEqual(["name", "version", "documentation", "endpoints"]);
  expect(Object.keys(body.endpoints)).toEqual(["health", "gpus", "clusters"]);
});

const digest = `sha256:${"0a".repeat(32)}`;

test.each([
  "vllm/vllm-openai:v0.6.3",
  "nginx:1.27",
  "registry:5000/llm:1",
  "ghcr.io/team/sub/llm:1.0_rc-2",
  `team/llm@${digest}`,
  `nginx@${digest}`,
  `team/llm:v1@${digest}`,
  `localhost:5000/llm:v1@${digest}`,
])("the container %s is taken", async (container) => {
  const { status, body } = await bench.call("POST /v1/clusters", { ...web, gpu_type: "l4", replicas: 1, container });
  expect(status).toBe(201);
  expect(bench.simulator.cluster(body.id)?.container).toBe(container);
  await bench.call(`DELETE /v1/clusters/${body.id}`);
});

test.each([
  "",
  "nginx",
  "team/llm",
  "registry:5000/llm",
  "team/llm:",
  ":v1",
  "/llm:v1",
  "team//llm:v1",
  "team/llm:v1:v2",
  "team/llm: v1",
  "team/llm:v1/x",
  "https://team/llm:v1",
  "team/llm@sha256:abc",
  "team/llm@latest",
  `team/llm@${digest}:v1`,
])("the container %j is refused", async (container) => {
  const { status, body } = await bench.call("POST /v1/clusters", { ...web, container });
  expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  expect(body.error.message).toContain('"container"');
});

test("env may be left out", async () => {
  const { status, body } = await bench.call("POST /v1/clusters", { ...withoutEnv, name: "no-env" });
  expect(status).toBe(201);
  expect(bench.simulator.cluster(body.id)?.env).toEqual({});
});
