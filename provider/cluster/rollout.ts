import type { RedeployBody } from "../api/endpoints";
import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../api/records";
import { stateOf } from "../api/states";
import type { Clock } from "../clock";
import { ClusterFailedError, NoUpdateError, RequestError } from "../errors";
import type { Goal, Observation, PollHistory, Verdict } from "./conditions";
import { sameImage } from "./drift";
import { findCluster, findStatus } from "./lookup";
import type { Operation } from "./operation";
import { sendWrite, type Target } from "./sendWrite";
import type { Unawaited } from "./stateFields";
import { type Progress, sendUpdate, type UpdateRequest, wayOut } from "./updateRequest";

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

/** One POST that restarts the replicas. */
export type RestartAction = "restart" | "redeploy";

/** Pauses before each poll that checks whether a roll-out has begun. */
const pollPausesMs = [0, 1_000, 2_000];
/** If no poll shows an accepted roll-out for this long, it was over too fast to be observed. */
export const unseenRolloutMs = 30_000;

/**
 * Changes env, container and replicas in one update, and requests a redeploy if no roll-out follows by itself. If the service
 * has no update, a redeploy with the new image does both.
 */
export async function updateAndRollOut(
  target: Target,
  operation: Operation,
  configuration: UpdateRequest,
  progress: Progress & { rollout?: Rollout },
): Promise<ClusterRecord | undefined> {
  const before = await observeStatus(target, operation);
  const keepsSize = isWhole(before, { shown: configuration.shown.replicas, asked: configuration.inputs.replicas });
  let record: ClusterRecord | undefined;
  try {
    record = await sendUpdate(target, operation, configuration, progress);
  } catch (error) {
    if (!(error instanceof NoUpdateError)) throw error;
    return redeployImage(target, operation, configuration, progress);
  }
  const rollout = newRollout(target, before, keepsSize);
  progress.rollout = rollout;
  try {
    rollout.seen = await hasBegun(target, operation, rollout);
  } catch (error) {
    if (operation.signal.aborted) rollout.seen = await isSeenAfterInterrupt(target, operation, rollout);
    throw error;
  }
  if (!rollout.seen) await act(target, operation, "redeploy", rollout);
  return record;
}

/** Changes the image of a cluster by a redeploy, and checks that the service shows the new image. */
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
  const record = await findCluster(target, operation.id, operation.lookup());
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

/** A restart that an earlier run has requested but not observed: it replaces the replicas that this run saw last. */
export function resumedRollout(target: Target, replicas: readonly ReplicaRecord[], size: Size): Rollout {
  const before = { replicas };
  return { ...newRollout(target, before, isWhole(before, size)), isAccepted: true };
}

/**
 * A wait that is left out now. Without a roll-out of its own, an earlier one may still be on its way: then the size may have
 * changed since, so that new replicas prove nothing.
 */
export function leftOut(
  target: Pick<Target, "clock">,
  earlier: Unawaited | undefined,
  own: { readonly rollout?: Rollout | undefined; readonly replicas?: number } = {},
): Unawaited {
  const { replicas: count } = own;
  const left = { atMs: target.clock.now(), ...(count === undefined ? {} : { replicas: count }) };
  const pending = rolloutOf(target, earlier);
  const rollout = own.rollout ?? (pending && { ...pending, keepsSize: false });
  if (!rollout) return left;
  const { before, renewed, ...rest } = rollout;
  // Texts of replicas are for messages: a state keeps what shows a restart.
  const replicas = before?.replicas.map(({ id, healthy, status }) => ({ id, healthy, status })) ?? [];
  return { ...left, rollout: { ...rest, before: before && { ...before, replicas } } };
}

/** The roll-out of a wait that was left out, as long as it may not have begun: see `unseenRolloutMs`. */
export function rolloutOf({ clock }: Pick<Target, "clock">, { rollout }: Partial<Unawaited> = {}): Rollout | undefined {
  const isOver = rollout === undefined || clock.now() - rollout.askedAtMs >= unseenRolloutMs;
  return isOver ? undefined : { ...rollout, renewed: new Set() };
}

/** Polls once more after an interrupt, so that the next run does not repeat a roll-out that is in progress. */
async function isSeenAfterInterrupt(target: Target, operation: Operation, rollout: Rollout): Promise<boolean> {
  const shortly = {
    attempts: 1,
    attemptTimeoutMs: 5_000,
    maxQueueMs: 0,
    urgency: "reconcile",
    signal: undefined,
  } as const;
  try {
    return rollsOut(rollout, await findStatus(target.client, operation, shortly));
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

/** Restarts the replicas by exactly one POST. */
export async function restartOnce(
  target: Target,
  operation: Operation,
  action: RestartAction,
  size: Size,
  body?: RedeployBody,
): Promise<Rollout> {
  const before = await observeStatus(target, operation);
  const keepsSize = isWhole(before, size);
  const rollout = newRollout(target, before, keepsSize);
  await act(target, operation, action, rollout, body);
  return rollout;
}

/** The number of replicas that the service shows, and the requested one. */
export interface Size {
  readonly shown: number | undefined;
  readonly asked: number;
}

function isWhole(before: StatusRecord | undefined, { shown, asked }: Size): boolean {
  return shown === asked && before?.replicas.length === asked;
}

/** Sends one POST that is not idempotent. It is never retried blindly: a second one would restart every replica again. */
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
  const isDone = async () => {
    rollout.seen = rollsOut(rollout, await observeStatus(target, operation));
    return rollout.seen;
  };
  const tookEffect = async () => {
    rollout.seen = await hasBegun(target, operation, rollout);
    return rollout.seen;
  };
  await sendWrite<unknown>(target, operation, { kind: "restart", send, isDone, tookEffect });
  rollout.isAccepted = true;
  rollout.askedAtMs = clock.now();
}

async function hasBegun(target: Target, operation: Operation, rollout: Pick<Rollout, "before" | "keepsSize">) {
  let isEmpty = rollout.before !== undefined && rollout.before.replicas.length > 0;
  for (const pauseMs of pollPausesMs) {
    if (pauseMs > 0 && operation.leftMs() === 0) return false;
    await operation.pause(pauseMs);
    const status = await observeStatus(target, operation);
    if (rollsOut(rollout, status)) return true;
    isEmpty &&= status?.replicas.length === 0;
  }
  // Replicas that existed before, and that no poll shows any more, are being replaced.
  return isEmpty;
}

/** One poll. If no replicas are listed, or if `/status` may not be read, the status word of the cluster decides. */
async function observeStatus(target: Target, operation: Operation): Promise<StatusRecord | undefined> {
  const status = await findStatus(target.client, operation);
  const isTelling = status === undefined ? operation.readsStatus : status.status !== undefined;
  if (isTelling || status?.replicas.length) return status;
  const record = await findCluster(target, operation.id, operation.lookup());
  return status ? { ...status, status: record?.status } : statusOfWord(record?.status);
}

/** The status if only the status word of the cluster may be read: the word counts for all replicas. */
function statusOfWord(word: string | undefined): StatusRecord {
  return { replicas: [], status: word, overall: stateOf(word) === "running" };
}

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
  return `${healthy} ${stateOf(status)}`;
}

/**
 * Adds a roll-out to a judge: old replicas that are still healthy do not count as new ones. The cluster is ready only after
 * the roll-out was observed, or after `unseenRolloutMs`, when it must be over. If fewer than all replicas are enough, that many
 * have to be renewed: old replicas that are replaced later are healthy too.
 */
export function afterRollout(
  judge: (observation: Observation, past: PollHistory) => Verdict,
  rollout: Rollout,
  goalNow: (observation: Observation) => Goal,
  clock: Clock,
): (observation: Observation, past: PollHistory) => Verdict {
  return (observation, past) => {
    const { enough, replicas, healthCheck } = goalNow(observation);
    const { record, status: shown } = observation;
    const word = shown?.status ?? record?.status;
    const status = healthCheck === "list" ? statusOfWord(word) : shown;
    rollout.seen ||= rollsOut(rollout, status && { ...status, status: word });
    for (const id of renewedIn(shown, rollout)) rollout.renewed.add(id);
    const verdict = judge(observation, past);
    if (verdict.kind !== "ready") return verdict;
    const isOver = clock.now() - rollout.askedAtMs >= unseenRolloutMs;
    if (!rollout.seen && !isOver) return { kind: "pending", summary: "waiting for the roll-out to begin" };
    const healthy = shown?.replicas.filter((replica) => replica.healthy && rollout.renewed.has(replica.id)) ?? [];
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
