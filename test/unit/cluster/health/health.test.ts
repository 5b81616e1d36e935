import fc from "fast-check";
import type { ReplicaRecord, StatusRecord } from "../../../../provider/api/decode/records";
import { isDeleting, isUnhealthyStatus, mayBeGone, stateOf } from "../../../../provider/api/decode/states";
import {
  type Found,
  goalOf,
  goneCondition,
  readyCondition,
  stoppedCondition,
  withHealth,
} from "../../../../provider/cluster/health/health";

const two = goalOf({ replicas: 2 });

/** Replicas by their words: `healthy` is healthy, and this version does not know `brewed`. */
const replicasOf = (...words: string[]): ReplicaRecord[] =>
  words.map((status, index) => ({
    id: `r${index}`,
    status,
    ...(status === "brewed" ? {} : { healthy: status === "healthy" }),
  }));
const well = replicasOf("healthy", "healthy");

/** A poll of a cluster with this status word; without replicas, `/status` was not polled. */
const pollOf = (word: string | undefined, replicas?: ReplicaRecord[], statusWord?: string): Found => ({
  record: { id: "cl_1", status: word },
  status: replicas && { status: statusWord, replicas },
});
/** A poll whose `/status` lists no replicas. */
const wholeOf = (word: string, status: Omit<StatusRecord, "replicas">): Found => ({
  ...pollOf(word),
  status: { replicas: [], ...status },
});

describe("the condition of a cluster that has to run two healthy replicas", () => {
  it.each([
    ...["PROVISIONING", "degraded", "stopping"].map((word) => [word, "pending"] as const),
    ...["running", "failed", "whirring", undefined].map((word) => [word, "unknown"] as const),
    ...["stopped", "terminating", "terminated"].map((word) => [word, "failed"] as const),
  ])("follows from the record alone: %s is %s", (word, kind) => {
    expect(readyCondition(pollOf(word), two).kind).toBe(kind);
  });

  it.each<[string, string[], string]>([
    ["running", ["healthy", "healthy"], "ready"],
    ["running", [], "pending"],
    ["stopped", ["starting", "starting"], "failed"],
    // Replicas that remain from before do not count.
    ["running", ["healthy", "terminating"], "pending"],
    ["running", ["healthy", "healthy", "stopped"], "ready"],
    ["running", ["healthy", "healthy", "failed"], "pending"],
    // A known word takes precedence over an unknown one.
    ["running", ["brewed", "brewed"], "ready"],
    ["whirring", ["healthy", "healthy"], "ready"],
    ["whirring", ["brewed", "brewed"], "pending"],
    ["oom_killed", ["healthy", "healthy"], "failed"],
  ])("follows from the word and the replicas: %s with %j is %s", (word, words, kind) => {
    expect(readyCondition(pollOf(word, replicasOf(...words)), two).kind).toBe(kind);
  });

  it("explains a failure by the worse word and the unhealthy replicas", () => {
    const summary = "it is terminating: someone else is deleting it";
    expect(readyCondition(pollOf("failed", well, "terminating"), two)).toMatchObject({ kind: "failed", summary });
    const sick = pollOf("running", replicasOf("healthy", "failed"), "failed");
    expect(readyCondition(sick, two)).toMatchObject({ kind: "failed", reasons: ["replica r1: failed"] });
  });

  it.each<[string, Found, object]>([
    ["is vague without a word", pollOf(undefined, well), { kind: "ready", isVague: true }],
    [
      "is vague if /status is only an unknown word",
      wholeOf("running", { status: "whirring", isMissing: true }),
      { kind: "ready", isVague: true, unrecognized: '"whirring", which this version does not know' },
    ],
    ["is certain with one flag for all replicas", wholeOf("running", { overall: true }), { kind: "ready" }],
    ["is pending if that flag is false", wholeOf("whirring", { overall: false }), { kind: "pending" }],
    ["is pending after a 404 of /status", wholeOf("running", { isMissing: true }), { kind: "pending" }],
  ])("%s", (_title, poll, expected) => {
    const { kind, isVague, unrecognized } = readyCondition(poll, two);
    expect({ kind, isVague, unrecognized }).toEqual(expected);
  });

  it("depends on the probe if no word is known, but not if a word is bad", () => {
    const probed = goalOf({ replicas: 2, readinessProbe: { path: "/health" } });
    const statusOf = (word: string, ...words: string[]) =>
      readyCondition(pollOf(word, replicasOf(...words)), probed).kind;
    expect(statusOf("whirring", "brewed", "brewed")).toBe("ready");
    expect(statusOf("offline", "brewed")).toBe("pending");
    expect(statusOf("whirring", "brewed", "failed")).toBe("pending");
    expect(statusOf("pending", "brewed")).toBe("pending");
  });
});

test.each(["terminating", "stopped", undefined])("a wait for a deletion continues with another word: %s", (other) => {
  expect(goneCondition(pollOf(other)).kind).toBe("pending");
});

test("a replica of unknown health is healthy for users only if the cluster is ready", () => {
  const replicas = replicasOf("healthy", "brewed", "failed");
  const healthOf = (isReady: boolean) => withHealth({ replicas }, isReady).replicas.map(({ healthy }) => healthy);
  expect(healthOf(true)).toEqual([true, true, false]);
  expect(healthOf(false)).toEqual([true, false, false]);
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
const observation: fc.Arbitrary<Found> = fc.record({
  record: fc.record({ id: fc.constant("cl_1"), status: word }),
  status: fc.option(status, { nil: undefined }),
});
const beforeStop = fc.record({
  word,
  state: fc.record({
    desiredStatus: fc.constantFrom("running" as const, "stopped" as const),
    settled: fc.boolean(),
    status: word.map((text) => text ?? "none"),
  }),
});

const wordsOf = ({ record, status: health }: Found) =>
  [record.status, health?.status].filter((each) => each !== undefined);

test("a wait for a stop never ends while a word means another state or a deletion", () => {
  fc.assert(
    fc.property(observation, beforeStop, (found, before) => {
      if (stoppedCondition(found, before).kind !== "ready") return true;
      const states = wordsOf(found).map(stateOf);
      return (
        !wordsOf(found).some(isDeleting) && (states.includes("stopped") || states.every((state) => state === "unknown"))
      );
    }),
    { numRuns: 3_000 },
  );
});

test("a wait for a running cluster never ends with a bad word, a word for another state, or an unhealthy replica", () => {
  const goals = fc.integer({ min: 1, max: 3 }).map((replicas) => goalOf({ replicas }));
  fc.assert(
    fc.property(observation, goals, (found, goal) => {
      const condition = readyCondition(found, goal);
      if (condition.kind !== "ready") return true;
      const states = wordsOf(found).map(stateOf);
      if (wordsOf(found).some((each) => isDeleting(each) || isUnhealthyStatus(each))) return false;
      if (states.some((state) => ["stopped", "failed", "pending"].includes(state))) return false;
      const { replicas = [], overall } = found.status ?? {};
      if (overall !== undefined) return overall;
      const staying = replicas.filter((each) => !mayBeGone(each.status) && stateOf(each.status) !== "stopped");
      const isSteady = condition.isVague === true && condition.unrecognized !== undefined;
      const isDoubtful = states.length > 0 && !states.includes("running");
      if (staying.some(({ healthy }) => healthy === false) || (isDoubtful && !isSteady)) return false;
      return staying.every(({ healthy }) => healthy) || (isSteady && states.includes("running"));
    }),
    { numRuns: 3_000 },
  );
});
