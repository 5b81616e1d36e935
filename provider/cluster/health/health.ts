import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../../api/decode/records";
import {
  isDeleting,
  isKnownWord,
  isSameWord,
  isStopping,
  isUnhealthyStatus,
  mayBeGone,
  stateOf,
} from "../../api/decode/states";
import { cut, listOf } from "../../base/text";
import { maxUnseenRolloutMs } from "../../base/times";
import type { CheckedInputs, ClusterState } from "../schema/state";

export interface Observation {
  /** The cluster's record; absent when the service says that there is no such cluster. */
  readonly record?: ClusterRecord;
  /** The answer of its `/status`; absent if that was not read. */
  readonly status?: StatusRecord;
  /** Whether the cluster does not exist any more. A record is what is left of it. */
  readonly isGone?: boolean;
}

export interface Found extends Observation {
  readonly record: ClusterRecord;
}

export interface Goal {
  readonly replicas: number;
  readonly enough: number;
  readonly isProbed: boolean;
}

type GoalInputs = Pick<CheckedInputs, "replicas" | "minHealthyReplicas" | "readinessProbe">;

export function goalOf({ replicas, minHealthyReplicas, readinessProbe }: GoalInputs): Goal {
  return {
    replicas,
    enough: Math.min(minHealthyReplicas ?? replicas, replicas),
    isProbed: readinessProbe !== undefined,
  };
}

// Limits for messages. The state contains every replica.
const maxReasons = 4;
const maxReasonLength = 120;
const maxWordLength = 60;

interface RolloutProgress {
  readonly hasBegun: boolean;
  /** The ids of replicas that are new, or have changed since before the rollout. */
  readonly renewed: readonly string[];
}

export interface Condition {
  /** `failed` does not change by itself. `unknown`: the record alone cannot tell, so `/status` has to be read. */
  readonly kind: "ready" | "pending" | "failed" | "unknown";
  /** One line for people: `1/2 replicas healthy, provisioning`. */
  readonly summary: string;
  readonly reasons?: readonly string[];
  /** Whether the status word or the health is unknown: the condition counts only after it has stayed the same for a while. */
  readonly isVague?: boolean;
  readonly unrecognized?: string;
  readonly rollout?: RolloutProgress;
}

/**
 * The condition of a cluster that has to become ready. A bad word or flag takes precedence. If fewer than all replicas are enough,
 * a pending status does not block. Unknown words are neither good nor bad: the known facts decide, or the probe.
 */
export function readyCondition(found: Found, { replicas, enough, isProbed }: Goal): Condition {
  const { record, status } = found;
  const word = worstWord(found);
  const state = stateOf(word);
  const needsReason = !["running", "stopped", "terminated"].includes(stateOf(record.status));
  let description = word ?? "no state";
  if (record.reason !== undefined && needsReason) description += `: ${cut(record.reason, maxReasonLength)}`;
  const isPartial = enough < replicas;
  if (isDeleting(word) || found.isGone) return failed(found, `it is ${description}: someone else is deleting it`);
  if (state === "stopped") return failed(found, `it is ${description}: someone else stopped it`);
  if (!status) return { kind: state === "pending" && !isPartial ? "pending" : "unknown", summary: description };
  if (state === "failed") return failed(found, `it is ${description}`);

  const counted = countedReplicas(status, replicas);
  const healthy = countHealthy(status, replicas);
  const count = `${healthy}/${replicas} replicas healthy`;
  // A status that is only a word stands for all replicas.
  const hasAll = isPartial ? counted.length >= enough : counted.length === replicas;
  const isComplete = status.isMissing ? status.status !== undefined : hasAll;
  const blocks = state === "pending" ? !isPartial : isUnhealthyStatus(word);
  if (!blocks && (status.overall ?? isComplete) && healthy >= enough) {
    // Without the reason, which can change from poll to poll.
    const summary = `${count}, ${word ?? "no state"}`;
    if (state === "unknown" && word !== undefined) return vague("ready", summary, unrecognizedIn(found));
    return word === undefined || status.isMissing ? vague("ready", summary) : { kind: "ready", summary };
  }

  const summary = `${count}, ${description}`;
  const isRunning = state === "running";
  // The health of some replicas, or of the whole cluster, is unknown, and no replica is unhealthy.
  const hasUnknown = counted.length === 0 || counted.some((replica) => replica.healthy === undefined);
  const isUnknown = status.overall === undefined && hasUnknown && counted.every((replica) => replica.healthy !== false);
  const mayBeReady = !blocks && state !== "pending" && isUnknown;
  if (!mayBeReady || (isRunning && !isComplete)) return { kind: "pending", summary };
  return vague(isRunning || isProbed ? "ready" : "pending", summary, unrecognizedIn(found));
}

interface BeforeStop {
  readonly word?: string | undefined;
  readonly state?: Partial<ClusterState>;
}

/**
 * The condition of a cluster that has to stop. A known status word takes precedence. If the word is unknown, the replicas decide
 * or, if they cannot be read, a word that differs from the one before the stop.
 */
export function stoppedCondition(found: Found, before: BeforeStop = {}): Condition {
  const { record, status } = found;
  const word = worstWord(found);
  const summary = word ?? "no state";
  if (isDeleting(word) || found.isGone) return failed(found, `it is ${summary}: someone else is deleting it`);
  if (stateOf(word) === "stopped") return { kind: "ready", summary };
  const isRunning = stateOf(record.status) === "running" || stateOf(status?.status) === "running";
  if (stateOf(word) !== "unknown" || isRunning) return { kind: "pending", summary };
  if (!status) return { kind: "unknown", summary };
  const hasNewWord = isStopped(record, before.state) || !isSameWord(before.word, record.status);
  const hasStopped = status.isMissing ? hasNewWord : isIdle(status);
  return hasStopped ? vague("ready", summary) : { kind: "pending", summary };
}

export function goneCondition({ record: { status }, isGone: isConfirmed }: Found): Condition {
  return {
    kind: isConfirmed || mayBeGone(status) ? "ready" : "pending",
    summary: cut(status ?? "no state", maxWordLength),
  };
}

function vague(kind: "ready" | "pending", summary: string, unrecognized?: string): Condition {
  return { kind, summary, isVague: true, ...(unrecognized === undefined ? {} : { unrecognized }) };
}

function failed({ status }: Found, summary: string): Condition {
  return { kind: "failed", summary, reasons: unhealthyReasons(status) };
}

function unrecognizedIn({ record, status }: Found): string {
  const replicas = status?.replicas.filter(({ healthy }) => healthy === undefined) ?? [];
  const words = [record.status, status?.status, ...replicas.map((replica) => replica.status)];
  const unknown = new Set(words.filter((word) => word !== undefined && word !== "" && !isKnownWord(word)));
  const quoted = [...unknown].slice(0, maxReasons).map((word = "") => `"${cut(word, maxWordLength)}"`);
  return quoted.length > 0 ? `${listOf(quoted)}, which this version does not know` : "nothing about its health";
}

/**
 * Whether a cluster is stopped. An unknown or absent status word means stopped if this package has stopped the cluster and the
 * word is the one in the state: a refresh that sees another word unsettles the state, without an operation.
 */
export function isStopped({ status }: Pick<ClusterRecord, "status">, state: Partial<ClusterState> = {}): boolean {
  if (stateOf(status) !== "unknown") return stateOf(status) === "stopped";
  const isKnown = state.settled === true || state.__unfinished !== undefined;
  const wasStopped = state.desiredStatus === "stopped" && isKnown;
  return wasStopped && (status === undefined || state.status === status);
}

export function isDown(record: Pick<ClusterRecord, "status">, state: Partial<ClusterState>): boolean {
  return isStopping(record.status) || isStopped(record, state);
}

/** The meanings of status words, worst first. */
const ranks: readonly ((word: string) => boolean)[] = [
  isDeleting,
  (word) => stateOf(word) === "stopped",
  (word) => stateOf(word) === "failed",
  (word) => stateOf(word) === "pending",
  isUnhealthyStatus,
  (word) => stateOf(word) === "running",
];

/** The worse one of the status words of the record and of `/status`. An unknown word is the least bad. */
function worstWord({ record, status }: Observation): string | undefined {
  const words = [record?.status, status?.status].filter((word) => word !== undefined);
  const rank = ranks.find((hasMeaning) => words.some(hasMeaning));
  const worst = rank ? words.find(rank) : words[0];
  return worst && cut(worst, maxWordLength);
}

/** Replaced replicas may be listed for a while: one that is stopped or leaving counts only if fewer than `requested` others exist. */
function countedReplicas({ replicas }: StatusRecord, requested: number): readonly ReplicaRecord[] {
  const existing = replicas.filter(({ status }) => !mayBeGone(status));
  const staying = existing.filter(({ status }) => !isDeleting(status) && stateOf(status) !== "stopped");
  return staying.length >= requested ? staying : existing;
}

export function countHealthy(status: StatusRecord, replicas: number): number {
  if (status.overall !== undefined) return status.overall ? replicas : 0;
  return countedReplicas(status, replicas).filter(({ healthy }) => healthy).length;
}

/** A status for users. A replica of unknown health counts as healthy only if the cluster is ready. */
export function withHealth({ overall, ...status }: StatusRecord, isReady: boolean) {
  const replicas = status.replicas.map((replica) => ({ ...replica, healthy: replica.healthy ?? isReady }));
  return { ...status, overall: overall ?? (isReady && status.isMissing ? true : undefined), replicas };
}

/** Whether `/status` proves that no replica runs. One that only counts replicas, or has one health for all, proves nothing. */
export function isIdle({ status, replicas, overall, isMissing }: StatusRecord): boolean {
  const mayRun = ["running", "pending"].includes(stateOf(status));
  const hasEnded = (replica: ReplicaRecord) =>
    !replica.healthy && (stateOf(replica.status) === "stopped" || mayBeGone(replica.status));
  return !mayRun && overall === undefined && !isMissing && replicas.every(hasEnded);
}

/** One line for each replica that is not healthy: `replica r-1: starting, image not found`. */
export function unhealthyReasons(status: StatusRecord | undefined): string[] {
  const unhealthy = (status?.replicas ?? []).filter((replica) => !mayBeGone(replica.status) && !replica.healthy);
  const lines = unhealthy.slice(0, maxReasons).map(({ id, status: word, message = "", healthy }) => {
    const why = [cut(word, maxWordLength), cut(message, maxReasonLength)].filter(Boolean).join(", ");
    return `replica ${cut(id, maxWordLength)}: ${why || (healthy === undefined ? "unknown health" : "not healthy")}`;
  });
  if (unhealthy.length > maxReasons) lines.push(`and ${unhealthy.length - maxReasons} more`);
  return lines;
}

export interface Rollout {
  readonly before: StatusRecord | undefined;
  readonly requestedAtMs: number;
  readonly hasBegun: boolean;
}

/**
 * Whether a rollout has begun between two observations: the status word became a pending one or left a failure, all replicas are
 * new, or a replica of a healthy cluster has changed. Replicas that start or crash change without a rollout.
 */
export function showsRollout(before: StatusRecord | undefined, after: StatusRecord | undefined): boolean {
  if (!before || !after) return false;
  // A cluster with sick replicas does not change by that.
  const isChanging = (word: string | undefined) => stateOf(word) === "pending" && !isUnhealthyStatus(word);
  if (isChanging(after.status) && !isChanging(before.status)) return true;
  const hasFailed = (status: StatusRecord) => stateOf(status.status) === "failed";
  // A cluster that was changing may fail by the older change. A mere count does not tell starting replicas from sick ones.
  const mayChange = before.isCounted && !wasHealthy(before);
  const wasChanging = mayChange || [before, ...before.replicas].some(({ status: word }) => isChanging(word));
  if (hasFailed(after) && !hasFailed(before) && !wasChanging) return true;
  if (hasFailed(before) && stateOf(after.status) === "running") return true;
  if (before.overall === true && after.overall === false) return true;
  // A status without replicas proves nothing: it may not be available.
  if (before.replicas.length === 0 || after.replicas.length === 0) return false;
  const ids = new Set(before.replicas.map(({ id }) => id));
  const stayed = after.replicas.filter(({ id }) => ids.has(id));
  if (stayed.length === 0) return true;
  const hasLostOne = stayed.length < before.replicas.length;
  return wasHealthy(before) && (hasLostOne || renewedIds(before, after).length > 0);
}

/** Whether all replicas were healthy, so that a restart of one of them is visible. */
export function wasHealthy({ replicas, overall }: StatusRecord): boolean {
  return overall ?? (replicas.length > 0 && replicas.every(({ healthy }) => healthy));
}

/** The replicas that are new, or show what a restart changes. Message and exact status word change for other reasons too. */
function renewedIds(before: StatusRecord | undefined, after: StatusRecord | undefined): string[] {
  // Of replicas with the same id, such as that of their node, the last one counts on both sides.
  const looksById = (status: StatusRecord | undefined) =>
    new Map(status?.replicas.map(({ id, healthy, status: word }) => [id, `${healthy === true} ${stateOf(word)}`]));
  const old = looksById(before);
  return [...looksById(after)].filter(([id, looks]) => old.get(id) !== looks).map(([id]) => id);
}

/**
 * The condition of a cluster that has to become ready after a rollout. Until the rollout has been seen to begin, or
 * `maxUnseenRolloutMs` have passed, a cluster that was healthy before is not ready, and one that had failed has not failed again.
 * If fewer than all replicas are enough, only renewed ones count: old ones that are replaced later are healthy too.
 */
export function rolloutCondition(
  found: Found,
  goal: Goal,
  { before, requestedAtMs, hasBegun: wasSeen }: Rollout,
  { previous, nowMs }: { readonly previous: Condition | undefined; readonly nowMs: number },
): Condition {
  const { record, status } = found;
  const after = status && { ...status, status: status.status ?? record.status };
  const hasBegun = (previous?.rollout?.hasBegun ?? wasSeen) || showsRollout(before, after);
  const renewed = new Set([...(previous?.rollout?.renewed ?? []), ...renewedIds(before, status)]);
  const rollout = { hasBegun, renewed: [...renewed] };
  const condition = { ...readyCondition(found, goal), rollout };
  const { kind } = condition;
  const isLate = nowMs - requestedAtMs >= maxUnseenRolloutMs;
  if (isLate || (kind !== "ready" && kind !== "failed")) return condition;

  // The condition may be that of the old replicas. A cluster that another user stops or deletes is not as before.
  const hasFailed = [before?.status, worstWord(found)].every((word) => stateOf(word) === "failed");
  const isAsBefore = before !== undefined && (kind === "failed" ? hasFailed : wasHealthy(before));
  if (!hasBegun && isAsBefore) return { kind: "pending", summary: "waiting for the rollout to begin", rollout };
  if (kind === "failed" || goal.enough >= goal.replicas || before?.isCounted) return condition;
  const healthy = status?.replicas.filter((replica) => replica.healthy && renewed.has(replica.id)) ?? [];
  if (healthy.length >= goal.enough) return condition;
  return { kind: "pending", summary: `${healthy.length}/${goal.replicas} replicas healthy and renewed`, rollout };
}
