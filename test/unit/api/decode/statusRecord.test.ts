import { readDetail } from "../../../../provider/api/decode/clusterRecord";
import { readStatus } from "../../../../provider/api/decode/statusRecord";

/** That no sick replica is read as healthy, whatever the form, is a law in neverWorst.test.ts. */

const brewed = { status: "brewed" };
const unchecked = [
  { status: "up", healthy: false },
  { status: "starting", healthy: false },
];

test.each<[string, unknown, (boolean | undefined)[]]>([
  ["a list inside the cluster", { cluster: { replicas: [{ status: "up" }, { status: "starting" }] } }, [true, false]],
  ["a flag beside a word that nobody knows", [{ healthy: true, ...brewed }], [true]],
  ["a word for a failure, whatever a flag says", [{ healthy: true, status: "failed" }], [false]],
  ["a health that does not say running", [{ status: "running", health: "starting" }], [false]],
  ["shares", [{ status: "Running (1/2)" }, { status: "up", ready: "1/2" }, { ready: "2/2" }], [false, false, true]],
  ["a number of none", [{ status: "up", ready: 0 }], [false]],
  ["a flag that says nothing beside a word", [{ status: "running", ready: null }], [true]],
  ["a word that nobody knows, as nothing", [brewed], [undefined]],
  ["counts alone", { status: "running", replicas: { total: 3, healthy: 2 } }, [true, true, false]],
  ["a count beside words that nobody knows", { replicas: [brewed, { status: "up" }], ready: 1 }, [false, true]],
])("the health of replicas is read from %s", (_what, json, expected) => {
  expect(readStatus(json).replicas.map(({ healthy }) => healthy)).toEqual(expected);
});

/** What is not certainly a list of replicas is an error: it may be about sick ones. */
test.each<[string, unknown]>([
  ["a list of another name", { status: "running", workers: [brewed] }],
  ["counts by state", { status: "running", byStatus: { RUNNING: 3, PROVISIONING: 1 } }],
  ["a number of those that should be", { replicas: 3 }],
  ["something else among them", { replicas: [{ id: "a" }, 7] }],
])("%s is no list of replicas", (_what, json) => {
  expect(() => readStatus(json)).toThrow("is not a list of replicas");
});

test.each<[unknown, object]>([
  [{ status: "running", healthy: true }, { overall: true }],
  [{ status: "running", health: { status: "fail" } }, { overall: false }],
  [brewed, { isMissing: true }],
])("%j shows the cluster as a whole, if anything", (json, expected) => {
  expect(readStatus(json)).toMatchObject({ replicas: [], ...expected });
});

test.each<[string, object, unknown]>([
  ["words, also unknown ones", { status: "running", replicas: [brewed, { status: "up" }] }, [undefined, true]],
  ["a count", { status: "up", replicas: 2, activeReplicas: 1 }, [true, false]],
  ["a count before the cluster runs, as nothing", { status: "pending", replicas: 1, activeReplicas: 1 }, [false]],
  ["words alone without a health check", { healthCheckEnabled: false, replicas: unchecked }, [true, false]],
  ["parts of another kind, as nothing", { volumes: [{ status: "available" }], available: 3 }, undefined],
])("the health in a record is read from %s", (_what, record, expected) => {
  const { health } = readDetail("cl_1")({ id: "cl_1", ...record });
  expect(health?.replicas.map(({ healthy }) => healthy)).toEqual(expected);
});
