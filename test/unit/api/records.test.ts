import {
  isLeaving,
  readCluster,
  readClusterIfAny,
  readClusterList,
  readHealth,
  readServiceInfo,
  readStatus,
  stateOf,
} from "../../../provider/api/records";

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
const read = { ...same, gpuType, createdAt };

test.each([
  ["bare", full],
  ["under cluster", { cluster: full }],
  ["under data", { data: full }],
  ["with camelCase names", read],
  ["with fields that nobody knows", { ...full, region: "eu", tags: ["x"] }],
])("a cluster is read %s", (_what, json) => {
  expect(readCluster(json)).toEqual(read);
});

test.each([
  ["alone", { id: "cl_1" }],
  ["with null everywhere else", { id: "cl_1", name: null, status: null, gpu_type: null, replicas: null, env: null }],
  [
    "with other types everywhere else",
    { id: "cl_1", name: 7, status: {}, gpu_type: [], replicas: "3", endpoint: 1, env: { A: 1 } },
  ],
  ["with numbers of replicas that make no sense", { id: "cl_1", replicas: -1 }],
  ["with a part of a replica", { id: "cl_1", replicas: 1.5 }],
])("of a cluster only the id is required: %s", (_what, json) => {
  expect(readCluster(json)).toEqual({ id: "cl_1" });
});

test.each([
  undefined,
  null,
  "",
  7,
  "../../admin",
  "cl_1/../../admin",
  "cl_%2e%2e",
  "cl_\u0000",
  "cl 1",
  "cl_1?x",
  "cl_1#x",
  "cl_1\n",
  "clü",
  "x".repeat(129),
])("the id %p is refused", (id) => {
  expect(() => readCluster({ ...full, id })).toThrow();
  expect(readClusterIfAny({ ...full, id })).toBeUndefined();
  expect(readClusterList([full, { ...full, id }])).toEqual({ clusters: [read], complete: false });
});

test.each([["cl_1"], ["CL-1_x"], ["7"], ["x".repeat(128)]])("the id %s is taken", (id) => {
  expect(readCluster({ id })).toEqual({ id });
});

test.each([undefined, null, "ok", 7, [], {}, { success: true }, { cluster: null }, [full]])(
  "%p holds no cluster",
  (json) => {
    expect(readClusterIfAny(json)).toBeUndefined();
    expect(() => readCluster(json)).toThrow();
  },
);

test("an action's answer may hold a cluster", () => {
  expect(readClusterIfAny({ cluster: full })).toEqual(read);
});

test.each([
  ["bare", [full], true],
  ["empty", [], true],
  ["under clusters", { clusters: [full] }, true],
  ["under data", { data: [full] }, true],
  ["under items", { items: [full] }, true],
  ["under results", { results: [full], next: null, has_more: false, cursor: "" }, true],
  ["with a next page", { clusters: [full], next: "/v1/clusters?page=2" }, false],
  ["with a cursor", { clusters: [full], next_cursor: "abc" }, false],
  ["with a next page number", { clusters: [full], next_page: 2 }, false],
  ["with a page token", { clusters: [full], next_page_token: "abc" }, false],
  ["that says that there is more", { data: [full], has_more: true }, false],
  ["with a record that is null", [full, null], false],
  ["with a record that is no record", [full, "cl_2"], false],
])("a list is read %s", (_what, json, complete) => {
  const list = readClusterList(json);
  expect(list.complete).toBe(complete);
  for (const cluster of list.clusters) expect(cluster).toEqual(read);
});

test.each([undefined, null, "x", 7, {}, { clusters: {} }, { error: "x" }])("%p is no list", (json) => {
  expect(() => readClusterList(json)).toThrow("is not a list of records");
});

const replica = { id: "r-1", status: "healthy", healthy: true, message: "fine" };
test.each([
  ["a bare list", [replica], undefined],
  ["replicas", { status: "running", replicas: [replica] }, "running"],
  ["replica_statuses beside a number of replicas", { replicas: 1, replica_statuses: [replica] }, undefined],
  ["statuses", { status: null, statuses: [replica] }, undefined],
  ["data", { status: 7, data: [replica] }, undefined],
])("replicas are read from %s", (_what, json, status) => {
  expect(readStatus(json)).toEqual({ status, replicas: [replica] });
});

test.each([
  ["a flag that says yes", { id: "a", healthy: true, status: "failed" }, { id: "a", status: "failed", healthy: true }],
  [
    "a flag that says no",
    { id: "a", healthy: false, status: "running" },
    { id: "a", status: "running", healthy: false },
  ],
  ["a word for running", { id: "a", status: "Running" }, { id: "a", status: "Running", healthy: true }],
  ["another word", { id: "a", status: "starting" }, { id: "a", status: "starting", healthy: false }],
  ["nothing", {}, { id: "0", status: "", healthy: false }],
  ["a flag of another type", { id: "a", healthy: "yes", status: "ok" }, { id: "a", status: "ok", healthy: true }],
  ["a number as id", { id: 4, healthy: true }, { id: "4", status: "", healthy: true }],
  ["an empty message", { id: "a", healthy: true, message: "" }, { id: "a", status: "", healthy: true }],
])("a replica's health is read from %s", (_what, json, expected) => {
  expect(readStatus([json]).replicas).toEqual([expected]);
});

test.each([null, "running", {}, { replicas: 3 }, { replicas: {} }])("%p shows no replicas", (json) => {
  expect(() => readStatus(json)).toThrow();
});

test.each([
  ["running", "running ready active healthy available up online live started serving ok RUNNING Ready"],
  ["pending", "provisioning pending creating queued scaling restarting stopping terminating deleting degraded"],
  ["failed", "failed error errored crashed dead"],
  ["stopped", "stopped suspended paused off halted"],
  ["terminated", "terminated deleted destroyed removed gone"],
  ["unknown", "quantum constructor __proto__ toString run-ning"],
])("these words mean %s", (state, words) => {
  for (const word of words.split(" ")) expect([word, stateOf(word)]).toEqual([word, state]);
});

test("no word, and an empty one, mean nothing", () => {
  expect([stateOf(undefined), stateOf("")]).toEqual(["unknown", "unknown"]);
});

test.each([
  ["terminated", true],
  ["Terminating", true],
  ["deleting", true],
  ["gone", true],
  ["stopped", false],
  ["failed", false],
  ["running", false],
  [undefined, false],
])("%p means leaving: %p", (word, leaving) => {
  expect(isLeaving(word)).toBe(leaving);
});

test.each([
  [{ status: "ok" }, true, "ok"],
  [{ status: "pass" }, true, "pass"],
  [{ status: "healthy" }, true, "healthy"],
  [{ status: "degraded" }, false, "degraded"],
  [{ status: "on fire" }, false, "on fire"],
  [{ healthy: false, status: "ok" }, false, "ok"],
  [{ healthy: true }, true, ""],
  [{}, true, ""],
])("the health %p is read", (json, healthy, status) => {
  expect(readHealth(json)).toEqual({ healthy, status, raw: json });
});

test.each([
  [{ name: "API", version: "1.0.0", documentation: "https://d", endpoints: { health: "GET /health" } }],
  [{ name: "API", endpoints: {} }],
])("the descriptor %p is read", (json) => {
  expect(readServiceInfo(json)).toEqual({ ...json, raw: json });
});

test("a descriptor that says nothing usable has no fields", () => {
  expect(readServiceInfo({ name: 1, version: null, endpoints: ["x"] })).toEqual({
    endpoints: {},
    raw: { name: 1, version: null, endpoints: ["x"] },
  });
});
