import { isLeaving, isSameWord, stateOf } from "../api/read/states";
import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../api/records";
import { cut } from "../api/text";
import { type CheckedInputs, type ClusterState, type HealthCheck, inputDefaults } from "./fields";

/** What was seen of a cluster at one time. */
export interface Observation {
  /** The cluster's record; absent when the service says that there is no such cluster. */
  readonly record?: ClusterRecord;
  /** Its `/status`, where that was looked at. */
  readonly status?: StatusRecord;
}

/** What the looks before this one add to it. */
export interface PollHistory {
  /** Whether the cluster was seen at all since the wait began. */
  readonly seen: boolean;
  /** Looks in a row, this one included, in which it was missing. */
  readonly misses: number;
  /** Looks in a row before this one in which all was as it is waited for. */
  readonly healthyLooks: number;
  /** Whether some look contradicted itself: said to run, but not healthy. */
  readonly contradicted: boolean;
  /** Milliseconds since the wait began. */
  readonly waitedMs: number;
  /** The word of the cluster in this look: since when, in milliseconds of the wait, and in how many looks in a row. */
  readonly steady?: { readonly word: string | undefined; readonly sinceMs: number; readonly looks: number };
}

export type Verdict =
  | { readonly kind: "ready" | "gone" }
  /** Seems to be ready or failed: `/status` has to confirm it, or to explain it. */
  | { readonly kind: "confirm"; readonly summary: string }
  | { readonly kind: "pending"; readonly summary: string; readonly healthy?: boolean; readonly contradiction?: boolean }
  | { readonly kind: "failed"; readonly summary: string; readonly reasons: readonly string[] };

/** What a wait is for. */
export interface Goal {
  readonly replicas: number;
  /** How many of them have to be healthy. */
  readonly enough: number;
  readonly healthCheck: HealthCheck;
}

type Asked = Pick<CheckedInputs, "replicas" | "minHealthyReplicas" | "healthCheck">;

/** What the inputs ask to wait for. */
export function goalOf({ replicas, minHealthyReplicas, healthCheck }: Asked): Goal {
  const least = minHealthyReplicas ?? replicas;
  const enough = typeof least === "number" ? least : Math.ceil((replicas * Number.parseInt(least, 10)) / 100);
  return {
    replicas,
    enough: Math.min(enough, replicas),
    healthCheck: healthCheck ?? inputDefaults.healthCheck ?? "status",
  };
}

/** A new cluster may be missing at first, where the service's reads lag behind its writes. */
const newcomerGraceMs = 30_000;
const newcomerMisses = 5;
/** A cluster that was there and is missing is gone only when it stays missing. */
const goneMisses = 3;

/**
 * Judges one look for somebody who waits until enough replicas are healthy. Pure. The record only suggests; `/status`
 * decides. One healthy look is enough, but two in a row where the record holds no state that is known, where the service
 * speaks for all replicas at once, or where looks contradicted. Where fewer than all are enough, a word that says that the
 * others are still coming is no objection.
 */
export function judgeReady(look: Observation, past: PollHistory, goal: Goal): Verdict {
  const { record, status } = look;
  if (!record) return judgeMissing(past);
  const word = tellingWord(record.status, status?.status);
  const state = stateOf(word);
  const told = withReason(word ?? "no state", record);
  if (isLeaving(word)) return failed(`it is ${told}: somebody deletes it`, status);
  if (state === "stopped") return failed(`it is ${told}: somebody stopped it`, status);
  if (goal.healthCheck === "list") return judgeWord(word, told);
  const isPartial = goal.enough < goal.replicas;
  if (!status) return state === "pending" && !isPartial ? pending(told) : confirm(told);
  if (state === "failed") return failed(`it is ${told}`, status);
  const summary = `${countHealthy(status, goal.replicas)}/${goal.replicas} replicas healthy, ${told}`;
  if (!isHealthy(status, goal)) return { kind: "pending", summary, contradiction: state === "running" };
  if (state === "pending" && !isPartial) return { kind: "pending", summary };
  const isVague = state === "unknown" || status.overall !== undefined;
  const looksNeeded = past.contradicted || isVague ? 2 : 1;
  return past.healthyLooks + 1 >= looksNeeded ? { kind: "ready" } : { kind: "pending", summary, healthy: true };
}

/** For who believes the word of the cluster itself. */
function judgeWord(word: string | undefined, told: string): Verdict {
  const state = stateOf(word);
  if (state === "failed") return failed(`it is ${told}`, undefined);
  return state === "running" ? { kind: "ready" } : pending(told);
}

/** A state with the service's own reason for it; a cluster that is well needs none. */
function withReason(word: string, { reason, status }: ClusterRecord): string {
  const isWell = ["running", "stopped", "terminated"].includes(stateOf(status));
  return reason === undefined || isWell ? word : `${word}: ${cut(reason, longestReason)}`;
}

/** What is known of a cluster before it is stopped. */
export interface Running {
  /** False where the word of the cluster itself is all that may be looked at. */
  readonly readsStatus: boolean;
  /** Its word before it was asked to stop. */
  readonly word?: string | undefined;
  /** The state before. */
  readonly before?: Partial<ClusterState>;
}

/** Twice the time that containers usually get to end; so long lasts no state on the way that has a word of its own. */
const steadyWord = { ms: 60_000, looks: 3 };

/**
 * Judges one look for somebody who waits until the cluster is stopped. Pure. The word decides; where it is none that is
 * known, a cluster that has no replicas any more in two looks is stopped, whatever the service calls that. Where no replicas
 * can be looked at, one whose word has changed since it was asked to stop, and then stays the same for long.
 */
export function judgeStopped(
  { record, status }: Observation,
  past: PollHistory,
  running: Running = { readsStatus: true },
): Verdict {
  if (!record) return judgeMissing(past);
  const word = tellingWord(record.status, status?.status);
  const state = stateOf(word);
  if (isLeaving(word)) return failed(`it is ${word}: somebody deletes it`, status);
  if (state === "stopped") return { kind: "ready" };
  if (state !== "unknown") return pending(word);
  if (!status && running.readsStatus) return confirm(word);
  if (!status || status.isMissing) return isStoppedByWord(record, past, running) ? { kind: "ready" } : pending(word);
  if (!isIdle(status)) return pending(word);
  return past.healthyLooks > 0 ? { kind: "ready" } : { kind: "pending", summary: word ?? "no state", healthy: true };
}

function isStoppedByWord(
  record: ClusterRecord,
  { steady, waitedMs }: PollHistory,
  { word, before = {} }: Running,
): boolean {
  const { status } = record;
  if (status === undefined) return false;
  const isLong = steady !== undefined && waitedMs - steady.sinceMs >= steadyWord.ms && steady.looks >= steadyWord.looks;
  const isOther = word !== undefined && !isSameWord(word, status);
  return isStopped(record, before) || (isOther && isLong);
}

/**
 * Whether a cluster is at rest. A word that is not known, or none, is so where this package has stopped the cluster and the
 * service has said no other ever since.
 */
export function isStopped({ status }: Pick<ClusterRecord, "status">, before: Partial<ClusterState> = {}): boolean {
  const state = stateOf(status);
  if (state === "stopped") return true;
  const wasStopped = before.desiredStatus === "stopped" && before.settled === true;
  return state === "unknown" && wasStopped && (status === undefined || before.status === status);
}

/** Judges one look for somebody who waits until the service shows the cluster, whatever it is doing. Pure. */
export function judgeShown({ record }: Observation, past: PollHistory): Verdict {
  return record ? { kind: "ready" } : judgeMissing(past);
}

/** Judges one look for somebody who waits until the cluster is gone. Pure. Only the service's word counts, never silence. */
export function judgeGone({ record }: Observation): Verdict {
  if (!record || stateOf(record.status) === "terminated") return { kind: "gone" };
  return pending(shortened(record.status));
}

function judgeMissing({ seen, misses, waitedMs }: PollHistory): Verdict {
  const isGone = seen ? misses >= goneMisses : misses >= newcomerMisses && waitedMs >= newcomerGraceMs;
  return isGone ? { kind: "gone" } : { kind: "pending", summary: "the service does not show it" };
}

/** Of the record's word and the one of `/status`, the one that says more against the cluster; else the record's. */
function tellingWord(...words: (string | undefined)[]): string | undefined {
  const said = words.filter((word) => word !== undefined);
  const ranked = (["terminated", "stopped", "failed", "pending"] as const).flatMap((state) =>
    said.filter((word) => stateOf(word) === state),
  );
  return shortened(said.find(isLeaving) ?? ranked[0] ?? said[0]);
}

function shortened(word: string | undefined): string | undefined {
  return word === undefined ? undefined : cut(word, longestWord);
}

function confirm(word: string | undefined): Verdict {
  return { kind: "confirm", summary: word ?? "no state" };
}

function pending(word: string | undefined): Verdict {
  return { kind: "pending", summary: word ?? "no state" };
}

function failed(summary: string, status: StatusRecord | undefined): Verdict {
  return { kind: "failed", summary, reasons: unhealthyReasons(status) };
}

/** The replicas that count: a service may show replaced ones for a while, so what is going is one of `wanted` only if needed. */
function present({ replicas }: StatusRecord, wanted: number): readonly ReplicaRecord[] {
  const there = replicas.filter(({ status }) => stateOf(status) !== "terminated");
  const staying = there.filter(({ status }) => !isLeaving(status) && stateOf(status) !== "stopped");
  return staying.length >= wanted ? staying : there;
}

/** How many are healthy of the `replicas` that were asked for. */
export function countHealthy(status: StatusRecord, replicas: number): number {
  if (status.overall !== undefined) return status.overall ? replicas : 0;
  return present(status, replicas).filter(({ healthy }) => healthy).length;
}

function isHealthy(status: StatusRecord, { replicas, enough }: Goal): boolean {
  if (enough < replicas) return countHealthy(status, replicas) >= enough;
  const isComplete = status.overall !== undefined || present(status, replicas).length === replicas;
  return isComplete && countHealthy(status, replicas) === replicas;
}

/** Whether no replica runs, or may, also by the word of `/status` itself; what only counts them, or speaks for all of them, does not tell. */
export function isIdle({ status: word, replicas, overall }: StatusRecord): boolean {
  const isDown = ({ status, healthy }: ReplicaRecord) =>
    !healthy && ["stopped", "terminated"].includes(stateOf(status));
  const mayRun = ["running", "pending"].includes(stateOf(word));
  return !mayRun && overall === undefined && replicas.every(isDown);
}

/**
 * What replicas tell of a cluster that nobody is known to have stopped, and whose word is not known. Pure. None at all has
 * also one that is yet to come up, unless that `isUp` by now.
 */
export function restOf(status: StatusRecord, isUp: boolean): "stopped" | "failed" | undefined {
  const { replicas } = status;
  if (replicas.length === 0) return isUp && !status.isMissing && isIdle(status) ? "stopped" : undefined;
  if (isIdle(status)) return "stopped";
  const isOut = ({ status: word, healthy }: ReplicaRecord) =>
    !healthy && ["stopped", "terminated", "failed"].includes(stateOf(word));
  return status.overall === undefined && replicas.every(isOut) ? "failed" : undefined;
}

/** One line for each replica that is not healthy: `replica r-1: starting, image not found`. */
export function unhealthyReasons(status: StatusRecord | undefined): string[] {
  const sick = (status ? present(status, Number.POSITIVE_INFINITY) : []).filter(({ healthy }) => !healthy);
  const lines = sick.slice(0, mostReasons).map(({ id, status: word, message = "" }) => {
    const why = [cut(word, longestWord), cut(message, longestReason)].filter(Boolean).join(", ");
    return `replica ${cut(id, longestWord)}: ${why || "not healthy"}`;
  });
  return sick.length > mostReasons ? [...lines, `and ${sick.length - mostReasons} more`] : lines;
}

// What a person can read; the state has every replica.
const mostReasons = 4;
const longestReason = 120;
const longestWord = 60;
