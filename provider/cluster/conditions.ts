import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../api/records";
import { isLeaving, isSameWord, stateOf } from "../api/states";
import { cut } from "../text";
import { type HealthCheck, inputDefaults } from "./fields";
import { replicasNow } from "./replicas";
import type { CheckedInputs, ClusterState, Unawaited } from "./stateFields";

/** The observed state of a cluster at one time. */
export interface Observation {
  /** The cluster's record; absent when the service says that there is no such cluster. */
  readonly record?: ClusterRecord;
  /** The answer of its `/status`; absent if that was not read. */
  readonly status?: StatusRecord;
  /** The wait that the operation has left out. */
  readonly unawaited?: Unawaited;
}

/** The previous polls of a wait, for the verdict on the current poll. */
export interface PollHistory {
  /** Whether any poll of this wait, the current one included, has found the cluster. */
  readonly seen: boolean;
  /** Consecutive polls, the current one included, that did not find the cluster. */
  readonly misses: number;
  /** Consecutive polls before the current one that met the goal of the wait. */
  readonly healthyPolls: number;
  /** The first of those polls, in milliseconds of the wait. */
  readonly healthySinceMs?: number | undefined;
  /** Whether a poll showed a contradiction: a running cluster whose replicas are not healthy. */
  readonly contradicted: boolean;
  /** Milliseconds since the wait began. */
  readonly waitedMs: number;
  /**
   * The status word in the current poll: when it first appeared, in milliseconds of the wait, and in how many
   * consecutive polls.
   */
  readonly steady?: { readonly word: string | undefined; readonly sinceMs: number; readonly polls: number };
}

/** The history before the first poll. */
export const noHistory: PollHistory = { seen: false, misses: 0, healthyPolls: 0, contradicted: false, waitedMs: 0 };

export type Verdict =
  | { readonly kind: "ready" | "gone" }
  /** The cluster seems ready, stopped or failed; `/status` has to confirm or explain that. */
  | { readonly kind: "confirm"; readonly summary: string }
  | { readonly kind: "pending"; readonly summary: string; readonly healthy?: boolean; readonly contradiction?: boolean }
  | { readonly kind: "failed"; readonly summary: string; readonly reasons: readonly string[] };

/** The goal of a wait for a ready cluster. */
export interface Goal {
  readonly replicas: number;
  /** The number of replicas that have to be healthy. */
  readonly enough: number;
  readonly healthCheck: HealthCheck;
}

type Asked = Pick<CheckedInputs, "replicas" | "__replicaRange" | "minHealthyReplicas" | "healthCheck">;

/** The goal that the inputs request of the number of replicas that the service shows now. */
export function goalOf(inputs: Asked, shown?: number): Goal {
  const { minHealthyReplicas, healthCheck } = inputs;
  const replicas = replicasNow(inputs, shown);
  const least = minHealthyReplicas ?? replicas;
  const enough = typeof least === "number" ? least : Math.ceil((replicas * Number.parseInt(least, 10)) / 100);
  return {
    replicas,
    enough: Math.min(enough, replicas),
    healthCheck: healthCheck ?? inputDefaults.healthCheck ?? "status",
  };
}

/**
 * A new cluster is gone only after this time and this many missing polls: reads of the service may lag behind its
 * writes.
 */
const creationGraceMs = 30_000;
const creationMisses = 5;
/** A cluster that was found before is gone only after this many consecutive polls without it. */
const goneMisses = 3;

/**
 * Judges one poll of a wait until enough replicas are healthy. Pure. The record only suggests a verdict; `/status`
 * decides. One healthy poll is enough. Two consecutive ones are required if the state is unknown, if the service
 * reports one health for all replicas, or if a poll showed a contradiction. If fewer than all replicas are enough, a
 * pending state does not prevent the verdict.
 */
export function judgeReady(observation: Observation, past: PollHistory, goal: Goal): Verdict {
  const { record, status } = observation;
  if (!record) return judgeMissing(past);
  const word = tellingWord(record.status, status?.status);
  const state = stateOf(word);
  const told = withReason(word ?? "no state", record);
  if (isLeaving(word)) return failed(`it is ${told}: someone else is deleting it`, status);
  if (state === "stopped") return failed(`it is ${told}: someone else stopped it`, status);
  if (goal.healthCheck === "list") return judgeWord(word, told);
  const isPartial = goal.enough < goal.replicas;
  if (!status) return state === "pending" && !isPartial ? pending(told) : confirm(told);
  if (state === "failed") return failed(`it is ${told}`, status);
  const summary = `${countHealthy(status, goal.replicas)}/${goal.replicas} replicas healthy, ${told}`;
  if (!isHealthy(status, goal)) return { kind: "pending", summary, contradiction: state === "running" };
  if (state === "pending" && !isPartial) return { kind: "pending", summary };
  const isVague = state === "unknown" || status.overall !== undefined;
  const pollsNeeded = past.contradicted || isVague ? 2 : 1;
  return past.healthyPolls + 1 >= pollsNeeded ? { kind: "ready" } : { kind: "pending", summary, healthy: true };
}

/** For `healthCheck: "list"`: the status word of the cluster decides. */
function judgeWord(word: string | undefined, told: string): Verdict {
  const state = stateOf(word);
  if (state === "failed") return failed(`it is ${told}`, undefined);
  return state === "running" ? { kind: "ready" } : pending(told);
}

/** A status word with the service's reason for it. Running, stopped and terminated clusters need no reason. */
function withReason(word: string, { reason, status }: ClusterRecord): string {
  const isWell = ["running", "stopped", "terminated"].includes(stateOf(status));
  return reason === undefined || isWell ? word : `${word}: ${cut(reason, longestReason)}`;
}

/** The known facts about a cluster before it is stopped. */
export interface Running {
  /** False if only the status word of the cluster may be read, not `/status`. */
  readonly readsStatus: boolean;
  /** Its status word before the stop request. */
  readonly word?: string | undefined;
  /** The Pulumi state before the operation. */
  readonly before?: Partial<ClusterState>;
}

/**
 * Evidence from an unknown status word has to last this long. Twice the time that containers usually get to terminate: no
 * intermediate status word of a stop lasts longer.
 */
export const steadyWord = { ms: 60_000, polls: 3 };

/**
 * Judges one poll of a wait until the cluster is stopped. Pure. A known status word decides. If the word is unknown,
 * polls without a running replica mean that the cluster is stopped: two consecutive ones if the word differs from the one
 * before the stop request; else all polls of `steadyWord`, because the cluster may have run no replica at the request
 * either. If the replicas cannot be read, the cluster is stopped once its word differs from the one before the request,
 * and has stayed the same for `steadyWord`.
 */
export function judgeStopped(
  { record, status }: Observation,
  past: PollHistory,
  running: Running = { readsStatus: true },
): Verdict {
  if (!record) return judgeMissing(past);
  const word = tellingWord(record.status, status?.status);
  const state = stateOf(word);
  if (isLeaving(word)) return failed(`it is ${word}: someone else is deleting it`, status);
  if (state === "stopped") return { kind: "ready" };
  if (state !== "unknown") return pending(word);
  if (!status && running.readsStatus) return confirm(word);
  if (!status || status.isMissing) return isStoppedByWord(record, past, running) ? { kind: "ready" } : pending(word);
  if (!isIdle(status)) return pending(word);
  const isOther = !isSameWord(running.word, record.status) || isStopped(record, running.before);
  const isEnough = isOther ? past.healthyPolls > 0 : isHealthyFor(steadyWord, past);
  return isEnough ? { kind: "ready" } : { kind: "pending", summary: word ?? "no state", healthy: true };
}

/** Whether all polls of this time have met the goal of the wait, the current one included, and were that many. */
export function isHealthyFor(
  { ms, polls }: { readonly ms: number; readonly polls: number },
  { healthyPolls, healthySinceMs, waitedMs }: PollHistory,
): boolean {
  return healthyPolls + 1 >= polls && waitedMs - (healthySinceMs ?? waitedMs) >= ms;
}

function isStoppedByWord(
  record: ClusterRecord,
  { steady, waitedMs }: PollHistory,
  { word, before = {} }: Running,
): boolean {
  const { status } = record;
  if (status === undefined) return false;
  const isLong = steady !== undefined && waitedMs - steady.sinceMs >= steadyWord.ms && steady.polls >= steadyWord.polls;
  const isOther = word !== undefined && !isSameWord(word, status);
  return isStopped(record, before) || (isOther && isLong);
}

/**
 * Whether a cluster is stopped. An unknown or absent status word means stopped if this package has stopped the cluster
 * and the service has shown no other word since.
 */
export function isStopped({ status }: Pick<ClusterRecord, "status">, before: Partial<ClusterState> = {}): boolean {
  const state = stateOf(status);
  if (state === "stopped") return true;
  const wasStopped = before.desiredStatus === "stopped" && before.settled === true;
  return state === "unknown" && wasStopped && (status === undefined || before.status === status);
}

/**
 * Whether a cluster that this package has stopped has another unknown status word now, and no replicas can be observed:
 * then nothing shows any more that it is stopped.
 */
export function hasLeftRest({ record, status }: Observation, before: Partial<ClusterState>): boolean {
  const wasStopped = before.desiredStatus === "stopped" && before.settled === true;
  if (!wasStopped || record?.status === undefined || isSameWord(record.status, before.status)) return false;
  return stateOf(record.status) === "unknown" && (!status || status.isMissing === true);
}

/** Judges one poll of a wait until the service shows the cluster, in any state. Pure. */
export function judgeShown({ record }: Observation, past: PollHistory): Verdict {
  return record ? { kind: "ready" } : judgeMissing(past);
}

/**
 * Judges one poll of a wait until the cluster is gone. Pure. Only an answer of the service counts, never a missing
 * answer.
 */
export function judgeGone({ record }: Observation): Verdict {
  if (!record || stateOf(record.status) === "terminated") return { kind: "gone" };
  return pending(shortened(record.status));
}

function judgeMissing({ seen, misses, waitedMs }: PollHistory): Verdict {
  const isGone = seen ? misses >= goneMisses : misses >= creationMisses && waitedMs >= creationGraceMs;
  return isGone ? { kind: "gone" } : { kind: "pending", summary: "the service does not show it yet" };
}

/**
 * The status word that reports the worse state, of the record's and that of `/status`; the record's if neither is
 * worse.
 */
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

/**
 * The replicas that count. The service may show replaced replicas for a while, so a replica that is stopped or being
 * removed counts only if fewer than `wanted` others exist.
 */
function present({ replicas }: StatusRecord, wanted: number): readonly ReplicaRecord[] {
  const there = replicas.filter(({ status }) => stateOf(status) !== "terminated");
  const staying = there.filter(({ status }) => !isLeaving(status) && stateOf(status) !== "stopped");
  return staying.length >= wanted ? staying : there;
}

/** The number of healthy replicas, of the `replicas` that were requested. */
export function countHealthy(status: StatusRecord, replicas: number): number {
  if (status.overall !== undefined) return status.overall ? replicas : 0;
  return present(status, replicas).filter(({ healthy }) => healthy).length;
}

function isHealthy(status: StatusRecord, { replicas, enough }: Goal): boolean {
  if (enough < replicas) return countHealthy(status, replicas) >= enough;
  const isComplete = status.overall !== undefined || present(status, replicas).length === replicas;
  return isComplete && countHealthy(status, replicas) === replicas;
}

/**
 * Whether no replica runs or may run, by the replicas and by the status word of `/status`. A status that only counts
 * replicas, or has one health for all of them, does not prove that.
 */
export function isIdle(health: StatusRecord): boolean {
  const { replicas, overall } = health;
  const isDown = ({ status, healthy }: ReplicaRecord) =>
    !healthy && ["stopped", "terminated"].includes(stateOf(status));
  return !mayRun(health) && overall === undefined && replicas.every(isDown);
}

/** Whether the status word of `/status` says that the cluster runs, or is changing. */
function mayRun({ status }: StatusRecord): boolean {
  return ["running", "pending"].includes(stateOf(status));
}

/**
 * The state that the replicas suggest, for a cluster with an unknown status word that nobody is known to have stopped.
 * Pure. A cluster that is still coming up has no replicas either, so no replicas mean `stopped` only if `isUp`.
 */
export function restOf(status: StatusRecord, isUp: boolean): "stopped" | "failed" | undefined {
  const { replicas } = status;
  if (mayRun(status)) return undefined;
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

// Limits for messages; the state contains every replica.
const mostReasons = 4;
const longestReason = 120;
const longestWord = 60;
