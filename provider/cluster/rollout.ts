import { stateOf } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import type { Clock } from "../clock";
import { RequestError } from "../errors";
import { type Target, whenFree } from "./busy";
import { type Configuration, configure, type Progress } from "./configure";
import { findStatus } from "./find";
import type { Operation } from "./operation";
import type { Look, Past, Verdict } from "./readiness";

/** A roll-out that was asked for: what ran before it, and whether it was seen to begin. */
export interface Rollout {
  readonly before: StatusRecord | undefined;
  /** When the service was asked last, by our clock. */
  askedAtMs: number;
  seen: boolean;
}

/** Pauses between looks whether a roll-out begins by itself. */
const lookPausesMs = [0, 1_000, 2_000];
/** A roll-out that was accepted, and of which nothing is seen for so long, was over too fast to be seen. */
export const unseenRolloutMs = 30_000;

/** Changes env, container and replicas in one update, and asks for a redeploy where that does not roll them out by itself. */
export async function updateAndRollOut(
  target: Target,
  operation: Operation,
  configuration: Configuration,
  progress: Progress,
): Promise<{ record: ClusterRecord | undefined; rollout: Rollout }> {
  const { client, clock } = target;
  const before = await findStatus(client, operation);
  const record = await configure(target, operation, configuration, progress);
  const rollout = { before, askedAtMs: clock.now(), seen: await hasBegun(target, operation, before) };
  if (!rollout.seen) {
    operation.status("redeploying");
    await redeploy(target, operation, rollout);
    rollout.askedAtMs = clock.now();
  }
  return { record, rollout };
}

/** Exactly one POST: it is never sent again blindly, for a second one would restart every replica once more. */
async function redeploy(target: Target, operation: Operation, rollout: Rollout): Promise<void> {
  try {
    const send = () => target.client.redeployCluster(operation.id, operation.request());
    await whenFree(target, operation, send, () => false);
  } catch (error) {
    if (!(error instanceof RequestError && error.maybeApplied)) throw error;
    rollout.seen = await hasBegun(target, operation, rollout.before);
    if (!rollout.seen) throw error;
  }
}

async function hasBegun(target: Target, operation: Operation, before: StatusRecord | undefined): Promise<boolean> {
  for (const pauseMs of lookPausesMs) {
    await target.clock.sleep(pauseMs, operation.signal);
    if (rollsOut(before, await findStatus(target.client, operation))) return true;
  }
  return false;
}

/**
 * Whether the replicas of `before` are being replaced or restarted in `after`. Pure. All of them replaced proves it. A change
 * of one that stayed proves it only if all were healthy before: replicas that come up, or crash, change by themselves.
 * Replicas that came or went prove nothing, for the same update may scale.
 */
export function rollsOut(before: StatusRecord | undefined, after: StatusRecord | undefined): boolean {
  // A status without replicas may be one that is just not there.
  if (!before?.replicas.length || !after?.replicas.length) return false;
  const old = new Map(before.replicas.map((replica) => [replica.id, JSON.stringify(replica)]));
  const stayed = after.replicas.filter(({ id }) => old.has(id));
  if (stayed.length === 0) return true;
  const wasCalm = before.replicas.every(({ healthy }) => healthy) && stateOf(before.status) !== "pending";
  return wasCalm && stayed.some((replica) => JSON.stringify(replica) !== old.get(replica.id));
}

/**
 * Adds a roll-out to a judge: old replicas that are still healthy are not the new ones. Ready only after the roll-out was
 * seen, or after so long that it must be over.
 */
export function afterRollout(
  judge: (look: Look, past: Past) => Verdict,
  rollout: Rollout,
  clock: Clock,
): (look: Look, past: Past) => Verdict {
  return (look, past) => {
    rollout.seen ||= rollsOut(rollout.before, look.status);
    const verdict = judge(look, past);
    const isOver = rollout.seen || clock.now() - rollout.askedAtMs >= unseenRolloutMs;
    return verdict.kind === "ready" && !isOver
      ? { kind: "pending", summary: "waiting for the roll-out to begin" }
      : verdict;
  };
}
