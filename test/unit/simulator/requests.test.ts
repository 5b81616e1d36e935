import { type Dialect, dialects } from "../../../simulator";
import { type Bench, start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

const bad = "400 invalid_request";
const theirs = { name: "web", gpuModelId: "h100", replicaCount: 3, imageUrl: web.container, envVars: { A: "1" } };
const made = { gpuType: "h100", replicas: 3, container: web.container, env: { A: "1" } };

/** Status, code and message of a creation, and what came of it. */
async function created(dialect: Partial<Dialect>, body: unknown) {
  const bench = await start({ dialect });
  const reply = await bench.call("POST /v1/clusters", body);
  const { code = "", message = "" } = reply.body?.error ?? {};
  return { said: `${reply.status} ${code}`.trim(), message, bench, clusters: bench.simulator.clusters() };
}

test.each<[string, Partial<Dialect>, unknown, string, string]>([
  ["a list as the body", {}, [web], bad, "must be"],
  ["no JSON", {}, "{", bad, "JSON"],
  ["an unknown field", {}, { ...web, gpuType: "h100" }, bad, 'Unknown field "gpuType". Known here: name, gpu_type, '],
  ["no container", {}, { ...web, container: undefined }, bad, '"container"'],
  ["no replicas", {}, { ...web, replicas: 0 }, bad, '"replicas"'],
  ["a name that is no DNS label", {}, { ...web, name: "My Web" }, bad, '"name"'],
  ["env with a number", {}, { ...web, env: { A: 1 } }, bad, '"env.A"'],
  ["env null", {}, { ...web, env: null }, bad, '"env"'],
  ["an unknown GPU type", {}, { ...web, gpu_type: "x900" }, "400 invalid_gpu_type", "x900"],
  ["a GPU type that is out of stock", {}, { ...web, gpu_type: "rtx4090" }, "400 invalid_gpu_type", "rtx4090"],
  ["more replicas than there are GPUs", {}, { ...web, replicas: 999 }, "409 insufficient_capacity", "GPU"],
  ["the client's names", {}, theirs, bad, '"gpuModelId"'],
  ["names of the specification for the client's", { requestNames: "client" }, web, bad, '"gpu_type"'],
  [
    "a wrong value under the client's name",
    { requestNames: "client" },
    { ...theirs, replicaCount: 0 },
    bad,
    '"replicaCount"',
  ],
  ["an impossible port", {}, { ...web, container_port: 70_000 }, bad, '"container_port"'],
  ["an unknown field of an object", {}, { ...web, autoscaling: { minimum: 1 } }, bad, "an object of minReplicas"],
])("a creation with %s is refused, and makes nothing", async (_what, dialect, body, expected, reason) => {
  const { said, message, clusters } = await created(dialect, body);
  expect([said, clusters]).toEqual([expected, []]);
  expect(message).toContain(reason);
});

test.each<[string, Partial<Dialect>, object, object]>([
  ["names of the specification", {}, web, made],
  ["the client's names", { requestNames: "client" }, theirs, made],
  ["an unknown field that is ignored", { unknownFields: "ignored" }, { ...web, flavor: "mint" }, made],
  ["no env", {}, { ...web, env: undefined }, { env: {} }],
])("a creation with %s is understood", async (_what, dialect, body, expected) => {
  const { said, bench, clusters } = await created(dialect, body);
  expect(said).toBe("201");
  expect(clusters).toMatchObject([expected]);
  expect(bench.simulator.requests.at(-1)?.body).toEqual(JSON.parse(JSON.stringify(body)));
});

const extras = {
  ...{ gpus_per_replica: 2, resource_size: "large", tier: "verified", preferred_regions: ["eu-north"] },
  ...{ allow_fallback: true, container_port: 8000, health_check_enabled: true, health_check_path: "/ready" },
  ...{ health_check_port: 8001, disk_size_gb: 50, container_command: ["serve"], cloud_init_runcmd: ["date"] },
  registry_credential_id: "cred_1",
  autoscaling: { min_replicas: 1, max_replicas: 4, target_requests_per_replica: 10 },
};

test("every extra field is stored, shown in the style of the record, and kept by an update unless it replaces", async () => {
  for (const [updateSemantics, expected] of [
    ["merge", { tier: "verified", containerPort: 9000 }],
    ["merge-keys", { tier: "verified", containerPort: 9000 }],
    ["replace", { containerPort: 9000 }],
  ] as const) {
    const { bench, clusters } = await created({ updateSemantics }, { ...web, ...extras });
    const [id, path] = [clusters[0]?.id ?? "", `/v1/clusters/${clusters[0]?.id}`];
    expect((await bench.call(`GET ${path}`)).body).toMatchObject(extras);
    const autoscaling = { minReplicas: 1, maxReplicas: 4, targetRequestsPerReplica: 10 };
    expect(clusters).toMatchObject([{ gpusPerReplica: 2, extras: { containerPort: 8000, autoscaling } }]);
    await bench.call(`PATCH ${path}`, { replicas: 3, container: web.container, container_port: 9000 });
    const { gpusPerReplica: _gpus, ...kept } = bench.simulator.cluster(id)?.extras ?? {};
    expect(kept).toMatchObject(expected);
    expect("tier" in kept).toBe("tier" in expected);
  }
  const { bench, clusters } = await created(dialects.client, {
    name: "web",
    containerPort: 8000,
    healthCheckPath: "/ready",
    autoscaling: { minReplicas: 1 },
  });
  const shown = { containerPort: 8000, healthCheckPath: "/ready", autoscaling: { minReplicas: 1 } };
  expect((await bench.call(`GET /v1/clusters/${clusters[0]?.id}`)).body.data).toMatchObject(shown);
});

const digest = `sha256:${"0a".repeat(32)}`;

test("a container has a tag or a digest; a registry and folders are optional", async () => {
  const taken = [
    "nginx:1.27",
    "registry:5000/llm:1",
    "ghcr.io/team/sub/llm:1.0_rc-2",
    `team/llm@${digest}`,
    `nginx:1@${digest}`,
  ];
  const refused = [
    "nginx",
    "registry:5000/llm",
    "team/llm:",
    "/llm:v1",
    "team/llm:v1:v2",
    "https://team/llm:v1",
    "team/llm@sha256:abc",
  ];
  for (const container of taken) expect((await created({}, { ...web, container })).said).toBe("201");
  for (const container of refused) expect((await created({}, { ...web, container })).said).toBe(bad);
});

type Update = [dialect: Partial<Dialect>, body: unknown, said: string, env?: object];
const [put, keys, replace] = [
  { updateMethod: "PUT" },
  { updateSemantics: "merge-keys" },
  { updateSemantics: "replace" },
] as const;
const whole = { replicas: 3, container: web.container };

test.each<Update>([
  [{}, { env: { C: "3" } }, "200", { C: "3" }],
  [{}, { env: {} }, "200", {}],
  [{}, {}, "400 The update changes nothing"],
  [{}, { name: "other" }, '400 Unknown field "name"'],
  [{}, { env: { A: null } }, '400 The field "env.A" must be a string'],
  [keys, { env: { C: "3" } }, "200", { A: "1", C: "3" }],
  [keys, { env: { A: "2" } }, "200", { A: "2" }],
  [keys, { env: { A: null, X: null, C: "3" } }, "200", { C: "3" }],
  [keys, { env: { A: 1 } }, '400 The field "env.A" must be a string or null'],
  [keys, { env: null }, '400 The field "env" must be an object'],
  [replace, { ...whole, env: { C: "3" } }, "200", { C: "3" }],
  [replace, whole, "200", {}],
  [replace, { ...whole, name: "web", gpu_type: "h100" }, "200", {}],
  [replace, { replicas: 3 }, '400 The field "container" is missing'],
  [replace, { container: web.container }, '400 The field "replicas" is missing'],
  [replace, { ...whole, name: "other" }, "400 The name cannot be changed"],
])("in the dialect %j the update %j says %s, and env is %j", async (dialect, body, said, env = web.env) => {
  const { call, path, simulator, id } = await startWithCluster({ dialect });
  const reply = await call(`PATCH ${path}`, body);
  expect(`${reply.status} ${reply.body.error?.message ?? ""}`).toContain(said);
  expect(simulator.cluster(id)).toMatchObject({ replicas: 3 });
  expect(simulator.cluster(id)?.env).toEqual(env);
});

test.each<[Partial<Dialect>, string]>([
  [put, "GET, PUT, DELETE"],
  [{ updateMethod: "none" }, "GET, DELETE"],
])("with %j other methods are refused with 405, and the allowed ones are %s", async (dialect, allow) => {
  const { call, path } = await startWithCluster({ dialect });
  for (const method of ["PATCH", "POST"]) {
    const { status, body, headers } = await call(`${method} ${path}`, { replicas: 4 });
    expect([`${status} ${body.error.code}`, headers.get("allow")]).toEqual(["405 method_not_allowed", allow]);
    expect(body.error.message).toContain(allow);
  }
});

const jsonType = (charset: string) => ({ "content-type": `application/json; charset=${charset}` });
test.each<[string, string, unknown, Record<string, string>, string]>([
  ["a text", "POST /v1/clusters", web, { "content-type": "text/plain" }, "415"],
  ["no content type", "POST /v1/clusters", new Blob([JSON.stringify(web)]), {}, "415"],
  ["another character set", "POST /v1/clusters", web, jsonType("latin1"), "415"],
  ["UTF-8, said", "POST /v1/clusters", web, jsonType("utf-8"), "201"],
  ["a body of a stop", "POST :id/stop", {}, {}, bad],
  ["a body of a deletion", "DELETE :id", {}, {}, bad],
  ["a scale to nothing", "POST :id/scale", {}, {}, bad],
  ["a scale to no replicas", "POST :id/scale", { replicas: 0 }, {}, bad],
  ["another version", "GET /v2/clusters", undefined, {}, "404 not_found"],
  ["two slashes", "GET //health", undefined, {}, "404 not_found"],
  ["a method that no path has", "HEAD /health", undefined, {}, "405"],
  ["an unknown cluster", "POST /v1/clusters/cl_none/redeploy", undefined, {}, "404 cluster_not_found"],
])("%s: %s", async (_what, line, body, headers, said) => {
  const bench: Bench & { path: string } = await startWithCluster();
  const reply = await bench.call(line.replace(":id", bench.path), body, headers);
  expect(`${reply.status} ${reply.body?.error?.code ?? ""}`).toMatch(new RegExp(`^${said}`));
});

test.each<[Dialect["requestNames"], object, number]>([
  ["client", { replicaCount: 4 }, 200],
  ["client", { replicas: 4 }, 400],
])("with requestNames %s, a scale to %j is answered with %d", async (requestNames, body, status) => {
  const { call, simulator } = await start({ dialect: { requestNames } });
  const { id } = simulator.addCluster({ name: "web", gpuType: "h100" });
  expect((await call(`POST /v1/clusters/${id}/scale`, body)).status).toBe(status);
});
