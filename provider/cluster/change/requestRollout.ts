import type { RedeployBody } from "../../api/endpoints";
import type { ClusterRecord, StatusRecord } from "../../api/records";
import type { Clock } from "../../base/clock";
import { isMissingEndpoint, NotInPlaceError, NoUpdateError, RequestError } from "../../base/errors";
import { sameImage } from "../compare/drift";
import { isWhole, newRollout, type Rollout, rollsOut, type Size } from "../compare/rollout";
import { findCluster, findStatus, type LookupSources } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import { sendWrite } from "../shared/sendWrite";
import { type Progress, sendUpdate, type UpdateRequest } from "./updateRequest";

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
  const rollout = newRollout(target.clock, before, keepsSize);
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
  const rollout = newRollout(target.clock, before, keepsSize);
  await act(target, operation, action, rollout, body);
  return rollout;
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

/** One poll. If no replicas are listed, the status word of the cluster decides. */
async function observeStatus(target: Target, operation: Operation): Promise<StatusRecord | undefined> {
  const status = await findStatus(target.client, operation);
  if (!status || status.status !== undefined || status.replicas.length > 0) return status;
  const record = await findCluster(target, operation.id, operation.lookup());
  return { ...status, status: record?.status };
}
