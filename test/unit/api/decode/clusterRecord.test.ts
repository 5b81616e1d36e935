import { readClusterIfAny, readCreated, readDetail } from "../../../../provider/api/decode/clusterRecords";
import { cleanJson } from "../../../../provider/api/decode/json";

/** neverWorst.test.ts has the laws that no other cluster is read, and that no value of env is shown. */

const nameless = { name: "web", status: "running", gpu_type: "h100", replicas: 3, env: { A: "1", fooBar: "2" } };
const full = { id: "cl_1", ...nameless };

/** The cluster of an answer to a read of cl_1, without all its fields. */
function detail(json: unknown) {
  const { fields: _fields, ...record } = readDetail(json, "cl_1");
  return record;
}

describe("the cluster of an answer", () => {
  it.each<[string, unknown]>([
    ["is read without its id", nameless],
    ["is read in groups", { id: "cl_1", attributes: { ...nameless, env: null }, config: { env: full.env } }],
    ["is read with values in objects", { ...full, status: { state: "running" }, gpu_type: { id: "h100" } }],
  ])("%s", (_name, json) => {
    const { gpu_type: gpuType, ...fields } = full;
    const expected = { ...fields, gpuType, gpuIdentifiers: [gpuType] };
    expect(detail(json)).toEqual(expected);
    expect(readClusterIfAny(json, "cl_1")).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ["is not an operation", { id: "op_1", status: "accepted" }],
    ["is not a record under an unknown name", { request_id: "r-1", my_thing: full }],
  ])("%s", (_name, json) => {
    expect(() => readDetail(json, "cl_1")).toThrow("is not the record of this cluster");
    expect(readClusterIfAny(json, "cl_1")).toBeUndefined();
  });

  it("has all fields of the record and its groups, even null ones, but not env", () => {
    const json = { id: "cl_1", config: { tier: "a", size: 1, env: full.env }, size: null, envVars: full.env };
    const { fields = [] } = readDetail(json, "cl_1");
    expect(Object.fromEntries(fields)).toEqual({ id: "cl_1", config: json.config, tier: "a", size: null });
  });
});

describe("the id of a creation", () => {
  it("is one in the specified form, or one with fields of a cluster", () => {
    expect(readCreated({ id: "cl_1" }).id).toBe("cl_1");
    expect(readCreated({ id: 7, gpu_type: "h100" }).id).toBe("7");
  });

  it("is not that of an operation or an error, nor one that changes a path, and is not quoted then", () => {
    for (const json of [{ id: "op_1" }, { error: { id: "cl_1" } }, { ...full, id: "cl_1/../../admin" }])
      expect(() => readCreated(json)).toThrow(/^it holds no cluster with an id of letters, digits, '-' and '_'$/);
  });
});

describe("the record of a cluster", () => {
  const gpuType = "m-1";
  it.each<[string, object, object]>([
    ["has its id alone", { name: 7, status: [], gpu_type: [], replicas: 1.5, endpoint: 1, env: null }, {}],
    ["has a GPU in an object", { gpuModel: { name: "M", id: gpuType } }, { gpuType, gpuIdentifiers: [gpuType, "M"] }],
    ["has no GPU in a number", { gpu: 8, gpu_type: "17" }, {}],
    ["has the desired number of replicas", { desiredReplicaCount: 3, replicaCount: 1 }, { replicas: 3 }],
    ["has a URL without its last slash", { endpointUrl: "https://a.test/" }, { endpoint: "https://a.test" }],
    ["has a time in UTC", { created_at: "2026-11-21T12:00:00+02:00" }, { createdAt: "2026-11-21T10:00:00.000Z" }],
    ["has a time without a zone", { created_at: "2026-11-21 10:00:00" }, { createdAt: "2026-11-21T10:00:00.000Z" }],
    ["has numbers and nulls in env", { env: { A: "1", n: 5, x: null } }, { env: { A: "1", n: "5", x: null } }],
    ["has no env in objects", { env: { A: { value: "1" } } }, {}],
    ["prefers its fields to those of groups", { status: "up", config: { status: "old", id: "x" } }, { status: "up" }],
  ])("%s", (_name, fields, expected) => {
    expect(detail({ id: "cl_1", ...fields })).toEqual({ id: "cl_1", ...expected });
  });

  it("has the messages of the service, except beside an env that cannot be read", () => {
    const replicas = [{ id: "r", message: "llama" }];
    const messages = { status: "brewing llama", reason: "OOM while loading llama", replicas };
    const { health, ...readable } = detail({ id: "cl_1", ...messages, env: { MODEL: "llama", PORT: "8080" } });
    expect(readable).toMatchObject({ status: messages.status, reason: messages.reason });
    expect(health?.replicas).toEqual([{ id: "r", status: "", message: "llama" }]);
    for (const env of [[{ name: "MODEL", value: "llama" }], { MODEL: { value: "llama" } }])
      for (const json of [{ env }, { spec: { env } }]) {
        const expected = { id: "cl_1", health: { replicas: [{ id: "r", status: "" }] } };
        expect(detail({ id: "cl_1", ...messages, ...json })).toEqual(expected);
      }
  });

  it("hides a credential of its env in its status, and no other value", () => {
    const env = { HF_TOKEN: "Zq7KWv93", PORT: "8080" };
    expect(detail({ id: "cl_1", status: "waits on 8080 for Zq7KWv93", env }).status).toBe("waits on 8080 for [secret]");
  });

  it("cleans the names of variables, and keeps each byte of their values", () => {
    const raw = " byte\u001b[31m\u202e for byte\r\n";
    // A name that looks like another one does not take its place.
    for (const env of [{ "\u001bNAME": raw }, { NAME: raw, "NA\u202eME": "another" }]) {
      const json = cleanJson({ id: "cl_1", env }, undefined, (property) => property === "env");
      expect(detail(json).env).toEqual({ NAME: raw });
    }
  });
});
