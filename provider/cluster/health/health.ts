import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../../api/decode/records";
import { isDeleting, isGone, isStopping, isUnhealthyStatus, stateOf } from "../../api/decode/states";
import { cut } from "../../base/text";
import type { CheckedInputs, ClusterState } from "../schema/state";

export interface Observation {
  /** The cluster's record; absent when the service says that there is no such cluster. */
  readonly record?: ClusterRecord;
  /** The answer of its `/status`; absent if that was not read. */
  readonly status?: StatusRecord;
}

export interface Found extends Observation {
  readonly record: ClusterRecord;
}

export interface Goal {
  readonly replicas: number;
  /** The number of replicas that have to be healthy. */
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

/**
 * Whether a cluster is stopped. An unknown or absent status word means stopped if this package has stopped the cluster and the
 * word is the one in the state: a refresh that sees another word unsettles the state, without an operation.
 */
export function isStopped({ status }: Pick<ClusterRecord, "status">, before: Partial<ClusterState> = {}): boolean {
  const state = stateOf(status);
  if (state === "stopped") return true;
  const isKnown = before.settled === true || before.__unfinished !== undefined;
  const wasStopped = before.desiredStatus === "stopped" && isKnown;
  return state === "unknown" && wasStopped && (status === undefined || before.status === status);
}

export function isDown(record: Pick<ClusterRecord, "status">, before: Partial<ClusterState>): boolean {
  return isStopping(record.status) || isStopped(record, before);
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
export function worstWord({ record, status }: Observation): string | undefined {
  const words = [record?.status, status?.status].filter((word) => word !== undefined);
  const rank = ranks.find((hasMeaning) => words.some(hasMeaning));
  const worst = rank ? words.find(rank) : words[0];
  return worst && cut(worst, maxWordLength);
}

/** Replaced replicas may be listed for a while: one that is stopped or leaving counts only if fewer than `requested` others exist. */
function countedReplicas({ replicas }: StatusRecord, requested: number): readonly ReplicaRecord[] {
  const existing = replicas.filter(({ status }) => !isGone(status));
  const staying = existing.filter(({ status }) => !isDeleting(status) && stateOf(status) !== "stopped");
  return staying.length >= requested ? staying : existing;
}

export function countHealthy(status: StatusRecord, replicas: number): number {
  if (status.overall !== undefined) return status.overall ? replicas : 0;
  return countedReplicas(status, replicas).filter(({ healthy }) => healthy).length;
}

export function isHealthy(status: StatusRecord, goal: Goal): boolean {
  return (status.overall ?? isComplete(status, goal)) && countHealthy(status, goal.replicas) >= goal.enough;
}

/** Whether as many replicas exist as there have to be. A status that is only a word stands for all of them. */
export function isComplete(status: StatusRecord, { replicas, enough }: Goal): boolean {
  if (status.isMissing) return status.status !== undefined;
  const { length } = countedReplicas(status, replicas);
  return enough < replicas ? length >= enough : length === replicas;
}

/** Whether the health of some replicas, or of the whole cluster, is unknown, and no replica is unhealthy. */
export function isHealthUnknown(status: StatusRecord, { replicas }: Goal): boolean {
  const counted = countedReplicas(status, replicas);
  const hasUnknown = counted.length === 0 || counted.some(({ healthy }) => healthy === undefined);
  return status.overall === undefined && hasUnknown && counted.every(({ healthy }) => healthy !== false);
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
    !replica.healthy && (stateOf(replica.status) === "stopped" || isGone(replica.status));
  return !mayRun && overall === undefined && !isMissing && replicas.every(hasEnded);
}

/** One line for each replica that is not healthy: `replica r-1: starting, image not found`. */
export function unhealthyReasons(status: StatusRecord | undefined): string[] {
  const unhealthy = (status?.replicas ?? []).filter((replica) => !isGone(replica.status) && !replica.healthy);
  const lines = unhealthy.slice(0, maxReasons).map(({ id, status: word, message = "", healthy }) => {
    const why = [cut(word, maxWordLength), cut(message, maxReasonLength)].filter(Boolean).join(", ");
    return `replica ${cut(id, maxWordLength)}: ${why || (healthy === undefined ? "unknown health" : "not healthy")}`;
  });
  if (unhealthy.length > maxReasons) lines.push(`and ${unhealthy.length - maxReasons} more`);
  return lines;
}

export function namesReason({ record, status }: Observation): boolean {
  const parts = [{ status: record?.status, message: record?.reason }, ...(status?.replicas ?? [])];
  return parts.some((part) => Boolean(part.message) && isUnhealthyStatus(part.status));
}

// Limits for messages. The state contains every replica.
export const maxReasons = 4;
export const maxReasonLength = 120;
export const maxWordLength = 60;
