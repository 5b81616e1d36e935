import { readClusterIfAny, readCreated, readDetail } from "../../../../provider/api/read/clusterRecord";
import { cleanJson } from "../../../../provider/base/text";
import { one } from "./listHarness";

const full = {
  id: "cl_1",
  name: "web",
  status: "running",
  gpu_type: "h100",
  replicas: 3,
  endpoint: "https://web-1.example.com",
  created_at: "2030-01-01T00:00:00Z",
  container: "example/server:1",
  env: { A: "1", fooBar: "2" },
};
const { gpu_type: gpuType, created_at: createdAt, ...same } = full;
const read = { ...same, gpuType, gpuIdentifiers: [gpuType], createdAt };
const { id: _id, ...nameless } = full;

/** The record of a list of one; undefined if it is none. */
async function listed(json: unknown) {
  return (await one([json]).catch(() => undefined))?.clusters[0];
}

/** One cluster that was asked for by its id, without the fields of the answer. */
function detail(json: unknown) {
  const { fields: _fields, ...record } = readDetail("cl_1")(json);
  return record;
}

test.each<[string, unknown]>([
  ["with fields that nobody knows", { ...full, region: "eu", tags: ["x"], owner: { id: "cl_9" } }],
  ["without its id", nameless],
  ["with its fields in groups", { id: "cl_1", attributes: { ...nameless, env: null }, config: { env: full.env } }],
  ["with values in objects", { ...full, status: { state: "running" }, gpu_type: { id: "h100" } }],
])("one cluster is read %s", (_what, json) => {
  expect(detail(json)).toEqual(read);
  expect(readClusterIfAny("cl_1")(json)).toEqual(read);
});

test.each<[string, unknown]>([
  ["another cluster", { ...full, id: "cl_2" }],
  ["an operation", { id: "op_1", status: "accepted" }],
  ["an error", { error: { id: "cl_1", code: "internal", message: "x", status: 500 } }],
  ["a record under a name that is not known", { request_id: "r-1", my_thing: full }],
  ["a list of one", [full]],
])("%s is never read as the cluster", (_what, json) => {
  expect(() => readDetail("cl_1")(json)).toThrow("is not the record of this cluster");
  expect(readClusterIfAny("cl_1")(json)).toBeUndefined();
});

test("the fields of a cluster are its own and those of its groups, also null, and never env", () => {
  const json = { id: "cl_1", config: { tier: "a", size: 1, env: full.env }, size: null, envVars: full.env };
  expect(Object.fromEntries(readDetail("cl_1")(json).fields ?? [])).toEqual({
    id: "cl_1",
    config: json.config,
    tier: "a",
    size: null,
  });
});

test.each<[string, unknown, string]>([
  ["in the documented form", { id: "cl_1" }, "cl_1"],
  ["of another form, with something of a cluster", { id: 7, gpu_type: "h100" }, "7"],
])("a creation gives the id %s", (_what, json, id) => {
  expect(readCreated(json).id).toBe(id);
});

test.each<[string, unknown]>([
  ["of an operation", { id: "op_1" }],
  ["in an error", { error: { id: "cl_1" } }],
  ["that is null", { ...full, id: null }],
  ["that leads elsewhere", { ...full, id: "cl_1/../../admin" }],
  ["that is too long", { ...full, id: "x".repeat(129) }],
])("a creation that gives an id %s has given none, and the id is not quoted", (_what, json) => {
  expect(() => readCreated(json)).toThrow(/^it holds no cluster with an id of letters, digits, '-' and '_'$/);
});

test.each<[string, Record<string, unknown>]>([
  ["with null everywhere else", { name: null, status: null, gpu_type: null, replicas: null, env: null }],
  ["with other types everywhere else", { name: 7, status: [], gpu_type: [], replicas: "many", endpoint: 1, env: 7 }],
  ["with a part of a replica", { replicas: 1.5 }],
])("of a cluster only the id is required: %s", async (_what, more) => {
  expect(await listed({ id: "cl_1", ...more })).toEqual({ id: "cl_1" });
});

const deepObject = JSON.parse(`${'{"value":'.repeat(90)}"x"${"}".repeat(90)}`);
test.each<[string, unknown, unknown]>([
  ["a map", { A: "1", n: 5, on: true, x: null, deep: deepObject }, { A: "1", n: "5", on: "true", x: null, deep: null }],
  ["an empty map", {}, {}],
  ["a list, as nothing", [{ name: "A", value: "1" }], undefined],
])("env is read from %s: a value that is no text is one that is not shown", async (_what, env, expected) => {
  expect((await listed({ id: "cl_1", env }))?.env).toEqual(expected);
  expect((await listed({ id: "cl_1", environmentVariables: env }))?.env).toEqual(expected);
});

const raw = " byte\u001b[31m\u202e for byte\r\n";
test.each<[string, Record<string, string>]>([
  ["is cleaned of escape characters", { "\u001b[2J\u001b[31mNAME": raw }],
  ["does not take the place of another one by looking like it", { NAME: raw, "NA\u202eME": "another" }],
])("the name of a variable %s, and its value stays byte for byte", (_what, env) => {
  const json = cleanJson({ id: "cl_1", env }, { keeps: (property) => property === "env" });
  expect(detail(json).env).toEqual({ NAME: raw });
});

test.each<[unknown, string | undefined]>([
  ["2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00.000Z"],
  ["2026-11-21 10:00:00", "2026-11-21T10:00:00.000Z"],
  ["1795255200", undefined],
  ["yesterday", undefined],
])("the time %p is read as %p", async (created_at, expected) => {
  expect((await listed({ id: "cl_1", created_at }))?.createdAt).toBe(expected);
});

test.each<[string, Record<string, unknown>, string | undefined, readonly string[] | undefined]>([
  ["an object with both", { gpuModel: { name: "RTX 4090", id: "m-1", vramGb: 24 } }, "m-1", ["m-1", "RTX 4090"]],
  ["a number, as nothing", { gpu: 8, gpu_type: "17" }, undefined, undefined],
  ["a variable of env, as nothing", { env: { GPU_TYPE: "a100" } }, undefined, undefined],
])("the GPU of a cluster is identified by %s", async (_what, fields, type, identifiers) => {
  const record = await listed({ id: "cl_1", ...fields });
  expect([record?.gpuType, record?.gpuIdentifiers]).toEqual([type, identifiers]);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["the desired number, not the present one", { desiredReplicaCount: 3, replicaCount: 1 }, { replicas: 3 }],
  ["why it failed", { status: "failed", failure_reason: "no capacity" }, { reason: "no capacity" }],
  ["the address without a slash at its end", { endpointUrl: "https://a.test/" }, { endpoint: "https://a.test" }],
  ["a word for a state, whatever env holds", { status: "running", env: { MODE: "running" } }, { status: "running" }],
])("the value of a record is %s", async (_what, fields, expected) => {
  expect(await listed({ id: "cl_1", ...fields })).toMatchObject(expected);
});
