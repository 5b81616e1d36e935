import { readClusterIfAny, readCreated, readDetail } from "../../../../provider/api/decode/clusterRecord";
import { cleanJson } from "../../../../provider/base/text";

/** That no other cluster is read, and no value of env shown, whatever the form, are laws in neverWorst.test.ts. */

const full = {
  id: "cl_1",
  name: "web",
  status: "running",
  gpu_type: "h100",
  replicas: 3,
  env: { A: "1", fooBar: "2" },
};
const { gpu_type: gpuType, ...same } = full;
const { id: _id, ...nameless } = full;

/** One cluster that was asked for by its id, without the fields of the answer. */
function detail(json: unknown) {
  const { fields: _fields, ...record } = readDetail("cl_1")(json);
  return record;
}

test.each<[string, unknown]>([
  ["without its id", nameless],
  ["with its fields in groups", { id: "cl_1", attributes: { ...nameless, env: null }, config: { env: full.env } }],
  ["with values in objects", { ...full, status: { state: "running" }, gpu_type: { id: "h100" } }],
])("one cluster is read %s", (_what, json) => {
  const read = { ...same, gpuType, gpuIdentifiers: [gpuType] };
  expect(detail(json)).toEqual(read);
  expect(readClusterIfAny("cl_1")(json)).toEqual(read);
});

test.each<[string, unknown]>([
  ["an operation", { id: "op_1", status: "accepted" }],
  ["an error", { error: { id: "cl_1", code: "internal", message: "x", status: 500 } }],
  ["a record under a name that is not known", { request_id: "r-1", my_thing: full }],
])("%s is never read as the cluster", (_what, json) => {
  expect(() => readDetail("cl_1")(json)).toThrow("is not the record of this cluster");
  expect(readClusterIfAny("cl_1")(json)).toBeUndefined();
});

test("the fields of a cluster are its own and those of its groups, also null, and never env", () => {
  const json = { id: "cl_1", config: { tier: "a", size: 1, env: full.env }, size: null, envVars: full.env };
  const { fields = [] } = readDetail("cl_1")(json);
  expect(Object.fromEntries(fields)).toEqual({ id: "cl_1", config: json.config, tier: "a", size: null });
});

test.each<[string, unknown, string | undefined]>([
  ["in the documented form", { id: "cl_1" }, "cl_1"],
  ["of another form, with something of a cluster", { id: 7, gpu_type: "h100" }, "7"],
  ["of an operation", { id: "op_1" }, undefined],
  ["in an error", { error: { id: "cl_1" } }, undefined],
  ["that leads elsewhere", { ...full, id: "cl_1/../../admin" }, undefined],
])("a creation gives the id %s, or none, and a wrong one is not quoted", (_what, json, id) => {
  if (id) expect(readCreated(json).id).toBe(id);
  else expect(() => readCreated(json)).toThrow(/^it holds no cluster with an id of letters, digits, '-' and '_'$/);
});

test.each<[string, object, object]>([
  ["only its id", { name: 7, status: [], gpu_type: [], replicas: 1.5, endpoint: 1, env: null }, {}],
  [
    "its GPU in an object",
    { gpuModel: { name: "RTX", id: "m-1" } },
    { gpuType: "m-1", gpuIdentifiers: ["m-1", "RTX"] },
  ],
  [
    "no GPU in a number or in env",
    { gpu: 8, gpu_type: "17", env: { GPU_TYPE: "a100" } },
    { env: { GPU_TYPE: "a100" } },
  ],
  ["the desired number of replicas", { desiredReplicaCount: 3, replicaCount: 1 }, { replicas: 3 }],
  ["its address without a slash at the end", { endpointUrl: "https://a.test/" }, { endpoint: "https://a.test" }],
  ["its time in UTC", { created_at: "2026-11-21T12:00:00+02:00" }, { createdAt: "2026-11-21T10:00:00.000Z" }],
  ["its time without a zone", { created_at: "2026-11-21 10:00:00" }, { createdAt: "2026-11-21T10:00:00.000Z" }],
  ["no time in a number", { created_at: "1795255200" }, {}],
  ["env with a number and a hidden value", { env: { A: "1", n: 5, x: null } }, { env: { A: "1", n: "5", x: null } }],
  ["no env in a list", { environment: [{ name: "A", value: "1" }] }, {}],
  ["no env with values in objects", { env: { A: { value: "1" } } }, {}],
])("a cluster has %s", (_what, fields, expected) => {
  expect(detail({ id: "cl_1", ...fields })).toEqual({ id: "cl_1", ...expected });
});

test("the own fields of a record come before those of its groups", () => {
  const config = { container: "a/b:1", env: { A: "1" }, status: "old", id: "cl_2" };
  const read = detail({ data: { id: "cl_1", status: "running", config } });
  expect(read).toEqual({ id: "cl_1", status: "running", container: "a/b:1", env: { A: "1" } });
});

test("what the service says is not hidden, whatever env is; texts beside an env that is not read are left out", () => {
  const texts = {
    status: "brewing llama",
    reason: "OOM while loading llama",
    replicas: [{ id: "r", message: "llama" }],
  };
  const readable = detail({ id: "cl_1", ...texts, env: { MODEL: "llama", PORT: "8080" } });
  expect(readable).toMatchObject({ status: texts.status, reason: texts.reason });
  expect(readable.health?.replicas).toEqual([{ id: "r", status: "", message: "llama" }]);
  for (const env of [[{ name: "MODEL", value: "llama" }], { MODEL: { value: "llama" } }])
    for (const json of [{ env }, { spec: { env } }])
      expect(detail({ id: "cl_1", ...texts, ...json })).toEqual({
        id: "cl_1",
        health: { replicas: [{ id: "r", status: "" }] },
      });
});

test("a status hides a credential of its own record, and no other value of env", () => {
  const env = { HF_TOKEN: "Zq7KWv93", PORT: "8080" };
  expect(detail({ id: "cl_1", status: "waits on 8080 for Zq7KWv93", env }).status).toBe("waits on 8080 for [secret]");
});

const raw = " byte\u001b[31m\u202e for byte\r\n";
test.each<[string, Record<string, string>]>([
  ["is cleaned of escape characters", { "\u001b[2J\u001b[31mNAME": raw }],
  ["does not take the place of another one by looking like it", { NAME: raw, "NA\u202eME": "another" }],
])("the name of a variable %s, and its value stays byte for byte", (_what, env) => {
  const json = cleanJson({ id: "cl_1", env }, { keeps: (property) => property === "env" });
  expect(detail(json).env).toEqual({ NAME: raw });
});
