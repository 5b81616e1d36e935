import type { ReplicaRecord, StatusRecord } from "../../api/records";
import { stateOf } from "../../api/states";
import type { Clock } from "../../base/clock";
import type { Found, Goal, Verdict } from "./health";

/** What a roll-out looks like from outside: pure decisions. `requestRollout.ts` sends its requests. */

/** A requested roll-out: the replicas before it, and whether its start was observed. */
export interface Rollout {
  readonly before: StatusRecord | undefined;
  /** False if the number of replicas changes, or if some are still missing after a change: then new replicas prove nothing. */
  readonly keepsSize: boolean;
  /** The time of the last request for it, by our clock. */
  askedAtMs: number;
  /** True once the service has accepted a restart: another request would restart the replicas twice. */
  isAccepted: boolean;
  seen: boolean;
  /** Ids of the replicas that were observed to be new or restarting since the request. */
  readonly renewed: Set<string>;
}

export function newRollout(clock: Clock, before: StatusRecord | undefined, keepsSize: boolean): Rollout {
  return { before, keepsSize, askedAtMs: clock.now(), isAccepted: false, seen: false, renewed: new Set() };
}

/** A restart that an earlier run has requested but not observed: it replaces the replicas that this run saw last. */
export function resumedRollout(clock: Clock, replicas: readonly ReplicaRecord[], size: Size): Rollout {
  const before = { replicas };
  return { ...newRollout(clock, before, isWhole(before, size)), isAccepted: true };
}

/** The number of replicas that the service shows, and the requested one. */
export interface Size {
  readonly shown: number | undefined;
  readonly asked: number;
}

export function isWhole(before: StatusRecord | undefined, { shown, asked }: Size): boolean {
  return shown === asked && before?.replicas.length === asked;
}

/** If no poll shows an accepted roll-out for this long, it was over too fast to be observed. */
export const unseenRolloutMs = 30_000;

/**
 * Whether the replicas of `before` are being replaced or restarted in `after`. Pure. If all replicas were replaced, that
 * proves it. If one that stayed has changed, or a new one exists, that proves it only if all were healthy before: replicas
 * that start or crash change by themselves. A new replica proves nothing if the same update scales.
 */
export function rollsOut(
  { before, keepsSize }: Pick<Rollout, "before" | "keepsSize">,
  after: StatusRecord | undefined,
): boolean {
  if (before?.overall === true && after?.overall === false) return true;
  const wasCalm = before?.replicas.every(({ healthy }) => healthy) && stateOf(before.status) !== "pending";
  const isChanging = stateOf(after?.status) === "pending";
  if (!before?.replicas.length || !after) return false;
  // A status without replicas may just be unavailable, unless the status word says that the cluster is changing.
  if (after.replicas.length === 0) return wasCalm === true && isChanging;
  const old = new Map(before.replicas.map((replica) => [replica.id, conditionOf(replica)]));
  const stayed = after.replicas.filter(({ id }) => old.has(id));
  if (stayed.length === 0) return true;
  const isNew = keepsSize && stayed.length < after.replicas.length;
  return wasCalm === true && (isNew || stayed.some((replica) => conditionOf(replica) !== old.get(replica.id)));
}

/** The condition of a replica, which a restart changes. Its texts and its exact status word change for other reasons too. */
function conditionOf({ healthy, status }: ReplicaRecord): string {
  return `${healthy === true} ${stateOf(status)}`;
}

/**
 * Adds a roll-out to a judge: old replicas that are still healthy do not count as new ones. The cluster is ready only after
 * the roll-out was observed, or after `unseenRolloutMs`, when it must be over. If fewer than all replicas are enough, that many
 * have to be renewed: old replicas that are replaced later are healthy too.
 */
export function afterRollout(
  judge: (found: Found) => Verdict,
  rollout: Rollout,
  { enough, replicas }: Goal,
  clock: Clock,
): (found: Found) => Verdict {
  return (found) => {
    const { record, status } = found;
    rollout.seen ||= rollsOut(rollout, status && { ...status, status: status.status ?? record.status });
    for (const id of renewedIn(status, rollout)) rollout.renewed.add(id);
    const verdict = judge(found);
    if (verdict.kind !== "ready") return verdict;
    const isOver = clock.now() - rollout.askedAtMs >= unseenRolloutMs;
    if (!rollout.seen && !isOver) return { kind: "pending", summary: "waiting for the roll-out to begin" };
    const healthy = status?.replicas.filter((replica) => replica.healthy && rollout.renewed.has(replica.id)) ?? [];
    const isRenewed = enough >= replicas || rollout.before?.isCounted === true || healthy.length >= enough;
    return isRenewed || isOver
      ? verdict
      : { kind: "pending", summary: `${healthy.length}/${replicas} replicas healthy and renewed` };
  };
}

function renewedIn(after: StatusRecord | undefined, { before }: Pick<Rollout, "before">): string[] {
  const old = new Map(before?.replicas.map((replica) => [replica.id, conditionOf(replica)]));
  return (after?.replicas ?? []).filter((replica) => old.get(replica.id) !== conditionOf(replica)).map(({ id }) => id);
}
