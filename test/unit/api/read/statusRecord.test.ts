import { readStatus } from "../../../../provider/api/read/statusRecord";

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

test.each([null, "running", 7, { replicas: 3 }, { cluster_id: "cl_1", message: "x" }, { error: { message: "x" } }])(
  "%p shows nothing of replicas",
  (json) => {
    expect(() => readStatus(json)).toThrow("is not a list of replicas");
  },
);

const two = [
  { id: "r-1", status: "running", healthy: true },
  { id: "r-2", status: "starting", healthy: false },
];
test.each<[string, unknown]>([
  ["a list under a name one deeper", { data: { replicas: two } }],
  ["a map by id", { "r-1": { status: "running" }, "r-2": { status: "starting" } }],
  ["a map by id under replicas", { replicas: { "r-1": { status: "running" }, "r-2": { status: "starting" } } }],
  [
    "names of replicas",
    [
      { name: "r-1", state: "running" },
      { name: "r-2", state: "starting" },
    ],
  ],
  [
    "phases and flags that say ready",
    [
      { id: "r-1", phase: "running", ready: true },
      { id: "r-2", phase: "starting", ready: "no" },
    ],
  ],
])("replicas are read from %s", (_what, json) => {
  expect(readStatus(json).replicas).toEqual(two);
});

test.each<[string, unknown, boolean[]]>([
  ["a list of words, which may be of anything", ["running", "running"], [false, false]],
  ["health texts", [{ health: "healthy" }, { health: "unhealthy" }, { health: "unknown" }], [true, false, false]],
  ["health in objects", [{ health: { status: "passing" } }, { health: { healthy: false } }], [true, false]],
  ["a word that says running beside a health that does not", [{ state: "running", health: "starting" }], [false]],
  [
    "words in capitals with what they are of",
    [{ status: "REPLICA_STATUS_RUNNING" }, { status: "REPLICA_STATUS_FAILED" }],
    [true, false],
  ],
  ["counts", { status: "running", replicas: { total: 3, healthy: 2 } }, [true, true, false]],
  ["counts beside each other", { replicas: 2, ready_replicas: 1 }, [true, false]],
  ["counts by state", { total: 4, byStatus: { RUNNING: 3, PROVISIONING: 1 } }, [true, true, true, false]],
  ["counts of which that of the healthy is left out", { replicas: 2, updatedReplicas: 2 }, [false, false]],
  ["a count of the others", { replicas: 3, unavailableReplicas: 1 }, [true, true, false]],
  [
    "a list of one record that counts them",
    { services: [{ status: "ACTIVE", desiredCount: 2, runningCount: 1 }] },
    [true, false],
  ],
  ["a list of one that has failed before", [{ id: "a", status: "running", healthy: true, failed: 0 }], [true]],
  ["counts under status", { status: { state: "running", readyReplica: 1, targetReplica: 2 } }, [true, false]],
  ["fewer than there should be", { state: "READY", desiredReplicaCount: 2, replicaCount: 1 }, [false, false]],
  ["a count that the word of the cluster denies", { status: "UNHEALTHY", active_replica_count: 1 }, [false]],
  ["a count of healthy ones alone", { healthy: 2 }, [true, true]],
  ["nothing scheduled yet, in a list", { status: "provisioning", replicas: [] }, []],
  ["nothing scheduled yet, in a map", { status: "provisioning", replicas: {} }, []],
  ["nothing scheduled yet, in a bare map", {}, []],
])("the health of replicas is read from %s", (_what, json, expected) => {
  const status = readStatus(json);
  expect(status.replicas.map(({ healthy }) => healthy)).toEqual(expected);
  expect(status).not.toHaveProperty("overall");
});

test.each<[unknown, boolean]>([
  [{ status: "running", healthy: true }, true],
  [{ status: "running", health: "unhealthy" }, false],
  [{ status: "healthy" }, true],
  [{ health: { status: "ok" } }, true],
  [{ status: "provisioning" }, false],
  [{ status: "ok", data: { status: "provisioning" } }, false],
  [{ state: "CREATING", status: { code: "OK", message: "" } }, false],
  [{ deployment: { status: { status: "READY", conditions: [{ type: "Ready", status: "False" }] } } }, false],
])("%p speaks for the whole cluster", (json, overall) => {
  expect(readStatus(json)).toMatchObject({ replicas: [], overall });
});

test("the reason why a replica is unhealthy is read from several names", () => {
  const reasons = [{ reason: "oom" }, { error: { code: 1, message: "oom" } }, { detail: "oom" }];
  expect(readStatus(reasons).replicas.map(({ message }) => message)).toEqual(["oom", "oom", "oom"]);
});
