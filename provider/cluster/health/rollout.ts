import type { ReplicaRecord, StatusRecord } from "../../api/decode/records";
import { isUnhealthyStatus, stateOf } from "../../api/decode/states";
import { type Condition, type RolloutProgress, readyCondition } from "./conditions";
import { type Found, type Goal, worstWord } from "./health";

export interface Rollout {
  readonly before: StatusRecord | undefined;
  readonly requestedAtMs: number;
  /** Whether it had begun before the wait for it. */
  readonly hasBegun: boolean;
}

/**
 * An accepted rollout that no poll has seen for this long was too fast to be seen, or had no effect. No service documents such a
 * time: it is twice the 30 s of a hold, once for reads that lag and once for a rollout that begins late.
 */
const maxUnseenMs = 60_000;

/**
 * Whether a rollout has begun between two observations: the status word became a pending one or left a failure, all replicas are
 * new, or a replica of a healthy cluster has changed. Replicas that start or crash change without a rollout.
 */
export function hasBegun(before: StatusRecord | undefined, after: StatusRecord | undefined): boolean {
  if (!before || !after) return false;
  if (isChanging(after.status) && !isChanging(before.status)) return true;
  const hasFailed = (status: StatusRecord) => stateOf(status.status) === "failed";
  // Replicas that were starting or sick may fail without a rollout.
  const wasRunning = showsReplicas(before) ? wasHealthy(before) : stateOf(before.status) === "running";
  if (hasFailed(after) && wasRunning) return true;
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

/** Whether a status word is one of a change. A cluster with sick replicas does not change by that. */
function isChanging(word: string | undefined): boolean {
  return stateOf(word) === "pending" && !isUnhealthyStatus(word);
}

/** Whether all replicas were healthy, so that a restart of one of them is visible. */
export function wasHealthy({ replicas, overall }: StatusRecord): boolean {
  return overall ?? (replicas.length > 0 && replicas.every(({ healthy }) => healthy));
}

/** Whether a status shows more of the replicas than its word. */
function showsReplicas({ replicas, overall }: StatusRecord): boolean {
  return overall !== undefined || replicas.length > 0;
}

/** What a restart of a replica changes. Its message and its exact status word change for other reasons too. */
function conditionsOf(status: StatusRecord | undefined): ReadonlyMap<string, string> {
  const conditionOf = ({ healthy, status: word }: ReplicaRecord) => `${healthy === true} ${stateOf(word)}`;
  return new Map(status?.replicas.map((replica) => [replica.id, conditionOf(replica)]));
}

function renewedIds(before: StatusRecord | undefined, after: StatusRecord | undefined): string[] {
  const old = conditionsOf(before);
  return [...conditionsOf(after)].filter(([id, condition]) => old.get(id) !== condition).map(([id]) => id);
}

/**
 * The condition of a cluster that has to become ready after a rollout. Until the rollout has been seen to begin, or `maxUnseenMs`
 * have passed, a cluster that was healthy before is not ready, and one that had failed has not failed again. If fewer than all
 * replicas are enough, only renewed ones count: old ones that are replaced later are healthy too.
 */
export function rolloutCondition(
  found: Found,
  goal: Goal,
  rollout: Rollout,
  { previous, nowMs }: { readonly previous: Condition | undefined; readonly nowMs: number },
): Condition {
  const progress = progressOf(found, rollout, previous?.rollout);
  const condition = { ...readyCondition(found, goal), rollout: progress };
  const isLate = nowMs - rollout.requestedAtMs >= maxUnseenMs;
  if (isLate || (condition.status !== "ready" && condition.status !== "failed")) return condition;
  if (!progress.hasBegun && isAsBefore(condition, found, rollout))
    return { status: "pending", summary: "waiting for the rollout to begin", rollout: progress };
  if (condition.status === "failed" || goal.enough >= goal.replicas || rollout.before?.isCounted) return condition;
  const renewed = new Set(progress.renewed);
  const healthy = found.status?.replicas.filter((replica) => replica.healthy && renewed.has(replica.id)) ?? [];
  if (healthy.length >= goal.enough) return condition;
  const summary = `${healthy.length}/${goal.replicas} replicas healthy and renewed`;
  return { status: "pending", summary, rollout: progress };
}

function progressOf({ record, status }: Found, rollout: Rollout, previous?: RolloutProgress): RolloutProgress {
  const { hasBegun: hadBegun, renewed } = previous ?? { hasBegun: rollout.hasBegun, renewed: [] };
  const after = status && { ...status, status: status.status ?? record.status };
  return {
    hasBegun: hadBegun || hasBegun(rollout.before, after),
    renewed: [...new Set([...renewed, ...renewedIds(rollout.before, status)])],
  };
}

/** Whether a condition may be that of the old replicas. A cluster that another user stops or deletes is not as before. */
function isAsBefore({ status }: Condition, found: Found, { before }: Rollout): boolean {
  if (!before) return false;
  const words = [before.status, worstWord(found)];
  return status === "failed" ? words.every((word) => stateOf(word) === "failed") : wasHealthy(before);
}
