import { readCluster, readClusterIfAny, readCreated, readListed } from "../../../../provider/api/read/clusterRecord";

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

test.each<[string, unknown]>([
  ["bare", full],
  ["under cluster", { cluster: full }],
  ["under data", { data: full }],
  ["under a name that nobody knows", { request_id: "r-1", my_thing: full }],
  ["two deep", { data: { cluster: full } }],
  ["as a list of one", [full]],
  ["with camelCase names", camel],
  ["with other spellings", { ...same, "GPU-Type": "h100", CreatedAt: createdAt }],
  ["with fields that nobody knows", { ...full, region: "eu", tags: ["x"], owner: { id: "cl_9" } }],
  ["with an id in capitals", { ...full, id: "CL_1" }],
  ["without its id", nameless],
  ["without its id, under data", { data: nameless }],
  ["beside an id of something else", { id: "req_1", data: full }],
  ["with the id under another name", { ...nameless, id: 42, cluster_id: "cl_1" }],
  ["with its fields in groups", { id: "cl_1", attributes: { ...nameless, env: null }, config: { env: full.env } }],
  ["with an image in place of a container", { ...full, container: undefined, image: "example/server:1" }],
  [
    "with values in objects",
    { ...full, status: { state: "running" }, gpu_type: { id: "h100" }, replicas: { desired: 3 } },
  ],
  ["with a number of replicas in a text", { ...full, replicas: "3" }],
])("one cluster is read %s", (_what, json) => {
  expect(readCluster("cl_1")(json)).toEqual(read);
  expect(readClusterIfAny("cl_1")(json)).toEqual(read);
});

test.each<[string, unknown]>([
  ["another cluster", { ...full, id: "cl_2" }],
  ["another cluster under data", { data: { ...full, id: "cl_2" } }],
  ["an operation", { id: "op_1", status: "accepted" }],
  ["an error", { error: { id: "cl_1", code: "internal", message: "x", status: 500 } }],
  ["errors", { errors: [full] }],
  ["nothing", {}],
  ["a success", { success: true }],
  ["a word", "ok"],
  ["null", null],
  ["an empty list", []],
  ["a list of several", [full, { ...full, id: "cl_2" }]],
])("%s is never read as the cluster", (_what, json) => {
  expect(() => readCluster("cl_1")(json)).toThrow("is not the record of this cluster");
  expect(readClusterIfAny("cl_1")(json)).toBeUndefined();
});

test.each<[string, unknown, string]>([
  ["in the documented form", full, "cl_1"],
  ["alone", { id: "cl_1" }, "cl_1"],
  ["beside another id", { id: "req_1", cluster: full }, "cl_1"],
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

test.each([
  undefined,
  null,
  "",
  "../../admin",
  "cl_1/../../admin",
  "cl_%2e%2e",
  "cl_\u0000",
  "cl 1",
  "cl_1?x",
  "cl_1#x",
  "cl_1\n",
  "cl\u00fc",
  "x".repeat(129),
])("the id %p is refused", (id) => {
  expect(() => readCreated({ ...full, id })).toThrow();
  expect(readListed({ ...full, id })).toBeUndefined();
});

test.each<[string, Record<string, unknown>]>([
  ["alone", {}],
  ["with null everywhere else", { name: null, status: null, gpu_type: null, replicas: null, env: null }],
  ["with other types everywhere else", { name: 7, status: [], gpu_type: [], replicas: "many", endpoint: 1, env: 7 }],
  ["with numbers of replicas that make no sense", { replicas: -1 }],
  ["with a part of a replica", { replicas: 1.5 }],
])("of a cluster only the id is required: %s", (_what, more) => {
  expect(readListed({ id: "cl_1", ...more })).toEqual({ id: "cl_1" });
});

test.each<[string, unknown, unknown]>([
  ["a map", { A: "1", b_c: "" }, { A: "1", b_c: "" }],
  [
    "a map with other values than texts",
    { PORT: 8080, ON: true, OFF: null, X: { y: 1 } },
    { PORT: "8080", ON: "true", OFF: null, X: null },
  ],
  ["a map of objects", { A: { value: "1", secret: true } }, { A: "1" }],
  ["a list of names", ["A", "B"], { A: null, B: null }],
  ["a list of assignments", ["A=1", "B=x=y", "C="], { A: "1", B: "x=y", C: "" }],
  [
    "a list of pairs",
    [
      { name: "A", value: "1" },
      { name: "B", value: null },
    ],
    { A: "1", B: null },
  ],
  ["a list of pairs with keys", [{ key: "A", value: "1" }, { key: "B" }], { A: "1", B: null }],
  ["an empty map", {}, {}],
  ["an empty list", [], {}],
  ["a list that cannot be read as a whole, as nothing", ["A", 7], undefined],
  ["a text, as nothing", "A=1", undefined],
])("env is read from %s", (_what, env, expected) => {
  expect(readListed({ id: "cl_1", env })?.env).toEqual(expected);
  expect(readListed({ id: "cl_1", environmentVariables: env })?.env).toEqual(expected);
});

test.each<[unknown, string | undefined]>([
  ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"],
  ["2026-11-21T10:00:00.123456Z", "2026-11-21T10:00:00.123456Z"],
  ["2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00.000Z"],
  ["2026-11-21 10:00:00", "2026-11-21T10:00:00.000Z"],
  ["2026-11-21 10:00:00 UTC", "2026-11-21T10:00:00.000Z"],
  ["Sat, 21 Nov 2026 10:00:00 GMT", "2026-11-21T10:00:00.000Z"],
  [1_795_255_200, "2026-11-21T10:00:00.000Z"],
  [1_795_255_200_000, "2026-11-21T10:00:00.000Z"],
  ["1795255200", "2026-11-21T10:00:00.000Z"],
  ["yesterday", undefined],
  ["", undefined],
  [1e300, undefined],
  [true, undefined],
])("the time %p is read as %p", (created_at, expected) => {
  expect(readListed({ id: "cl_1", created_at })?.createdAt).toBe(expected);
});

test.each([
  ["running", "running"],
  ["gone-ish", "gone-ish"],
  [undefined, "terminated"],
  ["terminating", "terminating"],
])("a cluster that is %s and has a time of deletion is %s", (status, expected) => {
  expect(readListed({ id: "cl_1", status, deleted_at: createdAt })?.status).toBe(expected);
  expect(readListed({ id: "cl_1", status, deleted_at: null })?.status).toBe(status);
});

test.each<[string, Record<string, unknown>, string | undefined, readonly string[] | undefined]>([
  ["its type", { gpu_type: "h100" }, "h100", ["h100"]],
  ["its id and its name", { gpuModelName: "RTX 4090", gpuModelId: "m-1" }, "m-1", ["m-1", "RTX 4090"]],
  ["an object with both", { gpuModel: { name: "RTX 4090", id: "m-1", vramGb: 24 } }, "m-1", ["m-1", "RTX 4090"]],
  ["a group of fields", { compute: { gpuTypeId: "NVIDIA H100", gpuCountPerPod: 8 } }, "NVIDIA H100", ["NVIDIA H100"]],
  ["the type of its machines", { instance_type: { name: "gpu_1x_a10", specs: {} } }, "gpu_1x_a10", ["gpu_1x_a10"]],
  ["a word for any GPU, and the machines", { accelerator: "gpu", instanceType: "l4-x1" }, "l4-x1", ["l4-x1"]],
  ["a number, as nothing", { gpu: 8, gpu_id: "17" }, undefined, undefined],
  ["the id of one machine, as nothing", { machineId: "s194", instance_id: "i-1" }, undefined, undefined],
  ["a variable of env, as nothing", { env: { GPU_TYPE: "a100" } }, undefined, undefined],
  ["a secret, as nothing", { config: { secrets: { gpu_name: "a100" } } }, undefined, undefined],
])("the GPU of a cluster is identified by %s", (_what, fields, gpuType, gpuIdentifiers) => {
  const record = readListed({ id: "cl_1", ...fields });
  expect([record?.gpuType, record?.gpuIdentifiers]).toEqual([gpuType, gpuIdentifiers]);
});

test.each<[Record<string, unknown>, string | undefined]>([
  [{ status: "failed", statusReason: "image pull failed" }, "image pull failed"],
  [{ status: "failed", failure_reason: "no capacity" }, "no capacity"],
  [{ status: { state: "pending", message: "waiting to be scheduled" } }, "waiting to be scheduled"],
  [{ status: "failed", error: { code: "oom", message: "out of memory" } }, "out of memory"],
  [{ status: "running", message: "" }, undefined],
])("why a cluster is in its state is read from %j", (fields, reason) => {
  expect(readListed({ id: "cl_1", ...fields })?.reason).toBe(reason);
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
  ["a map", { replicas: { a: { status: "running" }, b: { status: "pending" } } }, [true, false]],
  ["counts", { status: "degraded", replicaCount: 2, runningReplicas: 1, activeReplicas: 2 }, [true, false]],
  ["counts by state", { pods: { total: 2, byStatus: { RUNNING: 1, PROVISIONING: 1 } } }, [true, false]],
  ["counts under status", { spec: { replicas: 1 }, status: { replicas: 1, readyReplicas: 1 } }, [true]],
  ["a number of those that should be, as nothing", { status: "running", replicas: 2 }, undefined],
  ["an empty map, as nothing", { status: "running", replicas: {} }, undefined],
  ["an empty list, as nothing", { status: "running", replicas: [] }, undefined],
  ["parts of another kind, as nothing", { volumes: [{ status: "available" }], available: 3 }, undefined],
])("the health that a record shows is read from %s", (_what, fields, expected) => {
  const { health } = readListed({ id: "cl_1", ...fields }) ?? {};
  expect(health?.replicas.map(({ healthy }) => healthy)).toEqual(expected);
});
