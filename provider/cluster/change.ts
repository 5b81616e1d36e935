import { isDeepStrictEqual } from "node:util";
import type { ClusterRecord } from "../api/records";
import { stateOf } from "../api/states";
import { messageOf } from "../errors";
import { isStopped } from "./conditions";
import { isMasked, sameImage } from "./drift";
import type { Effect } from "./fields";
import { find } from "./lookup";
import type { Operation } from "./operation";
import { isAtRest, isRefusal, start, stop } from "./power";
import { replicasNow, withNearest } from "./replicas";
import { type Rollout, restartOnce, resumedRollout, updateAndRollOut } from "./rollout";
import { sendWrite } from "./sendWrite";
import type { Service } from "./service";
import type { CheckedInputs, ClusterState } from "./stateFields";
import { type Progress, sendUpdate } from "./updateRequest";
import { waitUntilReady } from "./wait";

/** A change of an existing cluster. */
export interface Change {
  /** The record before the change. */
  readonly record: ClusterRecord;
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly effects: ReadonlySet<Effect>;
  /** True if env and container have to be sent, and the replicas have to run them. */
  readonly needsRollout: boolean;
  /** True if the cluster has failed, and only a roll-out starts it again. */
  readonly isRevived: boolean;
  /** True if extra fields have to be sent. The service decides what follows from them. */
  readonly needsUpdate: boolean;
}

/** The progress of a change. */
export interface Sent extends Progress {
  /** True once the cluster was stopped or started: it has changed even if nothing else is done. */
  isMoved: boolean;
  /** True once the number of replicas is the requested one. */
  isScaled: boolean;
  /** True once a restart of the replicas was requested, so that no trigger has to request it again. */
  isRestarted: boolean;
  /** Present once a roll-out or a restart of running replicas was requested. */
  rollout?: Rollout;
  /** True once the cluster was started, or was found not to be stopped. */
  isStarted: boolean;
  /** True if the cluster was found at rest although its status word does not say so. */
  wasAtRest: boolean;
  /** True if a stopped cluster will run its new configuration only after its next start. */
  isPostponed: boolean;
}

export function nothingSent(): Sent {
  const nothing = { isMoved: false, isStored: false, isScaled: false, isRestarted: false, isStarted: false };
  return { ...nothing, wasAtRest: false, isPostponed: false };
}

export function changeOf(
  record: ClusterRecord,
  inputs: CheckedInputs,
  state: ClusterState,
  effects: ReadonlySet<Effect>,
  isFailed = stateOf(record.status) === "failed",
): Change {
  // A roll-out that did not finish is sent again: if the program has taken it back since, the diff does not show it.
  // A failed cluster starts again only by a roll-out.
  const isRevived = isFailed && inputs.desiredStatus !== "stopped";
  const needsRollout = effects.has("rollout") || state.__unfinished === "rollout" || isRevived;
  const needsUpdate = effects.has("configure");
  return {
    record,
    inputs: withUnchanged(inputs, state, record, effects),
    state,
    effects,
    needsRollout,
    needsUpdate,
    isRevived,
  };
}

/**
 * The inputs of a request that changes only what the diff shows. Every other input has the value of the service: an
 * autoscaler or another person may have changed it, or the program ignores it (`ignoreChanges`). If an earlier operation did
 * not finish, or the cluster is at rest, all inputs are those of the program.
 */
function withUnchanged(
  inputs: CheckedInputs,
  state: ClusterState,
  record: ClusterRecord,
  effects: ReadonlySet<Effect>,
): CheckedInputs {
  const isAtRest = isStopped(record, state) || inputs.desiredStatus === "stopped";
  // A stopped cluster may show no replicas: its number takes effect at the next start.
  const ownNumber = withNearest(inputs, isAtRest ? record.replicas || undefined : record.replicas);
  if (state.settled !== true || state.__unfinished !== undefined || isAtRest) return ownNumber;
  const { container, env } = record;
  const isSame = (name: "container" | "env") => isDeepStrictEqual(inputs[name] ?? {}, state[name] ?? {});
  return {
    ...inputs,
    replicas: effects.has("scale") ? ownNumber.replicas : record.replicas || inputs.replicas,
    ...(container !== undefined && isSame("container") && !isOwnForm(container, state) ? { container } : {}),
    ...(env !== undefined && isSame("env") ? { env: keptEnv(inputs.env, env, state) } : {}),
  };
}

/** Whether the shown image is the applied one, in any form. */
function isOwnForm(shown: string, { container, __echo }: ClusterState): boolean {
  return sameImage(container, shown) || __echo?.container === shown;
}

/** The variables as the service shows them. Variables that it hides or masks have their applied values. */
function keptEnv(own: CheckedInputs["env"], shown: NonNullable<ClusterRecord["env"]>, { __echo = {} }: ClusterState) {
  const { env: hidden = [], masked = [] } = __echo;
  const readable = Object.entries(shown).filter(
    ([name, value]) => !hidden.includes(name) && !masked.includes(name) && !isMasked(value),
  );
  const kept = Object.fromEntries(
    Object.entries(own ?? {}).filter(([name]) => Object.hasOwn(shown, name) || hidden.includes(name)),
  );
  return { ...kept, ...Object.fromEntries(readable.map(([name, value]) => [name, value ?? ""])) };
}

/** Sends only the differences from what the service shows, in the fewest calls, and waits once. */
export async function applyChange(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  if (change.inputs.desiredStatus === "stopped") await bringToRest(service, operation, change, sent);
  else await bringToRun(service, operation, change, sent);
}

/** Stops the cluster. A new number of replicas is sent only with the next start. */
async function bringToRest(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  const { inputs, needsRollout } = change;
  sent.isMoved = await stop(service, operation, inputs);
  if (needsRollout) {
    const refusal = await storeAtRest(service, operation, change, sent);
    // A stored configuration may need a redeploy, which the next start makes sure of.
    sent.isPostponed = true;
    if (refusal)
      operation.warn(
        `the new configuration takes effect at the next start, because the service refuses it now: ${refusal}`,
      );
    // Some services start a cluster when they update it.
    else if (await find(service, operation)) await stop(service, operation, inputs);
  }
  sent.isRestarted = true;
}

async function bringToRun(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  const { inputs: desired, state, effects, needsRollout, needsUpdate } = change;
  const isStart = await isAtRest(service, operation);
  sent.wasAtRest = operation.isFoundAtRest;
  // After a start, no replica from before the stop runs: no trigger has to restart it.
  sent.isRestarted = isStart;
  const isStored = isStart && needsRollout && (await storeAtRest(service, operation, change, sent)) === undefined;
  if (isStart) await startUp(service, operation, desired, isStored);
  sent.isStarted = true;
  sent.isMoved = isStart;
  const { record = change.record } = operation.observed;
  const inputs = { ...desired, replicas: replicasNow(desired, record.replicas) };
  const size = { shown: record.replicas, asked: inputs.replicas };
  const trigger = (["redeploy", "restart"] as const).find((action) => effects.has(action));
  let shown: ClusterRecord | undefined = record;
  if (needsRollout && !isStored) {
    operation.status("updating");
    const configuration = { inputs, before: state, shown: record };
    const answered = await updateAndRollOut(service, operation, configuration, sent);
    shown = answered?.replicas === undefined ? await find(service, operation) : answered;
  } else if (needsUpdate) {
    operation.status("updating");
    shown = await sendUpdate(service, operation, { inputs, before: state, shown: record }, sent);
    shown = shown?.replicas === undefined ? await find(service, operation) : shown;
  } else if (trigger && !isStart) {
    sent.rollout = await restartOnce(service, operation, trigger, size);
  } else if (state.__unfinished === "redeployed" && !isStart) {
    sent.rollout = resumedRollout(service, state.replicaStatuses ?? [], size);
  }
  sent.isRestarted = true;
  await scale(service, operation, change, shown);
  sent.isScaled = true;
  await waitUntilReady(service, operation, inputs, sent.rollout);
}

/** Starts the cluster if it is still at rest. A configuration that was changed at rest certainly runs only after a redeploy. */
async function startUp(service: Service, operation: Operation, { replicas }: CheckedInputs, isChanged: boolean) {
  await find(service, operation);
  const isDown = await isAtRest(service, operation);
  const actions = isChanged ? (["redeploy", "restart", "scale"] as const) : undefined;
  const by = isDown ? await start(service, operation, replicas, actions) : undefined;
  if (isChanged && by !== "redeploy")
    await restartOnce(service, operation, "redeploy", { shown: undefined, asked: replicas });
  await find(service, operation);
}

/** Changes env and container of a stopped cluster. Returns the reason if the service refuses. */
async function storeAtRest(service: Service, operation: Operation, change: Change, sent: Sent) {
  const { inputs, record, state } = change;
  const asItIs = { ...inputs, replicas: record.replicas ?? inputs.replicas };
  operation.status("updating");
  try {
    await sendUpdate(service, operation, { inputs: asItIs, before: state, shown: record }, sent);
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return messageOf(error);
    throw error;
  }
}

/** Sends one scale call if the number of replicas still differs. */
async function scale(service: Service, operation: Operation, change: Change, shown: ClusterRecord | undefined) {
  const { inputs, state } = change;
  const replicas = replicasNow(inputs, shown?.replicas);
  // If the service does not show the number, a number that was not reached is requested again.
  const reached = state.settled === false ? undefined : state.replicas;
  if ((shown?.replicas ?? reached) === replicas) return;
  operation.status(`scaling to ${replicas}`);
  await sendWrite(service, operation, {
    kind: "scale",
    send: () => service.client.scaleCluster(operation.id, replicas, operation.request()),
    isDone: (now) => now?.replicas === replicas,
  });
}
