import fc from "fast-check";
import type { ReplicaRecord, StatusRecord } from "../../../../provider/api/decode/records";
import { isGone, isLeaving, isSick, stateOf } from "../../../../provider/api/decode/states";
import { goneCondition, readyCondition, stoppedCondition } from "../../../../provider/cluster/health/conditions";
import { type Found, goalOf, withHealth } from "../../../../provider/cluster/health/health";

const two = goalOf({ replicas: 2 });

/** Replicas by their words; `healthy` is one that is, and of `brewed` nobody knows what it means. */
const replicasOf = (...words: string[]): ReplicaRecord[] =>
  words.map((status, index) => ({
    id: `r${index}`,
    status,
    ...(status === "brewed" ? {} : { healthy: status === "healthy" }),
  }));
const well = replicasOf("healthy", "healthy");

/** A poll of a cluster of that word; without replicas, `/status` was not polled. */
const pollOf = (word: string | undefined, replicas?: ReplicaRecord[], statusWord?: string): Found => ({
  record: { id: "cl_1", status: word },
  status: replicas && { status: statusWord, replicas },
});
const statusOf = (seen: Found) => readyCondition(seen, two).status;

describe("for two replicas, a poll", () => {
  it.each([
    ...["PROVISIONING", "degraded", "stopping"].map((word) => [word, "pending"] as const),
    ...["running", "failed", "whirring", undefined].map((word) => [word, "unknown"] as const),
    ...["stopped", "terminating", "terminated"].map((word) => [word, "failed"] as const),
  ])("of the record alone that says %s is %s", (word, status) => {
    expect(statusOf(pollOf(word))).toBe(status);
  });

  it.each<[string, string[], string]>([
    ["running", ["healthy", "healthy"], "ready"],
    ["running", ["healthy", "starting"], "pending"],
    ["running", [], "pending"],
    ["provisioning", ["healthy", "healthy"], "pending"],
    ["stopped", ["starting", "starting"], "failed"],
    // Replicas that are left over do not count.
    ["running", ["healthy", "terminating"], "pending"],
    ["running", ["healthy", "healthy", "stopped"], "ready"],
    ["running", ["healthy", "healthy", "failed"], "pending"],
    // A known word outvotes one that nobody knows.
    ["running", ["healthy", "brewed"], "ready"],
    ["running", ["brewed", "brewed"], "ready"],
    ["whirring", ["healthy", "healthy"], "ready"],
    ["whirring", ["brewed", "brewed"], "pending"],
    ["unhealthy", ["healthy", "healthy"], "pending"],
    ["oom_killed", ["healthy", "healthy"], "failed"],
  ])("that says %s, of the replicas %j, is %s", (word, words, kind) => {
    expect(statusOf(pollOf(word, replicasOf(...words)))).toBe(kind);
  });

  it.each<[string | undefined, string | undefined, string]>([
    ["running", "updating", "pending"],
    ["updating", "running", "pending"],
    ["running", "stopped", "failed"],
    ["running", "failed", "failed"],
    ["running", "terminating", "failed"],
    ["running", "down", "pending"],
  ])("whose replicas are healthy, and that says %s and in /status %s, is %s", (word, statusWord, kind) => {
    expect(statusOf(pollOf(word, well, statusWord))).toBe(kind);
  });

  it.each<[Found, object]>([
    [pollOf("failed", well, "terminating"), { summary: "it is terminating: someone else is deleting it" }],
    [
      pollOf("running", replicasOf("healthy", "failed"), "failed"),
      { status: "failed", reasons: ["replica r1: failed"] },
    ],
    [pollOf("running", replicasOf("healthy", "starting")), { status: "pending" }],
    [pollOf("whirring", replicasOf("healthy", "starting")), { status: "pending" }],
  ])("%j says %j", (seen, condition) => {
    expect(readyCondition(seen, two)).toMatchObject(condition);
  });

  const unrecognized = '"whirring", which this version does not know';
  const brewed = '"brewed", which this version does not know';
  it.each<[string, Found, object]>([
    ["by time without a state", pollOf(undefined, well), { status: "ready", isVague: true }],
    ["by time under such a state", pollOf("whirring", well), { status: "ready", isVague: true, unrecognized }],
    [
      "by time where /status is such a word",
      { ...pollOf("running"), status: { replicas: [], status: "brewed", isMissing: true } },
      { status: "ready", isVague: true, unrecognized: brewed },
    ],
    [
      "by time where a known word is all that is shown",
      { ...pollOf("running"), status: { replicas: [], status: "running", overall: true, isMissing: true } },
      { status: "ready", isVague: true },
    ],
    [
      "at once where one flag is for all replicas",
      { ...pollOf("running"), status: { replicas: [], overall: true } },
      { status: "ready" },
    ],
    [
      "never where nothing is known",
      pollOf("whirring", replicasOf("brewed", "brewed")),
      {
        status: "pending",
        isVague: true,
        summary: "0/2 replicas healthy, whirring",
        unrecognized: '"whirring" and "brewed", which this version does not know',
      },
    ],
    [
      "not where a flag for all says no",
      { ...pollOf("whirring"), status: { replicas: [], overall: false } },
      { status: "pending" },
    ],
    [
      "not after a 404 of /status",
      { ...pollOf("running"), status: { replicas: [], isMissing: true } },
      { status: "pending" },
    ],
  ])("of words that may be unknown is ready %s", (_title, seen, verdict) => {
    const condition = readyCondition(seen, two);
    expect(condition).toMatchObject(verdict);
    for (const name of ["unrecognized", "isVague"]) if (!(name in verdict)) expect(condition).not.toHaveProperty(name);
  });

  it("of nothing that is known leaves the decision to a probe, if there is one; a bad word does not", () => {
    const probed = goalOf({ replicas: 2, readinessProbe: { path: "/health" } });
    const verdictOf = (word: string, ...words: string[]) =>
      readyCondition(pollOf(word, replicasOf(...words)), probed).status;
    expect(verdictOf("whirring", "brewed", "brewed")).toBe("ready");
    for (const [word = "", ...words] of [
      ["offline", "brewed"],
      ["whirring", "brewed", "failed"],
      ["pending", "brewed"],
    ])
      expect(verdictOf(word, ...words)).toBe("pending");
  });
});

it.each([
  ...["terminating", "stopped", undefined].map((word) => [pollOf(word), "pending"] as const),
  ...["terminated", "DELETED"].map((word) => [pollOf(word), "ready"] as const),
])("a wait for a deletion takes %j for %s", (seen, kind) => {
  expect(goneCondition(seen).status).toBe(kind);
});

it("for people, a replica of which nothing is known is healthy only if the cluster is ready all the same", () => {
  const replicas = replicasOf("healthy", "brewed", "failed");
  const shown = (isReady: boolean) => withHealth({ replicas }, isReady).replicas.map(({ healthy }) => healthy);
  expect([shown(true), shown(false)]).toEqual([
    [true, true, false],
    [true, false, false],
  ]);
});

const ended = ["stopped", "failed", "terminating", "terminated"];
const known = ["running", "provisioning", "stopping", "running (1/2)", ...ended];
const word = fc.option(fc.constantFrom(...known, "offline", "Offline", "whirring", "brewed"), { nil: undefined });
const replica: fc.Arbitrary<ReplicaRecord> = fc.record({
  id: fc.string({ maxLength: 3 }),
  status: fc.constantFrom("running", "starting", "stopped", "terminated", "failed", "brewed", ""),
  healthy: fc.option(fc.boolean(), { nil: undefined }),
});
const answered: fc.Arbitrary<StatusRecord> = fc.record(
  {
    replicas: fc.array(replica, { maxLength: 3 }),
    status: fc.constantFrom(...known, "offline", "brewed"),
    overall: fc.boolean(),
  },
  { requiredKeys: ["replicas"] },
);
const missing: fc.Arbitrary<StatusRecord> = fc.constant({ replicas: [], isMissing: true });
const status = fc.oneof({ arbitrary: answered, weight: 6 }, missing);
const look: fc.Arbitrary<Found> = fc
  .record({ word, status: fc.option(status, { nil: undefined }) })
  .map(({ word: shown, status: health }) => ({
    record: { id: "cl_1", ...(shown === undefined ? {} : { status: shown }) },
    ...(health ? { status: health } : {}),
  }));
const running = fc.record({
  word,
  state: fc.record({
    desiredStatus: fc.constantFrom("running" as const, "stopped" as const),
    settled: fc.boolean(),
    status: word.map((text) => text ?? "none"),
  }),
});

const wordsOf = ({ record, status: health }: Found) =>
  [record.status, health?.status].filter((said) => said !== undefined);

it("a wait for a stop ends with nothing that is leaving, fails, or has a word for another state", () => {
  fc.assert(
    fc.property(look, running, (seen, facts) => {
      if (stoppedCondition(seen, facts).status !== "ready") return true;
      const states = wordsOf(seen).map(stateOf);
      const isTold = states.includes("stopped");
      return !wordsOf(seen).some(isLeaving) && (isTold || states.every((state) => state === "unknown"));
    }),
    { numRuns: 3_000 },
  );
});

describe("a wait for a cluster that runs", () => {
  const judged = fc.nat(2).map((n) => goalOf({ replicas: n + 1 }));

  it("ends with no word for another state, no bad one, and no replica that is known to be sick", () => {
    fc.assert(
      fc.property(look, judged, (seen, goal) => {
        const condition = readyCondition(seen, goal);
        if (condition.status !== "ready") return true;
        const states = wordsOf(seen).map(stateOf);
        if (wordsOf(seen).some((said) => isLeaving(said) || isSick(said))) return false;
        if (states.some((state) => ["stopped", "failed", "pending"].includes(state))) return false;
        const { replicas = [], overall } = seen.status ?? {};
        if (overall !== undefined) return overall;
        const isLeft = ({ status: said }: ReplicaRecord) => isGone(said) || stateOf(said) === "stopped";
        const staying = replicas.filter((replica) => !isLeft(replica));
        const isSteady = condition.isVague === true && condition.unrecognized !== undefined;
        const isDoubtful = states.length > 0 && !states.includes("running");
        if (staying.some(({ healthy }) => healthy === false) || (isDoubtful && !isSteady)) return false;
        return staying.every(({ healthy }) => healthy) || (isSteady && states.includes("running"));
      }),
      { numRuns: 3_000 },
    );
  });
});
