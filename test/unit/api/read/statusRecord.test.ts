import { readServiceInfo } from "../../../../provider/api/read/serviceRecords";
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

const ill = { id: "r-2", status: "starting", healthy: false };
const two = [{ id: "r-1", status: "running", healthy: true }].concat(ill);
const states = ["running", "starting"];
const both = states.map((status, at) => ({ id: `r-${at + 1}`, status }));
test.each<[string, unknown, unknown[]?]>([
  ["a list of another name", { status: "running", workers: both.slice(1) }, [ill]],
  ["a list of another name, of several", { status: "running", workers: both }],
  ["inside the cluster", { cluster: { status: "running", replicas: both } }],
  ["inside the cluster, with its id", { cluster: { id: "cl_1", status: "running", replicas: both } }],
  [
    "the manner of JSON:API",
    { data: both.map(({ id, status }) => ({ type: "replicas", id, attributes: { status } })) },
  ],
  [
    "the manner of JSON:API, if a flag says no",
    { data: [{ type: "replicas", id: "a", attributes: { status: "running", ready: false } }] },
    [{ id: "a", status: "running", healthy: false }],
  ],
  ["a list under a name one deeper", { data: { replicas: two } }],
  ["a map by id", { "r-1": { status: "running" }, "r-2": { status: "starting" } }],
  ["a map by id under replicas", { replicas: { "r-1": { status: "running" }, "r-2": { status: "starting" } } }],
  ["names of replicas", both.map(({ id, status }) => ({ name: id, state: status }))],
  [
    "phases and flags that say ready",
    both.map(({ id, status }) => ({ id, phase: status, ready: status === "running" ? true : "no" })),
  ],
])("replicas are read from %s", (_what, json, expected = two) => {
  expect(readStatus(json).replicas).toEqual(expected);
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

test.each<[string, unknown, boolean[]]>([
  ["as many sick as there are", { total: 2, running: 2, unhealthy: 2 }, [false, false]],
  ["one sick of two that run", { total: 2, running: 2, unhealthy: 1 }, [true, false]],
  ["fewer ready than running", { total: 2, running: 2, ready: 1 }, [true, false]],
  ["none of two that runs, whatever the word", { status: "ACTIVE", desiredCount: 2, runningCount: 0 }, [false, false]],
])("counts with %s are read", (_what, json, healthy) => {
  const { replicas, isCounted } = readStatus(json);
  expect({ healthy: replicas.map((replica) => replica.healthy), isCounted }).toEqual({ healthy, isCounted: true });
});

const ready = { type: "Ready", status: "True" };

/** Whether a replica is healthy, and a cluster that shows only this. */
const healthOf = (json: Record<string, unknown>) => {
  const { replicas, overall } = readStatus(json);
  const [replica] = readStatus([{ id: "a", ...json }]).replicas;
  return { replica: replica?.healthy, cluster: overall ?? replicas.every(({ healthy }) => healthy) };
};

test.each<[string, Record<string, unknown>]>([
  ["a flag beside the word, in an object", { status: { state: "running", ready: false } }],
  ["a flag beside the word", { status: "running", ready: false }],
  ["one flag of two", { status: "running", healthy: true, ready: false }],
  ["a condition", { status: "running", conditions: [{ type: "Ready", status: "False" }] }],
  ["a condition that is not known", { status: "running", conditions: [{ type: "Ready", status: "Unknown" }] }],
  ["a container inside", { phase: "Running", containerStatuses: [{ name: "main", ready: false }] }],
  ["one of two probes", { status: "running", health: { liveness: true, readiness: false } }],
  ["a check", { status: "running", checks: [{ name: "disk", status: "critical" }] }],
  ["one check of two", { status: "running", checks: [{ status: "passing" }, { status: "critical" }] }],
  ["a GPU", { status: "running", gpus: [{ index: 0, healthy: false }] }],
  ["one GPU of two", { status: "running", gpus: [{ healthy: true }, { healthy: false }] }],
  ["a share in the word", { status: "Running (1/2)" }],
  ["a flag that is a word nobody knows", { status: "running", healthy: "perhaps" }],
  ["a share of nothing in a flag", { status: "running", health: "0/0" }],
])("the no of %s outweighs the words", (_what, json) => {
  expect(healthOf(json)).toEqual({ replica: false, cluster: false });
});

test.each<[string, Record<string, unknown>]>([
  ["a share that is whole, in the word", { status: "Running (2/2)" }],
  ["both probes", { status: "running", health: { liveness: true, readiness: true } }],
  ["a container inside", { phase: "Running", containerStatuses: [{ name: "main", ready: true }] }],
  ["a flag beside the word, in an object", { status: { state: "running", ready: true } }],
  ["a flag that is null beside the word", { status: "running", ready: null }],
  ["a GPU", { status: "running", gpus: [{ index: 0, healthy: true }] }],
  [
    "a condition beside one of another kind",
    { status: "running", conditions: [ready, { type: "MemoryPressure", status: "False" }] },
  ],
])("the yes of %s is healthy", (_what, json) => {
  expect(healthOf(json)).toEqual({ replica: true, cluster: true });
});

test.each([[null], [7], [[]]])(
  "%j among the replicas counts as one that is not healthy, and the others are read",
  (odd) => {
    const { status, replicas } = readStatus({
      status: "running",
      replicas: [{ id: "a", healthy: true }, odd, { id: "c", status: "failed", message: "no memory" }],
    });
    expect(status).toBe("running");
    expect(replicas).toEqual([
      { id: "a", status: "", healthy: true },
      { id: "1", status: "", healthy: false },
      { id: "c", status: "failed", healthy: false, message: "no memory" },
    ]);
  },
);

test("no replica is called cluster", () => {
  expect(readStatus({ cluster: { status: "running" } }).replicas).toEqual([]);
});

test("conditions of the cluster are no replicas", () => {
  const json = { status: "running", conditions: [{ type: "Ready", status: "True" }] };
  expect(readStatus(json)).toMatchObject({ replicas: [], overall: true });
});

test("a descriptor that says nothing usable has no fields", () => {
  const json = { name: 1, version: null, endpoints: ["x"] };
  expect(readServiceInfo(json)).toEqual({ endpoints: {}, raw: json });
});
