import { readDetail } from "../../../../provider/api/read/clusterRecord";
import { readStatus } from "../../../../provider/api/read/statusRecord";

/** That no sick replica is read as healthy, whatever the form, is a law in neverWorst.test.ts. */

const two = [
  { id: "r-1", status: "running", healthy: true },
  { id: "r-2", status: "starting", healthy: false },
];
const both = two.map(({ id, status }) => ({ id, status }));
test.each<[string, unknown]>([
  ["a bare list", both],
  ["inside the cluster", { cluster: { status: "running", replicas: both } }],
  ["a map by id under replicas", { replicas: { "r-1": { status: "running" }, "r-2": { status: "starting" } } }],
  ["names and phases", both.map(({ id, status }) => ({ name: id, phase: status, ready: status === "running" }))],
])("replicas are read from %s", (_what, json) => {
  expect(readStatus(json).replicas).toEqual(two);
});

test.each<[string, object, object]>([
  ["a flag beside a word that nobody knows", { id: "a", healthy: true, status: "x" }, { healthy: true }],
  ["a word for a failure, whatever a flag says", { id: "a", healthy: true, status: "failed" }, { healthy: false }],
  ["a health that does not say running", { id: "a", status: "running", health: "starting" }, { healthy: false }],
  ["a word with what it is of", { id: "a", status: "REPLICA_STATUS_RUNNING" }, { healthy: true }],
  ["a share in the word", { id: "a", status: "Running (1/2)" }, { healthy: false }],
  ["a share that is whole", { id: "a", status: "Running (2/2)" }, { healthy: true }],
  ["a share in a flag", { id: "a", status: "running", ready: "1/2" }, { healthy: false }],
  ["a number of none", { id: "a", status: "up", ready: 0 }, { healthy: false }],
  ["a flag that says nothing beside a word", { id: "a", status: "running", ready: null }, { healthy: true }],
  ["a word that nobody knows, as nothing", { id: "a", status: "brewed" }, {}],
  ["nothing", { id: "a" }, {}],
])("a replica's health is read from %s", (_what, json, expected) => {
  const [{ id: _id, status: _status, ...health } = { id: "", status: "" }] = readStatus([json]).replicas;
  expect(health).toStrictEqual(expected);
});

/** What is not certainly a list of replicas is an error: it may be about sick ones. */
test.each<[string, unknown]>([
  ["a list of another name", { status: "running", workers: both }],
  ["a map without a name", { "r-1": { status: "running" }, "r-2": { status: "starting" } }],
  ["counts by state", { status: "running", byStatus: { RUNNING: 3, PROVISIONING: 1 } }],
  ["a number of those that should be", { replicas: 3 }],
  ["something else among them", { replicas: [{ id: "a" }, 7] }],
  ["an error", { error: { message: "x" } }],
  ["null", null],
])("%s is no list of replicas", (_what, json) => {
  expect(() => readStatus(json)).toThrow("is not a list of replicas");
});

const brewed = { status: "brewed" };
test.each<[string, unknown, boolean[]]>([
  ["counts alone", { status: "running", replicas: { total: 3, healthy: 2 } }, [true, true, false]],
  ["a count beside words that nobody knows", { replicas: [brewed, brewed], ready_replicas: 1 }, [true, false]],
  ["one, which is known", { replicas: [brewed, { status: "up" }], ready: 1 }, [false, true]],
  ["more than there can be", { replicas: [brewed, { status: "failed" }], ready: 2 }, [true, false]],
])("the health of replicas is read from %s", (_what, json, expected) => {
  expect(readStatus(json).replicas.map(({ healthy }) => healthy)).toEqual(expected);
});

test.each<[unknown, boolean]>([
  [{ status: "running", healthy: true }, true],
  [{ status: "running", health: { status: "fail" } }, false],
  [{ status: "provisioning" }, false],
])("%j speaks for the whole cluster", (json, overall) => {
  expect(readStatus(json)).toMatchObject({ replicas: [], overall });
});

test("a word that nobody knows, alone, speaks for nothing", () => {
  expect(readStatus(brewed)).toEqual({ status: "brewed", replicas: [], isMissing: true });
});

const unchecked = [
  { status: "up", healthy: false },
  { status: "starting", healthy: false },
];
test.each<[string, object, unknown]>([
  ["words, also unknown ones", { status: "running", replicas: [brewed, { status: "up" }] }, [undefined, true]],
  ["a count", { status: "up", replicas: 2, activeReplicas: 1 }, [true, false]],
  ["a count before the cluster runs, as nothing", { status: "pending", replicas: 1, activeReplicas: 1 }, [false]],
  ["something that is no replica", { status: "running", replicas: [null, { status: "up" }] }, [false, true]],
  ["words alone without a health check", { healthCheckEnabled: false, replicas: unchecked }, [true, false]],
  ["parts of another kind, as nothing", { volumes: [{ status: "available" }], available: 3 }, undefined],
  ["a number of those that should be, as nothing", { status: "running", replicas: 2 }, undefined],
])("the health in a record is read from %s", (_what, record, expected) => {
  const { health } = readDetail("cl_1")({ id: "cl_1", ...record });
  expect(health?.replicas.map(({ healthy }) => healthy)).toEqual(expected);
});
