import type { RedeployBody } from "../api/endpoints";
import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../api/records";
import { stateOf, statusOfWord } from "../api/states";
import type { Clock } from "../clock";
import { isMissingEndpoint, NotInPlaceError, NoUpdateError, RequestError } from "../errors";
import type { Found, Goal, Verdict } from "./conditions";
import { sameImage } from "./drift";
import { findCluster, findStatus, type LookupSources } from "./lookup";
import type { Operation } from "./operation";
import { sendWrite } from "./sendWrite";
import { type Progress, sendUpdate, type UpdateRequest } from "./updateRequest";

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

/** The parts of the service that a roll-out needs. */
interface Target extends LookupSources {
  readonly clock: Clock;
}

/** Notes the roll-out as soon as it is requested. */
interface RolloutProgress extends Progress {
  rollout: Rollout | undefined;
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
  progress: RolloutProgress,
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
  rollout.seen = await hasBegun(target, operation, rollout);
  // Replicas that fail prove no begin: what the service did with the update before decides.
  if (!rollout.seen && configuration.rollsOut) rollout.isAccepted = true;
  else if (!rollout.seen) await act(target, operation, "redeploy", rollout);
  return record;
}

/** Changes the image of a cluster by a redeploy, and checks that the service shows the new image. */
async function redeployImage(
  target: Target,
  operation: Operation,
  { inputs, before, shown }: UpdateRequest,
  progress: RolloutProgress,
): Promise<ClusterRecord | undefined> {
  const { container } = inputs;
  const size = { shown: shown.replicas, asked: inputs.replicas };
  let record: ClusterRecord | undefined;
  try {
    record = await progress.store(
      async () => {
        progress.rollout = await restartOnce(target, operation, "redeploy", size, { container });
        const shown = await findCluster(target, operation.id, operation.lookup());
        const isOld = shown?.container !== undefined && !sameImage(container, shown.container);
        if (!isOld || container === before.container) return shown;
        throw notByRedeploy(
          target,
          `the service accepted a redeploy with ${container}, but still shows ${shown.container}`,
        );
      },
      (error) => error instanceof NotInPlaceError || (error instanceof RequestError && !error.maybeApplied),
    );
  } catch (error) {
    if (error instanceof NotInPlaceError) progress.rollout = undefined;
    const isMissing = isMissingEndpoint(error) && (await findCluster(target, operation.id, operation.lookup()));
    throw isMissing ? notByRedeploy(target, "the service has no update and no redeploy of clusters") : error;
  }
  return record;
}

function notByRedeploy({ client: { form } }: Target, why: string): NotInPlaceError {
  form.learned("redeploy", false);
  return new NotInPlaceError(`\`container\` cannot be changed in place: ${why}`);
}

function newRollout({ clock }: Target, before: StatusRecord | undefined, keepsSize: boolean): Rollout {
  return { before, keepsSize, askedAtMs: clock.now(), isAccepted: false, seen: false, renewed: new Set() };
}

/** A restart that an earlier run has requested but not observed: it replaces the replicas that this run saw last. */
export function resumedRollout(target: Target, replicas: readonly ReplicaRecord[], size: Size): Rollout {
  const before = { replicas };
  return { ...newRollout(target, before, isWhole(before, size)), isAccepted: true };
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
  { enough, replicas, healthCheck }: Goal,
  clock: Clock,
): (found: Found) => Verdict {
  return (found) => {
    const { record, status: shown } = found;
    const word = shown?.status ?? record.status;
    const status = healthCheck === "list" ? statusOfWord(word) : shown;
    rollout.seen ||= rollsOut(rollout, status && { ...status, status: word });
    for (const id of renewedIn(shown, rollout)) rollout.renewed.add(id);
    const verdict = judge(found);
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
