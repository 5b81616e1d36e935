import fc from "fast-check";
import type { ReplicaRecord, StatusRecord } from "../../../provider/api/records";
import { isLeaving, isSameWord, stateOf } from "../../../provider/api/states";
import {
  goalOf,
  isIdle,
  judgeGone,
  judgeReady,
  judgeStopped,
  type Observation,
  type PollHistory,
  type Running,
  restOf,
  unhealthyReasons,
} from "../../../provider/cluster/conditions";

const calm: PollHistory = { seen: true, misses: 0, healthyPolls: 0, contradicted: false, waitedMs: 5_000 };
const two = goalOf({ replicas: 2 });

/** Replicas by their words; `healthy` is one that is. */
const replicasOf = (...words: string[]): ReplicaRecord[] =>
  words.map((word, index) => ({ id: `r${index}`, status: word, healthy: word === "healthy" }));
const well = replicasOf("healthy", "healthy");

/** A poll of a cluster of that word; without replicas, `/status` was not polled. */
const pollOf = (word: string | undefined, replicas?: ReplicaRecord[], statusWord?: string): Observation => ({
  record: { id: "cl_1", status: word },
  status: replicas && { status: statusWord, replicas },
});
const kindOf = (seen: Observation, past: Partial<PollHistory> = {}) => judgeReady(seen, { ...calm, ...past }, two).kind;

describe("for two replicas, a poll", () => {
  it.each([
    ...["provisioning", "PROVISIONING", "degraded", "restarting", "stopping"].map((word) => [word, "pending"] as const),
    ...["running", "Ready", "failed", "warming-up", undefined].map((word) => [word, "confirm"] as const),
    ...["stopped", "paused", "terminating", "deleting", "terminated"].map((word) => [word, "failed"] as const),
  ])("of the record alone that says %s is %s", (word, kind) => {
    expect(kindOf(pollOf(word))).toBe(kind);
  });

  it.each<[string, string[], string]>([
    ["running", ["healthy", "healthy"], "ready"],
    ["running", ["healthy", "starting"], "pending"],
    ["running", ["healthy"], "pending"],
    ["running", [], "pending"],
    ["running", ["healthy", "healthy", "healthy"], "pending"],
    ["running", ["healthy", "failed"], "pending"],
    ["provisioning", ["healthy", "healthy"], "pending"],
    ["scaling", ["healthy", "healthy"], "pending"],
    ["failed", ["healthy", "failed"], "failed"],
    ["stopped", ["starting", "starting"], "failed"],
    // Replicas that are left over do not count.
    ["running", ["healthy", "healthy", "stopped"], "ready"],
    ["running", ["healthy", "healthy", "terminating"], "ready"],
    ["running", ["healthy", "healthy", "terminated"], "ready"],
    ["running", ["stopped", "healthy", "deleting", "healthy", "paused"], "ready"],
    ["running", ["healthy", "stopped"], "pending"],
    ["running", ["healthy", "terminating"], "pending"],
    ["running", ["healthy", "healthy", "starting"], "pending"],
    ["running", ["healthy", "healthy", "failed"], "pending"],
    ["running", ["healthy", "starting", "stopped"], "pending"],
  ])("that says %s, of the replicas %j, is %s", (word, words, kind) => {
    expect(kindOf(pollOf(word, replicasOf(...words)))).toBe(kind);
  });

  it.each<[string | undefined, string | undefined, string]>([
    ["running", "updating", "pending"],
    ["running", "UPDATING", "pending"],
    ["running", "running (1/2)", "pending"],
    ["updating", "running", "pending"],
    ["running", "stopped", "failed"],
    ["stopped", "running", "failed"],
    ["running", "failed", "failed"],
    ["failed", "running", "failed"],
    ["updating", "failed", "failed"],
    ["failed", "updating", "failed"],
    ["running", "terminating", "failed"],
    ["terminating", "running", "failed"],
    ["running", "deleted", "failed"],
    ["running", "running", "ready"],
    ["running", undefined, "ready"],
    ["running", "warming-up", "ready"],
    [undefined, "running", "ready"],
    [undefined, "updating", "pending"],
  ])("whose replicas are healthy, and that says %s and in /status %s, is %s", (word, statusWord, kind) => {
    expect(kindOf(pollOf(word, well, statusWord))).toBe(kind);
  });

  it.each<[Observation, object]>([
    [pollOf("warming-up", replicasOf("healthy", "starting")), { summary: "1/2 replicas healthy, warming-up" }],
    [pollOf("failed", well, "terminating"), { summary: "it is terminating: someone else is deleting it" }],
    [pollOf("failed", well, "deleting"), { summary: "it is deleting: someone else is deleting it" }],
    [pollOf("running", replicasOf("healthy", "failed"), "failed"), { kind: "failed", reasons: ["replica r1: failed"] }],
    // A contradiction is a cluster that says that it runs, and is not healthy.
    [pollOf("running", replicasOf("healthy", "starting")), { kind: "pending", contradiction: true }],
    [pollOf("provisioning", replicasOf("healthy", "starting")), { kind: "pending", contradiction: false }],
    [pollOf("warming-up", replicasOf("healthy", "starting")), { kind: "pending", contradiction: false }],
  ])("%j says %j", (seen, verdict) => {
    expect(judgeReady(seen, calm, two)).toMatchObject(verdict);
  });

  it.each<[string, string | undefined, Partial<PollHistory>, boolean]>([
    ["nothing contradicted", "running", {}, true],
    ["there was a contradiction", "running", { contradicted: true }, false],
    ["it is the second one after a contradiction", "running", { contradicted: true, healthyPolls: 1 }, true],
    ["no state is known", undefined, {}, false],
    ["it is the second one, and no state is known", undefined, { healthyPolls: 1 }, true],
    ["the word is unknown", "warming-up", {}, false],
    ["it is the second one, and the word is unknown", "warming-up", { healthyPolls: 1 }, true],
  ])("that is healthy is enough if %s (%s, %j): %s", (_title, word, past, isEnough) => {
    const verdict = judgeReady(pollOf(word, well), { ...calm, ...past }, two);
    expect(verdict).toMatchObject(isEnough ? { kind: "ready" } : { kind: "pending", healthy: true });
  });

  it.each<[boolean, number, string]>([
    [true, 0, "pending"],
    [true, 1, "ready"],
    [false, 1, "pending"],
  ])("that speaks for all replicas at once (healthy: %s, after %d such polls) is %s", (overall, healthyPolls, kind) => {
    expect(kindOf({ ...pollOf("running"), status: { replicas: [], overall } }, { healthyPolls })).toBe(kind);
  });
});

it.each<[boolean, number, number, string]>([
  [false, 1, 1_000, "pending"],
  [false, 20, 29_000, "pending"],
  [false, 4, 300_000, "pending"],
  [false, 5, 30_000, "gone"],
  [true, 1, 5_000, "pending"],
  [true, 2, 5_000, "pending"],
  [true, 3, 5_000, "gone"],
])("a cluster that is missing (seen: %s, misses: %d, waited: %d ms) is %s", (seen, misses, waitedMs, kind) => {
  expect(kindOf({}, { seen, misses, waitedMs })).toBe(kind);
});

it.each([
  ...["running", "terminating", "stopped", "failed", undefined].map((word) => [pollOf(word), "pending"] as const),
  ...["terminated", "DELETED"].map((word) => [pollOf(word), "gone"] as const),
  // The service said so.
  [{}, "gone"] as const,
])("a wait for a deletion takes %j for %s", (seen, kind) => {
  expect(judgeGone(seen).kind).toBe(kind);
});

it("the replicas' reasons leave out the healthy ones and the old ones", () => {
  const replicas = [
    ...replicasOf("healthy", "terminated", "starting", ""),
    { id: "r4", status: "failed", healthy: false, message: "image not found" },
  ];
  const lines = ["replica r2: starting", "replica r3: not healthy", "replica r4: failed, image not found"];
  expect([unhealthyReasons({ replicas }), unhealthyReasons(undefined)]).toEqual([lines, []]);
});

const known = [
  "running",
  "provisioning",
  "stopping",
  "stopped",
  "failed",
  "terminating",
  "terminated",
  "running (1/2)",
];
const word = fc.option(fc.constantFrom(...known, "offline", "Offline", "faulted", "warming-up", "serving"), {
  nil: undefined,
});
const replica: fc.Arbitrary<ReplicaRecord> = fc.record({
  id: fc.string({ maxLength: 3 }),
  status: fc.constantFrom("running", "starting", "stopped", "terminated", "failed", "serving", ""),
  healthy: fc.boolean(),
});
const answered: fc.Arbitrary<StatusRecord> = fc.record(
  {
    replicas: fc.array(replica, { maxLength: 3 }),
    status: fc.constantFrom(...known, "offline", "serving"),
    overall: fc.boolean(),
  },
  { requiredKeys: ["replicas"] },
);
const missing: fc.Arbitrary<StatusRecord> = fc.constant({ replicas: [], isMissing: true });
const status = fc.oneof({ arbitrary: answered, weight: 6 }, missing);
const look: fc.Arbitrary<Observation> = fc
  .record({ word, status: fc.option(status, { nil: undefined }) })
  .map(({ word: shown, status: health }) => ({
    record: { id: "cl_1", ...(shown === undefined ? {} : { status: shown }) },
    ...(health ? { status: health } : {}),
  }));
const past: fc.Arbitrary<PollHistory> = fc.record({
  seen: fc.boolean(),
  misses: fc.nat(4),
  healthyPolls: fc.nat(3),
  healthySinceMs: fc.nat(200_000),
  contradicted: fc.boolean(),
  waitedMs: fc.nat(200_000),
  steady: fc.option(fc.record({ word, sinceMs: fc.nat(200_000), polls: fc.nat(6) }), { nil: undefined }),
});
const running: fc.Arbitrary<Running> = fc.record({
  readsStatus: fc.boolean(),
  word,
  before: fc.record({
    desiredStatus: fc.constantFrom("running" as const, "stopped" as const),
    settled: fc.boolean(),
    status: word.map((text) => text ?? "none"),
  }),
});

const wordsOf = ({ record, status: health }: Observation) =>
  [record?.status, health?.status].filter((said) => said !== undefined);

describe("a wait for a stop", () => {
  const ready = (check: (look: Observation, past: PollHistory, known: Running) => boolean) =>
    fc.assert(
      fc.property(look, past, running, (seen, before, facts) => {
        return judgeStopped(seen, before, facts).kind !== "ready" || check(seen, before, facts);
      }),
      { numRuns: 20_000 },
    );

  it("ends with nothing that is leaving, fails, or has a word for another state", () => {
    ready((seen) => {
      const states = wordsOf(seen).map(stateOf);
      const isTold = states.includes("stopped");
      return !wordsOf(seen).some(isLeaving) && (isTold || states.every((state) => state === "unknown"));
    });
  });

  it("ends without a word that is known only by replicas in two polls, or by a word that has changed and stays", () => {
    ready((seen, { healthyPolls, healthySinceMs, waitedMs, steady }, { readsStatus, word: old, before }) => {
      if (wordsOf(seen).some((said) => stateOf(said) === "stopped")) return true;
      const { record, status: health } = seen;
      if (health && !health.isMissing) {
        const isAsBefore = record?.status === undefined || before?.status === record.status;
        const isKept = before?.desiredStatus === "stopped" && before.settled && isAsBefore;
        const isQuick = !isSameWord(old, record?.status) || isKept;
        const idleMs = waitedMs - (healthySinceMs ?? waitedMs);
        return isIdle(health) && (isQuick ? healthyPolls > 0 : healthyPolls > 1 && idleMs >= 60_000);
      }
      if (readsStatus && !health) return false;
      const isLong = waitedMs - (steady?.sinceMs ?? waitedMs) >= 60_000;
      const isOther = old !== undefined && !isSameWord(old, record?.status) && isLong;
      const isAsLeft = before?.desiredStatus === "stopped" && before.settled && before.status === record?.status;
      return record?.status !== undefined && (isOther || isAsLeft === true);
    });
  });
});

describe("a wait for a cluster that runs", () => {
  it("ends only where the known word for that is all that counts, or enough replicas are healthy and no word objects", () => {
    fc.assert(
      fc.property(
        look,
        past,
        fc.constantFrom("status" as const, "list" as const),
        fc.nat(2),
        (seen, before, healthCheck, n) => {
          const goal = goalOf({ replicas: n + 1, healthCheck });
          if (judgeReady(seen, before, goal).kind !== "ready") return true;
          const states = wordsOf(seen).map(stateOf);
          if (
            wordsOf(seen).some(isLeaving) ||
            states.some((state) => ["stopped", "failed", "pending"].includes(state))
          ) {
            return false;
          }
          if (healthCheck === "list") return states[0] === "running";
          const { replicas = [], overall } = seen.status ?? {};
          return overall ?? replicas.filter(({ healthy }) => healthy).length > n;
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

describe("a cluster that nobody is known to have stopped", () => {
  it("is at rest, or has failed, only where no poll showed a replica is healthy or on its way, and without any only after it was up", () => {
    fc.assert(
      fc.property(status, fc.boolean(), (health, isUp) => {
        if (restOf(health, isUp) === undefined) return true;
        const isOut = ({ status: said, healthy }: ReplicaRecord) =>
          !healthy && ["stopped", "terminated", "failed"].includes(stateOf(said));
        if (["running", "pending"].includes(stateOf(health.status))) return false;
        const isTelling = health.replicas.length > 0 || (isUp && !health.isMissing);
        return health.overall === undefined && health.replicas.every(isOut) && isTelling;
      }),
      { numRuns: 5_000 },
    );
  });
});
