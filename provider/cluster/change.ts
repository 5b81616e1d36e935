import { isDeepStrictEqual } from "node:util";
import { stateOf } from "../api/read/states";
import type { ClusterRecord } from "../api/records";
import { messageOf } from "../errors";
import { isStopped } from "./conditions";
import { isMasked, sameImage } from "./drift";
import type { CheckedInputs, ClusterState, Effect } from "./fields";
import { find } from "./lookup";
import type { Operation } from "./operation";
import { isAtRest, isRefusal, start, stop } from "./power";
import { type Rollout, restartOnce, resumedRollout, updateAndRollOut } from "./rollout";
import type { Service } from "./service";
import { applyOnce, type Progress, sendUpdate } from "./updateRequest";
import { waitUntilReady } from "./wait";

/** What is to be brought about on a cluster that exists. */
export interface Change {
  /** What the service showed before. */
  readonly record: ClusterRecord;
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly effects: ReadonlySet<Effect>;
  /** Env and container have to be sent, and the replicas to run them. */
  readonly needsRollout: boolean;
  /** Extra fields have to be sent; what follows from them is up to the service. */
  readonly needsUpdate: boolean;
}

/** How far a change came. */
export interface Sent extends Progress {
  /** True once the cluster was stopped or started, so that it is not what it was even if nothing else is done. */
  isMoved: boolean;
  /** True once the number of replicas is the one that was asked for. */
  isScaled: boolean;
  /** True once the replicas were asked to restart, so that no trigger has to do it again. */
  isRestarted: boolean;
  /** Present once replicas were asked to restart that ran. */
  rollout?: Rollout;
  /** True once the cluster was started, where it was stopped. */
  isStarted: boolean;
  /** True where it was found at rest although no word says so. */
  wasAtRest: boolean;
  /** True where a stopped cluster has yet to run its configuration, once it is started. */
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
  // One that was sent and not seen through may also have been taken back since: then the diff does not show it.
  // One that has failed comes up again only by a roll-out.
  const isRevived = isFailed && inputs.desiredStatus !== "stopped";
  const needsRollout = effects.has("rollout") || state.__unfinished === "rollout" || isRevived;
  const needsUpdate = effects.has("configure");
  return { record, inputs: withUnchanged(inputs, state, record, effects), state, effects, needsRollout, needsUpdate };
}

/**
 * What a request has to say so that it changes nothing but what the diff shows: for every other input what the service has,
 * which an autoscaler or another person may have changed since, or which the program ignores (`ignoreChanges`). An update that
 * was not seen through is sent as the program says it.
 */
function withUnchanged(
  inputs: CheckedInputs,
  state: ClusterState,
  record: ClusterRecord,
  effects: ReadonlySet<Effect>,
): CheckedInputs {
  const isAtRest = isStopped(record, state) || inputs.desiredStatus === "stopped";
  if (state.settled !== true || state.__unfinished !== undefined || isAtRest) return inputs;
  const { container, env } = record;
  const isSame = (name: "container" | "env") => isDeepStrictEqual(inputs[name] ?? {}, state[name] ?? {});
  return {
    ...inputs,
    replicas: effects.has("scale") ? inputs.replicas : record.replicas || inputs.replicas,
    ...(container !== undefined && isSame("container") && !isOwnForm(container, state) ? { container } : {}),
    ...(env !== undefined && isSame("env") ? { env: keptEnv(inputs.env, env, state) } : {}),
  };
}

/** Whether an image that is shown is the one that was applied, in whatever form. */
function isOwnForm(shown: string, { container, __echo }: ClusterState): boolean {
  return sameImage(container, shown) || __echo?.container === shown;
}

/** The variables as the service shows them; what it hides or masks is as it was applied. */
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

/** Sends only what differs from what the service shows, in the fewest calls, and waits once. */
export async function applyChange(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  if (change.inputs.desiredStatus === "stopped") await bringToRest(service, operation, change, sent);
  else await bringToRun(service, operation, change, sent);
}

/** The number of replicas waits for the start. */
async function bringToRest(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  const { inputs, needsRollout } = change;
  sent.isMoved = await stop(service, operation, inputs);
  if (needsRollout) {
    const refusal = await storeAtRest(service, operation, change, sent);
    // What is stored may wait for a redeploy, which the start then makes sure of.
    sent.isPostponed = true;
    if (refusal) operation.warn(`takes its new configuration when it is started: ${refusal}`);
    // The update of some services starts what it changes.
    else if (await find(service, operation)) await stop(service, operation, inputs);
  }
  sent.isRestarted = true;
}

async function bringToRun(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  const { inputs, state, effects, needsRollout, needsUpdate } = change;
  const isStart = await isAtRest(service, operation);
  sent.wasAtRest = operation.isFoundAtRest;
  // Whatever starts it, nothing that ran before runs on.
  sent.isRestarted = isStart;
  const isStored = isStart && needsRollout && (await storeAtRest(service, operation, change, sent)) === undefined;
  if (isStart) await startUp(service, operation, inputs, isStored);
  sent.isStarted = true;
  sent.isMoved = isStart;
  const { record = change.record } = operation.observed;
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

/** Starts what is still at rest; a configuration that was changed there surely runs only after a redeploy. */
async function startUp(service: Service, operation: Operation, { replicas }: CheckedInputs, isChanged: boolean) {
  await find(service, operation);
  const isDown = await isAtRest(service, operation);
  const actions = isChanged ? (["redeploy", "restart", "scale"] as const) : undefined;
  const by = isDown ? await start(service, operation, replicas, actions) : undefined;
  if (isChanged && by !== "redeploy")
    await restartOnce(service, operation, "redeploy", { shown: undefined, asked: replicas });
  await find(service, operation);
}

/** Changes env and container of a stopped cluster; answers why where it takes none. */
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

/** One call for what is still missing then. */
async function scale(service: Service, operation: Operation, change: Change, shown: ClusterRecord | undefined) {
  const { inputs, state } = change;
  const { replicas } = inputs;
  // Where the service does not show the number, one that was not reached is asked for again.
  const reached = state.settled === false ? undefined : state.replicas;
  if ((shown?.replicas ?? reached) === replicas) return;
  operation.status(`scaling to ${replicas}`);
  const send = () => service.client.scaleCluster(operation.id, replicas, operation.request());
  await applyOnce(service, operation, send, (now) => now.replicas === replicas);
}

/** How far an operation came. */
export interface PartialState {
  /** The inputs that the replicas run with by now. */
  readonly running: CheckedInputs;
  readonly before: ClusterState;
  readonly unfinished: ClusterState["__unfinished"];
  readonly sent?: ClusterState["__sent"];
}

/**
 * Until a roll-out is asked for or seen, the replicas run with the old configuration, so that an interrupted one is done
 * again; one that the service has accepted is only waited for again.
 */
export function partialState(change: Change, sent: Sent): PartialState {
  const { isScaled, isRestarted, isStarted, isStored, rollout, wasAtRest } = sent;
  const { record, inputs: asked, state: before, needsRollout, needsUpdate } = change;
  const replicas = isScaled ? asked.replicas : (record.replicas ?? before.replicas);
  const { restartTriggers, redeployTriggers } = isRestarted ? asked : before;
  // Where no word tells that it is stopped, the state has to, until it is started.
  const wasStopped = (wasAtRest || before.desiredStatus === "stopped") && !isStarted;
  const desiredStatus = wasStopped ? ("stopped" as const) : asked.desiredStatus;
  const extraFields = (needsUpdate || needsRollout) && !isStored ? before.extraFields : asked.extraFields;
  const inputs = { ...asked, replicas, restartTriggers, redeployTriggers, desiredStatus, extraFields };
  if (rollout?.isAccepted && !rollout.seen) return { running: inputs, before, unfinished: "redeployed" };
  const isThrough = rollout?.seen ?? isScaled;
  if (isThrough || !needsRollout) return { running: inputs, before, unfinished: true };
  const { container, env } = before;
  const unfinished = isStored ? "rollout" : (before.__unfinished ?? true);
  const names =
    unfinished === "rollout" ? [...new Set([...(before.__sent ?? []), ...Object.keys(asked.env ?? {})])] : undefined;
  return { running: { ...inputs, container, env }, before, unfinished, sent: names };
}
