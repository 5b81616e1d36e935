import type { ReplicaRecord } from "../../../provider/api/records";
import {
  countHealthy,
  goalOf,
  judgeGone,
  judgeReady,
  type Observation,
  type PollHistory,
  unhealthyReasons,
} from "../../../provider/cluster/conditions";

const calm: PollHistory = { seen: true, misses: 0, healthyLooks: 0, contradicted: false, waitedMs: 5_000 };

/** Replicas by a letter each: `h`ealthy, `s`tarting, `x` failed, `t`erminated. */
function replicasOf(letters: string): ReplicaRecord[] {
  const kinds: Record<string, Omit<ReplicaRecord, "id">> = {
    h: { status: "running", healthy: true },
    s: { status: "starting", healthy: false },
    x: { status: "failed", healthy: false, message: "image not found" },
    t: { status: "terminated", healthy: false },
  };
  return [...letters].map((letter, index) => ({
    id: `r${index}`,
    ...(kinds[letter] ?? { status: "", healthy: false }),
  }));
}

/** A look at a cluster of that word; without letters, `/status` was not looked at. */
function lookOf(word: string | undefined, letters?: string, statusWord?: string): Observation {
  const status = letters === undefined ? undefined : { status: statusWord, replicas: replicasOf(letters) };
  return { record: { id: "cl_1", status: word }, status };
}

describe("a look at the record alone, for two replicas,", () => {
  it.each([
    ["provisioning", "pending"],
    ["PROVISIONING", "pending"],
    ["degraded", "pending"],
    ["restarting", "pending"],
    ["stopping", "pending"],
    ["running", "confirm"],
    ["Ready", "confirm"],
    ["failed", "confirm"],
    ["warming-up", "confirm"],
    [undefined, "confirm"],
    ["stopped", "failed"],
    ["paused", "failed"],
    ["terminating", "failed"],
    ["deleting", "failed"],
    ["terminated", "failed"],
  ])("that says %s is %s", (word, kind) => {
    expect(judgeReady(lookOf(word), calm, goalOf({ replicas: 2 })).kind).toBe(kind);
  });
});

describe("a look with its status, for two replicas,", () => {
  it.each<[string, string | undefined, string, string]>([
    ["everything is healthy", "running", "hh", "ready"],
    ["old replicas are still shown as terminated", "running", "hht", "ready"],
    ["one is still starting", "running", "hs", "pending"],
    ["one is missing", "running", "h", "pending"],
    ["there are none", "running", "", "pending"],
    ["there is one too many", "running", "hhh", "pending"],
    ["the old ones are still there", "running", "hhs", "pending"],
    ["all are healthy before the word says so", "provisioning", "hh", "pending"],
    ["all are healthy while it scales", "scaling", "hh", "pending"],
    ["one has failed, the cluster has not", "running", "hx", "pending"],
    ["the cluster has failed", "failed", "hx", "failed"],
    ["the cluster is stopped", "stopped", "ss", "failed"],
    ["the cluster is deleted", "terminating", "hh", "failed"],
  ])("in which %s (%s, %s) is %s", (_title, word, letters, kind) => {
    expect(judgeReady(lookOf(word, letters), calm, goalOf({ replicas: 2 })).kind).toBe(kind);
  });

  it("says so when only its status has failed", () => {
    expect(judgeReady(lookOf("running", "hx", "failed"), calm, goalOf({ replicas: 2 }))).toMatchObject({
      kind: "failed",
      reasons: ["replica r1: failed, image not found"],
    });
  });

  it("takes the word of the status where the record has none", () => {
    expect(judgeReady(lookOf(undefined, "hh", "running"), calm, goalOf({ replicas: 2 })).kind).toBe("ready");
    expect(judgeReady(lookOf(undefined, "hh", "provisioning"), calm, goalOf({ replicas: 2 })).kind).toBe("pending");
  });

  it("shows how many are healthy, and the service's own word", () => {
    expect(judgeReady(lookOf("warming-up", "hs"), calm, goalOf({ replicas: 2 }))).toMatchObject({
      kind: "pending",
      summary: "1/2 replicas healthy, warming-up",
    });
  });
});

describe("one healthy look is enough", () => {
  it.each<[string, boolean, string | undefined, Partial<PollHistory>]>([
    ["where nothing contradicted", true, "running", {}],
    ["not after a contradiction", false, "running", { contradicted: true }],
    ["with a second one after a contradiction", true, "running", { contradicted: true, healthyLooks: 1 }],
    ["not where no state is known", false, undefined, {}],
    ["with a second one where no state is known", true, undefined, { healthyLooks: 1 }],
    ["not where the word is unknown", false, "warming-up", {}],
    ["with a second one where the word is unknown", true, "warming-up", { healthyLooks: 1 }],
  ])("%s: %s", (_title, expected, word, past) => {
    const verdict = judgeReady(lookOf(word, "hh"), { ...calm, ...past }, goalOf({ replicas: 2 }));
    expect(verdict).toMatchObject(expected ? { kind: "ready" } : { kind: "pending", healthy: true });
  });

  it.each([
    ["running but not healthy", "running", "hs", true],
    ["provisioning and not healthy", "provisioning", "hs", false],
    ["unknown and not healthy", "warming-up", "hs", false],
  ])("and a contradiction is what is %s", (_title, word, letters, contradiction) => {
    expect(judgeReady(lookOf(word, letters), calm, goalOf({ replicas: 2 }))).toMatchObject({
      kind: "pending",
      ...{ contradiction },
    });
  });
});

describe("a cluster that is missing", () => {
  it.each<[string, string, Partial<PollHistory>]>([
    ["is waited for when it is new", "pending", { seen: false, misses: 1, waitedMs: 1_000 }],
    ["is waited for after many looks in a short time", "pending", { seen: false, misses: 20, waitedMs: 29_000 }],
    ["is waited for after few looks in a long time", "pending", { seen: false, misses: 4, waitedMs: 300_000 }],
    ["never came, after 5 looks and 30 s", "gone", { seen: false, misses: 5, waitedMs: 30_000 }],
    ["is waited for when it was there, at the first miss", "pending", { seen: true, misses: 1 }],
    ["is waited for when it was there, at the second miss", "pending", { seen: true, misses: 2 }],
    ["is gone when it was there, at the third miss", "gone", { seen: true, misses: 3 }],
  ])("%s: %s", (_title, kind, past) => {
    expect(judgeReady({}, { ...calm, ...past }, goalOf({ replicas: 2 })).kind).toBe(kind);
  });
});

describe("whoever waits for a cluster to go", () => {
  it.each([
    ["running", "pending"],
    ["terminating", "pending"],
    ["stopped", "pending"],
    ["failed", "pending"],
    [undefined, "pending"],
    ["terminated", "gone"],
    ["DELETED", "gone"],
  ])("takes %s for %s", (word, kind) => {
    expect(judgeGone(lookOf(word)).kind).toBe(kind);
  });

  it("takes a missing one for gone at once, for the service said so", () => {
    expect(judgeGone({}).kind).toBe("gone");
  });
});

describe("the replicas' reasons", () => {
  it("leave out the healthy ones and the old ones", () => {
    expect(unhealthyReasons({ replicas: replicasOf("htsx?") })).toEqual([
      "replica r2: starting",
      "replica r3: failed, image not found",
      "replica r4: not healthy",
    ]);
  });

  it("are none without a status", () => {
    expect(unhealthyReasons(undefined)).toEqual([]);
  });

  it("count the healthy ones that are there", () => {
    expect(countHealthy({ replicas: [...replicasOf("hhs"), { id: "z", status: "deleted", healthy: true }] }, 3)).toBe(
      2,
    );
  });
});
