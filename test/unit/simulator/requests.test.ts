import type { Dialect } from "../../../simulator";
import { type Fixture, start, startWithCluster, web } from "./harness";

const bad = "400 invalid_request";
const clientBody = { name: "web", gpuModelId: "h100", replicaCount: 3, imageUrl: web.container, envVars: { A: "1" } };
const expectedFields = { gpuType: "h100", replicas: 3, container: web.container, env: { A: "1" } };

/** Status, code and message of a creation, and the clusters after it. */
async function created(dialect: Partial<Dialect>, body: unknown) {
  const fixture = await start({ dialect });
  const reply = await fixture.call("POST /v1/clusters", body);
  const { code = "", message = "" } = reply.body?.error ?? {};
  return { result: `${reply.status} ${code}`.trim(), message, fixture, clusters: fixture.simulator.clusters() };
}

const clientNames = { requestNames: "client" } as const;
const noReplicas = { ...clientBody, replicaCount: 0 };
test.each<[string, Partial<Dialect>, unknown, string, string]>([
  ["no JSON", {}, "{", bad, "JSON"],
  ["an unknown field", {}, { ...web, gpuType: "h100" }, bad, 'Unknown field "gpuType". Known here: name, gpu_type, '],
  ["no container", {}, { ...web, container: undefined }, bad, '"container"'],
  ["a name that is no DNS label", {}, { ...web, name: "My Web" }, bad, '"name"'],
  ["env with a number", {}, { ...web, env: { A: 1 } }, bad, '"env.A"'],
  ["an unknown GPU type", {}, { ...web, gpu_type: "x900" }, "400 invalid_gpu_type", "x900"],
  ["a GPU type that is out of stock", {}, { ...web, gpu_type: "rtx4090" }, "400 invalid_gpu_type", "rtx4090"],
  ["more replicas than there are GPUs", {}, { ...web, replicas: 999 }, "409 insufficient_capacity", "GPU"],
  ["names of the specification for the client's", clientNames, web, bad, '"gpu_type"'],
  ["a wrong value under the client's name", clientNames, noReplicas, bad, '"replicaCount"'],
  ["half a GPU", {}, { ...web, gpus_per_replica: 0.5 }, bad, '"gpus_per_replica"'],
])("an invalid creation is refused and makes nothing: %s", async (_what, dialect, body, expected, reason) => {
  const { result, message, clusters } = await created(dialect, body);
  expect([result, clusters]).toEqual([expected, []]);
  expect(message).toContain(reason);
});

test.each<[string, Partial<Dialect>, object, object]>([
  ["the client's names", clientNames, clientBody, expectedFields],
  ["an unknown field that is ignored", { unknownFields: "ignored" }, { ...web, flavor: "mint" }, expectedFields],
  ["no env", {}, { ...web, env: undefined }, { env: {} }],
])("a creation is accepted: %s", async (_what, dialect, body, expected) => {
  const { result, fixture, clusters } = await created(dialect, body);
  expect(result).toBe("201");
  expect(clusters).toMatchObject([expected]);
  expect(fixture.simulator.requests.at(-1)?.body).toEqual(JSON.parse(JSON.stringify(body)));
});

test("extra fields are stored, shown in the style of the record, and kept by an update unless it replaces", async () => {
  const autoscaling = { min_replicas: 1, max_replicas: 4 };
  const extras = { gpus_per_replica: 2, tier: "verified", container_port: 8000, autoscaling };
  for (const [updateSemantics, expected] of [
    ["merge", { tier: "verified", containerPort: 9000 }],
    ["merge-keys", { tier: "verified", containerPort: 9000 }],
    ["replace", { containerPort: 9000 }],
  ] as const) {
    const { fixture, clusters } = await created({ updateSemantics }, { ...web, ...extras });
    const [id, path] = [clusters[0]?.id ?? "", `/v1/clusters/${clusters[0]?.id}`];
    expect((await fixture.call(`GET ${path}`)).body).toMatchObject(extras);
    await fixture.call(`PATCH ${path}`, { replicas: 3, container: web.container, container_port: 9000 });
    const { gpusPerReplica: _gpus, autoscaling: _scaling, ...kept } = fixture.simulator.cluster(id)?.extras ?? {};
    expect([kept, fixture.simulator.cluster(id)?.gpusPerReplica]).toEqual([expected, 2]);
  }
});

test("a container has a tag or a digest; a registry and folders are optional", async () => {
  const taken = ["nginx:1.27", "registry:5000/team/llm:1.0_rc-2", `team/llm@sha256:${"0a".repeat(32)}`];
  const refused = ["nginx", "registry:5000/llm", "team/llm:v1:v2", "https://team/llm:v1", "team/llm@sha256:abc"];
  for (const container of taken) expect((await created({}, { ...web, container })).result).toBe("201");
  for (const container of refused) expect((await created({}, { ...web, container })).result).toBe(bad);
});

type Update = [dialect: Partial<Dialect>, body: unknown, result: string, env?: object];
const [keys, replace] = [{ updateSemantics: "merge-keys" }, { updateSemantics: "replace" }] as const;
const whole = { replicas: 3, container: web.container };

test.each<Update>([
  [{}, { env: { C: "3" } }, "200", { C: "3" }],
  [{}, {}, "400 The update changes nothing"],
  [{}, { name: "other" }, '400 Unknown field "name"'],
  [{}, { env: { A: null } }, '400 The field "env.A" must be a string'],
  [keys, { env: { A: null, X: null, C: "3" } }, "200", { C: "3" }],
  [keys, { env: { C: "3" } }, "200", { A: "1", C: "3" }],
  [replace, { ...whole, env: { C: "3" } }, "200", { C: "3" }],
  [replace, whole, "200", {}],
  [replace, { replicas: 3 }, '400 The field "container" is missing'],
])("an update changes env or is refused: %j %j: %s, %j", async (dialect, body, result, env = web.env) => {
  const { call, path, simulator, id } = await startWithCluster({ dialect });
  const reply = await call(`PATCH ${path}`, body);
  expect(`${reply.status} ${reply.body.error?.message ?? ""}`).toContain(result);
  expect(simulator.cluster(id)?.env).toEqual(env);
});

test.each<[Partial<Dialect>, string]>([
  [{ updateMethod: "PUT" }, "GET, PUT, DELETE"],
  [{ updateMethod: "none" }, "GET, DELETE"],
])("a method that the dialect lacks is refused with 405: %j allows %s", async (dialect, allow) => {
  const { call, path } = await startWithCluster({ dialect });
  const { status, body, headers } = await call(`PATCH ${path}`, { replicas: 4 });
  expect([`${status} ${body.error.code}`, headers.get("allow")]).toEqual(["405 method_not_allowed", allow]);
});

test.each<[string, string, unknown, Record<string, string>, string]>([
  ["a text/plain body", "POST /v1/clusters", web, { "content-type": "text/plain" }, "415"],
  ["no content type", "POST /v1/clusters", new Blob([JSON.stringify(web)]), {}, "415"],
  ["a body of a stop", "POST :id/stop", {}, {}, bad],
  ["a scale to no replicas", "POST :id/scale", { replicas: 0 }, {}, bad],
  ["two slashes", "GET //health", undefined, {}, "404 not_found"],
  ["an unknown cluster", "POST /v1/clusters/cl_none/redeploy", undefined, {}, "404 cluster_not_found"],
])("an invalid request is refused: %s (%s)", async (_what, line, body, headers, result) => {
  const fixture: Fixture & { path: string } = await startWithCluster();
  const reply = await fixture.call(line.replace(":id", fixture.path), body, headers);
  expect(`${reply.status} ${reply.body?.error?.code ?? ""}`).toMatch(new RegExp(`^${result}`));
});
