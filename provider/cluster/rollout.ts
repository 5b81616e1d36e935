import type { RedeployBody } from "../api/endpoints";
import { stateOf } from "../api/read/states";
import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../api/records";
import type { Clock } from "../clock";
import { ClusterFailedError, NoUpdateError, RequestError } from "../errors";
import { type Target, whenFree } from "./busy";
import type { Goal, Observation, PollHistory, Verdict } from "./conditions";
import { sameImage } from "./drift";
import { findCluster, findStatus } from "./lookup";
import type { Operation } from "./operation";
import { type Progress, sendUpdate, type UpdateRequest, wayOut } from "./updateRequest";

/** A roll-out that was asked for: what ran before it, and whether it was seen to begin. */
export interface Rollout {
  readonly before: StatusRecord | undefined;
  /** False when the number of replicas changes, or did and not all are there yet, so that new ones prove nothing. */
  readonly keepsSize: boolean;
  /** When the service was asked last, by our clock. */
  askedAtMs: number;
  /** True once the service has accepted a restart, so that asking again would do it twice. */
  isAccepted: boolean;
  seen: boolean;
  /** Ids of the replicas that were seen to be new, or restarting, since. */
  readonly renewed: Set<string>;
}

/** One POST that restarts the replicas. */
export type RestartAction = "restart" | "redeploy";

/** Pauses between looks whether a roll-out begins by itself. */
const lookPausesMs = [0, 1_000, 2_000];
/** A roll-out that was accepted, and of which nothing is seen for so long, was over too fast to be seen. */
export const unseenRolloutMs = 30_000;

/**
 * Changes env, container and replicas in one update, and asks for a redeploy if that does not roll them out by itself. If the
 * service has no update, a redeploy that names the new image does both.
 */
export async function updateAndRollOut(
  target: Target,
  operation: Operation,
  configuration: UpdateRequest,
  progress: Progress & { rollout?: Rollout },
): Promise<ClusterRecord | undefined> {
  const before = await lookAtStatus(target, operation);
  const keepsSize = isWhole(before, { shown: configuration.shown.replicas, asked: configuration.inputs.replicas });
  const record = await configureOr(target, operation, configuration, progress);
  if (record === "redeploy") return redeployImage(target, operation, configuration, progress);
  const rollout = newRollout(target, before, keepsSize);
  progress.rollout = rollout;
  try {
    rollout.seen = await hasBegun(target, operation, rollout);
  } catch (error) {
    if (operation.signal.aborted) rollout.seen = await isSeenAtLast(target, operation, rollout);
    throw error;
  }
  if (!rollout.seen) await act(target, operation, "redeploy", rollout);
  return record;
}

/** The record after an update; `redeploy` if there is no update and nothing but the image changes. */
async function configureOr(
  target: Target,
  operation: Operation,
  configuration: UpdateRequest,
  progress: Progress,
): Promise<ClusterRecord | undefined | "redeploy"> {
  try {
    return await sendUpdate(target, operation, configuration, progress);
  } catch (error) {
    if (error instanceof NoUpdateError) return "redeploy";
    throw error;
  }
}

/** Gives a cluster another image by a redeploy, and makes sure that the service shows it. */
async function redeployImage(
  target: Target,
  operation: Operation,
  { inputs, before, shown }: UpdateRequest,
  progress: Progress & { rollout?: Rollout },
): Promise<ClusterRecord | undefined> {
  const { container } = inputs;
  const size = { shown: shown.replicas, asked: inputs.replicas };
  progress.rollout = await restartOnce(target, operation, "redeploy", size, { container });
  progress.isStored = true;
  const record = await findCluster(target, operation.id, operation.look());
  const isOld = record?.container !== undefined && !sameImage(container, record.container);
  if (!isOld || container === before.container) return record;
  progress.isStored = false;
  progress.rollout = undefined;
  throw new ClusterFailedError(
    `the service accepted a redeploy with the image ${container}, but still shows ${record.container}. ` +
      wayOut(["container"]),
  );
}

function newRollout({ clock }: Target, before: StatusRecord | undefined, keepsSize: boolean): Rollout {
  return { before, keepsSize, askedAtMs: clock.now(), isAccepted: false, seen: false, renewed: new Set() };
}

/** A restart that an earlier run has asked for, and not seen: what that run saw last is what is being replaced. */
export function resumedRollout(target: Target, replicas: readonly ReplicaRecord[], size: Size): Rollout {
  const before = { replicas };
  return { ...newRollout(target, before, isWhole(before, size)), isAccepted: true };
}

/** Who is interrupted takes one last look, so that the next run need not do again what goes on already. */
async function isSeenAtLast(target: Target, operation: Operation, rollout: Rollout): Promise<boolean> {
  const shortly = { attempts: 1, attemptTimeoutMs: 5_000, patienceMs: 0, signal: undefined };
  try {
    return rollsOut(rollout, await findStatus(target.client, operation, shortly));
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

/** Restarts the replicas, by exactly one POST. */
export async function restartOnce(
  target: Target,
  operation: Operation,
  action: RestartAction,
  size: Size,
  body?: RedeployBody,
): Promise<Rollout> {
  const before = await lookAtStatus(target, operation);
  const keepsSize = isWhole(before, size);
  const rollout = newRollout(target, before, keepsSize);
  await act(target, operation, action, rollout, body);
  return rollout;
}

/** The number of replicas, as the service shows it and as it is asked for. */
export interface Size {
  readonly shown: number | undefined;
  readonly asked: number;
}

function isWhole(before: StatusRecord | undefined, { shown, asked }: Size): boolean {
  return shown === asked && before?.replicas.length === asked;
}

/** One POST that has an effect: it is never sent again blindly, for a second one would restart every replica once more. */
async function act(
  target: Target,
  operation: Operation,
  action: RestartAction,
  rollout: Rollout,
  body?: RedeployBody,
): Promise<void> {
  const { client, clock } = target;
  operation.status(`${action}ing`);
  const send = () =>
    action === "restart"
      ? client.restartCluster(operation.id, operation.request())
      : client.redeployCluster(operation.id, operation.request(), body);
  try {
    await whenFree(target, operation, send, async () => {
      rollout.seen = rollsOut(rollout, await lookAtStatus(target, operation));
      return rollout.seen;
    });
  } catch (error) {
    if (!(error instanceof RequestError && error.maybeApplied)) throw error;
    rollout.seen = await hasBegun(target, operation, rollout);
    if (!rollout.seen) throw error;
  }
  rollout.isAccepted = true;
  rollout.askedAtMs = clock.now();
}

async function hasBegun(target: Target, operation: Operation, rollout: Pick<Rollout, "before" | "keepsSize">) {
  let isEmpty = rollout.before !== undefined && rollout.before.replicas.length > 0;
  for (const pauseMs of lookPausesMs) {
    if (pauseMs > 0 && operation.leftMs() === 0) return false;
    await operation.pause(pauseMs);
    const status = await lookAtStatus(target, operation);
    if (rollsOut(rollout, status)) return true;
    isEmpty &&= status?.replicas.length === 0;
  }
  // Replicas that were there, and that no look shows any more, are being replaced.
  return isEmpty;
}

/** One look. Where no replicas are listed, or none may be looked at, the word of the cluster has to tell. */
async function lookAtStatus(target: Target, operation: Operation): Promise<StatusRecord | undefined> {
  const status = await findStatus(target.client, operation);
  const isTelling = status === undefined ? operation.readsStatus : status.status !== undefined;
  if (isTelling || status?.replicas.length) return status;
  const record = await findCluster(target, operation.id, operation.look());
  return status ? { ...status, status: record?.status } : statusOfWord(record?.status);
}

/** For who believes the word of the cluster: it speaks for all replicas. */
function statusOfWord(word: string | undefined): StatusRecord {
  return { replicas: [], status: word, overall: stateOf(word) === "running" };
}

/**
 * Whether the replicas of `before` are being replaced or restarted in `after`. Pure. All of them replaced proves it. A change
 * of one that stayed proves it only if all were healthy before: replicas that come up, or crash, change by themselves.
 * So does a new one, unless the same update scales.
 */
export function rollsOut(
  { before, keepsSize }: Pick<Rollout, "before" | "keepsSize">,
  after: StatusRecord | undefined,
): boolean {
  if (before?.overall === true && after?.overall === false) return true;
  const wasCalm = before?.replicas.every(({ healthy }) => healthy) && stateOf(before.status) !== "pending";
  const isChanging = stateOf(after?.status) === "pending";
  if (!before?.replicas.length || !after) return false;
  // A status without replicas may be one that is just not there, unless the cluster says that it is changing.
  if (after.replicas.length === 0) return wasCalm === true && isChanging;
  const old = new Map(before.replicas.map((replica) => [replica.id, conditionOf(replica)]));
  const stayed = after.replicas.filter(({ id }) => old.has(id));
  if (stayed.length === 0) return true;
  const isNew = keepsSize && stayed.length < after.replicas.length;
  return wasCalm === true && (isNew || stayed.some((replica) => conditionOf(replica) !== old.get(replica.id)));
}

/** What a restart changes; texts and words change for other reasons too. */
function conditionOf({ healthy, status }: ReplicaRecord): string {
  return `${healthy} ${stateOf(status)}`;
}

/**
 * Adds a roll-out to a judge: old replicas that are still healthy are not the new ones. Ready only after the roll-out was
 * seen, or after so long that it must be over. Where fewer than all replicas are enough, so many have to be renewed: those
 * whose turn is yet to come are healthy too.
 */
export function afterRollout(
  judge: (look: Observation, past: PollHistory) => Verdict,
  rollout: Rollout,
  { enough, replicas, healthCheck }: Goal,
  clock: Clock,
): (look: Observation, past: PollHistory) => Verdict {
  return (look, past) => {
    const word = look.status?.status ?? look.record?.status;
    const status = healthCheck === "list" ? statusOfWord(word) : look.status;
    rollout.seen ||= rollsOut(rollout, status && { ...status, status: word });
    for (const id of renewedIn(look.status, rollout)) rollout.renewed.add(id);
    const verdict = judge(look, past);
    if (verdict.kind !== "ready") return verdict;
    const isOver = clock.now() - rollout.askedAtMs >= unseenRolloutMs;
    if (!rollout.seen && !isOver) return { kind: "pending", summary: "waiting for the roll-out to begin" };
    const healthy = look.status?.replicas.filter((replica) => replica.healthy && rollout.renewed.has(replica.id)) ?? [];
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
