import { readStatus } from "../../../../provider/api/read/statusRecord";

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
])("the yes of %s is healthy", (_what, json) => {
  expect(healthOf(json)).toEqual({ replica: true, cluster: true });
});

test("a condition that says yes is healthy, and one of another kind says nothing", () => {
  const conditions = [
    { type: "Ready", status: "True" },
    { type: "MemoryPressure", status: "False" },
  ];
  expect(readStatus([{ id: "a", status: "running", conditions }]).replicas[0]?.healthy).toBe(true);
});
