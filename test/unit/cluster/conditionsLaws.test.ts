import fc from "fast-check";
import type { ReplicaRecord, StatusRecord } from "../../../provider/api/records";
import { isLeaving, isSameWord, stateOf } from "../../../provider/api/states";
import {
  goalOf,
  isIdle,
  judgeReady,
  judgeStopped,
  type Observation,
  type PollHistory,
  type Running,
  restOf,
} from "../../../provider/cluster/conditions";

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
  healthyLooks: fc.nat(3),
  healthySinceMs: fc.nat(200_000),
  contradicted: fc.boolean(),
  waitedMs: fc.nat(200_000),
  steady: fc.option(fc.record({ word, sinceMs: fc.nat(200_000), looks: fc.nat(6) }), { nil: undefined }),
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

  it("ends without a word that is known only by replicas in two looks, or by a word that has changed and stays", () => {
    ready((seen, { healthyLooks, healthySinceMs, waitedMs, steady }, { readsStatus, word: old, before }) => {
      if (wordsOf(seen).some((said) => stateOf(said) === "stopped")) return true;
      const { record, status: health } = seen;
      if (health && !health.isMissing) {
        const isAsBefore = record?.status === undefined || before?.status === record.status;
        const isKept = before?.desiredStatus === "stopped" && before.settled && isAsBefore;
        const isQuick = !isSameWord(old, record?.status) || isKept;
        const idleMs = waitedMs - (healthySinceMs ?? waitedMs);
        return isIdle(health) && (isQuick ? healthyLooks > 0 : healthyLooks > 1 && idleMs >= 60_000);
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
  it("is at rest, or has failed, only where no replica is healthy or on its way, and without any only after it was up", () => {
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
