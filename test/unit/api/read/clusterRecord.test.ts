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
const camel = { ...same, gpuType, createdAt };
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
  ["bare", full],
  ["under data", { data: full }],
  ["two deep", { data: { cluster: full } }],
  ["with camelCase names", camel],
  ["with fields that nobody knows", { ...full, region: "eu", tags: ["x"], owner: { id: "cl_9" } }],
  ["without its id", nameless],
  ["with its fields in groups", { id: "cl_1", attributes: { ...nameless, env: null }, config: { env: full.env } }],
  ["with an image in place of a container", { ...full, container: undefined, image: "example/server:1" }],
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
  ["nothing", {}],
  ["null", null],
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
  ["in the documented form", full, "cl_1"],
  ["of another form, with something of a cluster", { id: "7", name: "web" }, "7"],
  ["that is a number, with something of a cluster", { id: 7, gpu_type: "h100" }, "7"],
])("a creation gives the id %s", (_what, json, id) => {
  expect(readCreated(json).id).toBe(id);
});

test.each<[string, unknown]>([
  ["of an operation", { id: "op_1" }],
  ["that is none", { ...full, id: null }],
  ["in an error", { error: { id: "cl_1" } }],
])("a creation that gives an id %s has given none", (_what, json) => {
  expect(() => readCreated(json)).toThrow("holds no cluster with an id");
});

test.each([undefined, null, "", "cl_1/../../admin", "cl_%2e%2e", "cl_1\n", "x".repeat(129)])(
  "the id %p is refused, and not quoted",
  async (id) => {
    const failure = (() => {
      try {
        return readCreated({ ...full, id });
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toMatchObject({ message: "it holds no cluster with an id of letters, digits, '-' and '_'" });
    expect(await listed({ ...full, id })).toBeUndefined();
  },
);

test.each<[string, Record<string, unknown>]>([
  ["with null everywhere else", { name: null, status: null, gpu_type: null, replicas: null, env: null }],
  ["with other types everywhere else", { name: 7, status: [], gpu_type: [], replicas: "many", endpoint: 1, env: 7 }],
  ["with a negative number of replicas", { replicas: -1 }],
  ["with a part of a replica", { replicas: 1.5 }],
])("of a cluster only the id is required: %s", async (_what, more) => {
  expect(await listed({ id: "cl_1", ...more })).toEqual({ id: "cl_1" });
});

test.each<[string, unknown, unknown]>([
  ["a map", { A: "1", b_c: "" }, { A: "1", b_c: "" }],
  [
    "a map with other values than texts",
    { PORT: 8080, ON: true, OFF: null, X: { y: 1 } },
    { PORT: "8080", ON: "true", OFF: null, X: null },
  ],
  ["an empty map", {}, {}],
  ["a list, as nothing", [{ name: "A", value: "1" }], undefined],
])("env is read from %s", async (_what, env, expected) => {
  expect((await listed({ id: "cl_1", env }))?.env).toEqual(expected);
  expect((await listed({ id: "cl_1", environmentVariables: env }))?.env).toEqual(expected);
});

test.each<[unknown, string | undefined]>([
  ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"],
  ["2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00.000Z"],
  ["2026-11-21 10:00:00", "2026-11-21T10:00:00.000Z"],
  ["Sat, 21 Nov 2026 10:00:00 GMT", "2026-11-21T10:00:00.000Z"],
  [1_795_255_200, undefined],
  ["1795255200", undefined],
  ["yesterday", undefined],
  [1e300, undefined],
])("the time %p is read as %p", async (created_at, expected) => {
  expect((await listed({ id: "cl_1", created_at }))?.createdAt).toBe(expected);
});

test.each<[string, Record<string, unknown>, string | undefined, readonly string[] | undefined]>([
  ["its type", { gpu_type: "h100" }, "h100", ["h100"]],
  ["an object with both", { gpuModel: { name: "RTX 4090", id: "m-1", vramGb: 24 } }, "m-1", ["m-1", "RTX 4090"]],
  ["a number, as nothing", { gpu: 8, gpu_type: "17" }, undefined, undefined],
  ["the id of one machine, as nothing", { machineId: "s194", instance_id: "i-1" }, undefined, undefined],
  ["a variable of env, as nothing", { env: { GPU_TYPE: "a100" } }, undefined, undefined],
])("the GPU of a cluster is identified by %s", async (_what, fields, type, identifiers) => {
  const record = await listed({ id: "cl_1", ...fields });
  expect([record?.gpuType, record?.gpuIdentifiers]).toEqual([type, identifiers]);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["the desired number, not the present one", { desiredReplicaCount: 3, replicaCount: 1 }, { replicas: 3 }],
  ["the desired number, whatever comes first", { replicas: 1, desired_replicas: 3 }, { replicas: 3 }],
  ["why it failed", { status: "failed", failure_reason: "no capacity" }, { reason: "no capacity" }],
  ["the address without a slash at its end", { endpointUrl: "https://a.test/" }, { endpoint: "https://a.test" }],
])("the value of a record is %s", async (_what, fields, expected) => {
  expect(await listed({ id: "cl_1", ...fields })).toMatchObject(expected);
});

test("a word for a state stays as it is, whatever env holds", async () => {
  expect((await listed({ id: "cl_1", status: "running", env: { MODE: "running" } }))?.status).toBe("running");
});

test.each<[string, (inner: unknown) => unknown]>([
  ["objects", (inner) => ({ value: inner })],
  ["lists", (inner) => [inner]],
])("a value of env that is 20 000 %s deep is one that is not shown", async (_what, around) => {
  let deep: unknown = "x";
  for (let level = 0; level < 20_000; level += 1) deep = around(deep);
  expect((await listed({ id: "cl_1", env: { A: deep, B: "1" } }))?.env).toEqual({ A: null, B: "1" });
});

const raw = " byte\u001b[31m\u202e for byte\r\n";
const dirty: [string, string][] = [
  ["OSC", "\u001b]8;;http://evil\u0007NAME\u001b]8;;\u0007"],
  ["CSI", "\u001b[2J\u001b[31mNAME"],
  ["a bidirectional control", "NA\u202eME"],
];
test.each(dirty)("the name of a variable is cleaned of %s, and its value stays byte for byte", (_what, name) => {
  const keeps = (property: string) => property === "env";
  const json = cleanJson({ id: "cl_1", env: { [name]: raw } }, { keeps });
  expect(detail(json).env).toEqual({ NAME: raw });
});

test("a name that only looks like another one does not take its place", () => {
  const env = { NAME: raw, "NA\u202eME": "another" };
  const json = cleanJson({ id: "cl_1", env }, { keeps: (property) => property === "env" });
  expect(detail(json).env).toEqual({ NAME: raw });
});

test("the API key does not show in the name of a variable", () => {
  const hide = (text: string) => text.replace("sk-key", "[secret]");
  const json = cleanJson({ env: { "A_sk-key": "sk-key" } }, { hide, keeps: (name) => name === "env" });
  expect(json).toEqual({ env: { "A_[secret]": "sk-key" } });
});

test.each<[string, Record<string, unknown>, boolean[] | undefined]>([
  [
    "a list",
    {
      replicas: [
        { id: "a", healthy: true },
        { id: "b", status: "error" },
      ],
    },
    [true, false],
  ],
  ["counts", { status: "running", replicaCount: 2, runningReplicas: 1 }, [true, false]],
  ["a number of those that should be, as nothing", { status: "running", replicas: 2 }, undefined],
  ["parts of another kind, as nothing", { volumes: [{ status: "available" }], available: 3 }, undefined],
])("the health that a record shows is read from %s", async (_what, fields, expected) => {
  const { health } = (await listed({ id: "cl_1", ...fields })) ?? {};
  expect(health?.replicas.map(({ healthy }) => healthy)).toEqual(expected);
});
