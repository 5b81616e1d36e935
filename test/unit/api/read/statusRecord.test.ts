import { readDetail } from "../../../../provider/api/read/clusterRecord";
import { readServiceInfo } from "../../../../provider/api/read/serviceRecords";
import { readStatus } from "../../../../provider/api/read/statusRecord";

const replica = { id: "r-1", status: "healthy", healthy: true, message: "fine" };
test.each([
  ["a bare list", [replica], undefined],
  ["replicas", { status: "running", replicas: [replica] }, "running"],
  ["data", { status: 7, data: [replica] }, undefined],
])("replicas are read from %s", (_what, json, status) => {
  expect(readStatus(json)).toEqual({ status, replicas: [replica] });
});

test.each([
  ["a flag that says yes", { id: "a", healthy: true, status: "x" }, { id: "a", status: "x", healthy: true }],
  [
    "a flag that says no",
    { id: "a", healthy: false, status: "running" },
    { id: "a", status: "running", healthy: false },
  ],
  [
    "a word for a failure, whatever a flag says",
    { id: "a", healthy: true, status: "failed" },
    { id: "a", status: "failed", healthy: false },
  ],
  ["nothing", {}, { id: "0", status: "" }],
  ["a word that nobody knows", { id: "a", status: "brewed" }, { id: "a", status: "brewed" }],
])("a replica's health is read from %s", (_what, json, expected) => {
  expect(readStatus([json]).replicas).toStrictEqual([expected]);
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
const states = ["running", "starting"];
const both = states.map((status, at) => ({ id: `r-${at + 1}`, status }));
test.each<[string, unknown]>([
  ["inside the cluster", { cluster: { status: "running", replicas: both } }],
  ["a map by id under replicas", { replicas: { "r-1": { status: "running" }, "r-2": { status: "starting" } } }],
  ["names of replicas", both.map(({ id, status }) => ({ name: id, state: status }))],
  [
    "phases and flags that say ready",
    both.map(({ id, status }) => ({ id, phase: status, ready: status === "running" ? true : "no" })),
  ],
])("replicas are read from %s", (_what, json) => {
  expect(readStatus(json).replicas).toEqual(two);
});

/** What is not certainly a list of replicas is an error: it may be about sick ones. */
test.each<[string, unknown]>([
  ["a list of another name", { status: "running", workers: both }],
  ["a map without a name", { "r-1": { status: "running" }, "r-2": { status: "starting" } }],
  ["counts by state", { status: "running", byStatus: { RUNNING: 3, PROVISIONING: 1 } }],
  ["nothing at all", {}],
  ...[null, 7, []].map((odd): [string, unknown] => [
    `${JSON.stringify(odd)} among them`,
    { replicas: [{ id: "a" }, odd] },
  ]),
])("%s is no list of replicas", (_what, json) => {
  expect(() => readStatus(json)).toThrow("is not a list of replicas");
});

test.each<[string, unknown, (boolean | undefined)[]]>([
  [
    "health texts",
    [{ health: "healthy" }, { health: "unhealthy" }, { health: "unknown" }, { health: "unknown", state: "up" }],
    [true, false, undefined, true],
  ],
  [
    "health in objects",
    [
      { health: { status: "passing" } },
      { health: { healthy: false } },
      { status: "UP", health: { status: "pass" } },
      { state: "UP", health: { status: "fail" } },
      { state: "UP", health: { brewed: "well" } },
      { state: "brewed", health: { status: "brewed" } },
    ],
    [true, false, true, false, true, undefined],
  ],
  ["a word that says running beside a health that does not", [{ state: "running", health: "starting" }], [false]],
  [
    "words in capitals with what they are of",
    [{ status: "REPLICA_STATUS_RUNNING" }, { status: "REPLICA_STATUS_FAILED" }],
    [true, false],
  ],
  ["shares", [{ ready: "1/2" }, { ready: "2/2" }, { ready: 0, status: "up" }], [false, true, false]],
  ["counts", { status: "running", replicas: { total: 3, healthy: 2 } }, [true, true, false]],
  ["nothing scheduled yet, in a list", { status: "provisioning", replicas: [] }, []],
])("the health of replicas is read from %s", (_what, json, expected) => {
  const status = readStatus(json);
  expect(status.replicas.map(({ healthy }) => healthy)).toEqual(expected);
  expect(status).not.toHaveProperty("overall");
});

const brewed = { status: "brewed" };
test.each<[string, unknown, boolean[]]>([
  ["all", { replicas: [brewed, brewed], ready_replicas: 2 }, [true, true]],
  ["one of two", { replicas: [brewed, brewed], summary: { total: 2, ready: 1 } }, [true, false]],
  ["one, which is known", { replicas: [brewed, { status: "up" }], ready: 1 }, [false, true]],
  ["more than there can be", { replicas: [brewed, { status: "failed" }], ready: 2 }, [true, false]],
])("a count of ready replicas decides about words that nobody knows (%s)", (_what, json, expected) => {
  expect(readStatus(json).replicas.map(({ healthy }) => healthy)).toEqual(expected);
});

test.each<[unknown, boolean]>([
  [{ status: "running", healthy: true }, true],
  [{ status: "running", health: { status: "fail" } }, false],
  [{ status: "brewed", health: { status: "pass" } }, true],
  [{ status: "healthy" }, true],
  [{ health: { status: "ok" } }, true],
  [{ status: "provisioning" }, false],
  [{ status: "ok", data: { status: "provisioning" } }, false],
])("%j speaks for the whole cluster", (json, overall) => {
  expect(readStatus(json)).toMatchObject({ replicas: [], overall });
});

test("a word that nobody knows, alone, speaks for nothing", () => {
  expect(readStatus(brewed)).toEqual({ status: "brewed", replicas: [], isMissing: true });
});

test("the reason why a replica is unhealthy is read from several names", () => {
  const reasons = [{ reason: "oom" }, { error: "oom" }, { message: "oom" }];
  expect(readStatus(reasons).replicas.map(({ message }) => message)).toEqual(["oom", "oom", "oom"]);
});

/** Whether a replica is healthy, and whether a cluster that shows only this is; what cannot be read is not. */
const healthOf = (json: Record<string, unknown>) => {
  const whole = () => {
    try {
      return readStatus(json).overall;
    } catch {
      return false;
    }
  };
  return { replica: readStatus([{ id: "a", ...json }]).replicas[0]?.healthy, cluster: whole() };
};

test.each<[string, Record<string, unknown>]>([
  ["one flag of two", { status: "running", healthy: true, ready: false }],
  ["one check of two", { status: "running", checks: [{ status: "passing" }, { status: "critical" }] }],
  ["a word deep inside", { status: "running", pod: { containers: [{ state: "CrashLoopBackOff" }] } }],
  ["a share in the word", { status: "Running (1/2)" }],
  ["a share in a flag", { status: "running", ready: "1/2" }],
])("the no of %s outweighs the words", (_what, json) => {
  expect(healthOf(json)).toEqual({ replica: false, cluster: false });
});

test.each<[string, Record<string, unknown>]>([
  ["a share that is whole, in the word", { status: "Running (2/2)" }],
  ["a flag that is null beside the word", { status: "running", ready: null }],
  ["a flag that is a word nobody knows", { status: "running", healthy: "perhaps" }],
])("the yes of %s is healthy", (_what, json) => {
  expect(healthOf(json).replica).toBe(true);
});

const healthIn = (record: object) =>
  readDetail("cl_1")({ id: "cl_1", ...record }).health?.replicas.map(({ healthy }) => healthy);
test.each<[string, object, unknown]>([
  ["flags", { status: "running", replicas: [{ ready: true }, { ready: false }] }, [true, false]],
  ["words that nobody knows", { status: "running", replicas: [brewed, { status: "up" }] }, [undefined, true]],
  ["such words, and a count", { status: "running", replicas: [brewed, brewed], active_replicas: 2 }, [true, true]],
  ["a count", { status: "up", replicas: 2, activeReplicas: 1 }, [true, false]],
  ["a count under a word that nobody knows", { ...brewed, replicas: 1, activeReplicas: 1 }, [true]],
  ["something that is no replica", { status: "running", replicas: [null, { status: "up" }] }, [false, true]],
  [
    "words alone where there is no health check",
    {
      status: "running",
      healthCheckEnabled: false,
      replicas: [
        { status: "up", healthy: false },
        { status: "starting", healthy: false },
        { ...brewed, healthy: false },
      ],
    },
    [true, false, undefined],
  ],
  ["nothing", { status: "running", replicas: 2 }, undefined],
])("the health in a record is read from %s", (_what, record, expected) => {
  expect(healthIn(record)).toEqual(expected);
});

test("a descriptor that says nothing usable has no fields", () => {
  const json = { name: 1, version: null, endpoints: ["x"] };
  expect(readServiceInfo(json)).toEqual({ endpoints: {}, raw: json });
});
