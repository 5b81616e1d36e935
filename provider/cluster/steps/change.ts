import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { isSameWord, isStopping, stateOf } from "../../api/decode/states";
import { configInputs, type RedeployBody, type StartAction, startActions } from "../../api/endpoints";
import {
  ApiError,
  briefOf,
  ClusterFailedError,
  isMissingEndpoint,
  NotInPlaceError,
  NoUpdateError,
  type Outcome,
  RequestError,
  TimeoutError,
} from "../../base/errors";
import { holdMs, maxEffectMs } from "../../base/times";
import { diffCluster, isWithinPaths } from "../diff/diff";
import { isDown, isIdle, type Rollout, showsRollout, stoppedCondition, wasHealthy } from "../health/health";
import type { ClusterState } from "../schema/state";
import { find, findCluster, findStatus } from "../service/lookup";
import type { Operation } from "../service/operation";
import { type Dependencies, waitUntilReady, waitUntilVisible } from "../wait/wait";
import {
  type Change,
  type Configured,
  checkMadeAsRequested,
  configPaths,
  endState,
  learnedState,
  type Stored,
  triggerNames,
} from "./progress";
import { effectPauses, sendWrite } from "./sendWrite";
import { sendUpdate } from "./updateRequest";

const namesOfRequests = "the names in requests";

/** After a create request: the service has everything, but it runs the cluster even if that is to be stopped. */
export async function finishCreation(change: Change): Promise<ClusterState> {
  const { deps, operation, update, progress } = change;
  progress.reach(...configInputs, "replicas", ...triggerNames);
  // A cluster without its GPU or image never gets ready. Reading the first cluster is enough to find out.
  if (!deps.client.capabilities.isConfirmed && !deps.once.has(namesOfRequests)) {
    deps.once.add(namesOfRequests);
    const record = await find(deps, operation);
    if (record) checkMadeAsRequested(deps, update.inputs, record);
  }
  if (update.inputs.desiredStatus === "stopped") {
    await stop(change);
    progress.reach("desiredStatus", ...triggerNames);
  } else await waitForTarget(change, true);
  return learnedState(change);
}

/** Brings a cluster to its target. The configuration comes first, so that its refusal changes nothing. */
export async function changeCluster(change: Change): Promise<ClusterState> {
  const { record, state, target } = change.update;
  if (target.desiredStatus === "stopped") await stopCluster(change);
  else if (isDown(record, state)) await startCluster(change);
  else await changeRunningCluster(change);
  return endState(change);
}

async function stopCluster(change: Change): Promise<void> {
  const { deps, operation, update, progress } = change;
  if (sendsConfiguration(update)) {
    const configured = await configure(change, isDown(update.record, update.state));
    progress.record(configured);
    if (configured.kind === "refused")
      operation.warn(`the new configuration takes effect at the next start, because now: ${briefOf(configured.error)}`);
    // Some services start a cluster when they update it.
    await find(deps, operation);
  }
  await stop(change);
  progress.reach("desiredStatus", ...triggerNames);
}

async function startCluster(change: Change): Promise<void> {
  const { deps, operation, update, progress } = change;
  const { state, effects, target } = update;
  let configured = sendsConfiguration(update) ? await configure(change, true) : undefined;
  if (configured) progress.record(configured);
  const isStored = configured?.kind === "stored";
  // Only the image can change where there is no update: the redeploy that changes it starts the cluster too.
  const redeploysImage = configured?.kind === "refused" && deps.client.capabilities.hasUpdate === false;
  // The update itself may have started the cluster.
  const record = isStored ? await find(deps, operation) : update.record;
  if (!record || isDown(record, state)) {
    const action = await start(change, {
      // Only a redeploy certainly runs a configuration that was stored while the cluster was stopped.
      actions: isStored || redeploysImage ? ["redeploy", "restart", "scale"] : startActions,
      redeployBody: redeploysImage ? { container: target.container } : undefined,
    });
    if (action === "redeploy" && (isStored || redeploysImage)) configured = { kind: "runs" };
  }
  progress.reach("desiredStatus");
  progress.replicas = operation.observed.record?.replicas ?? progress.replicas;
  // A running cluster may accept what it has refused while it was stopped.
  if (configured?.kind === "refused") configured = await configure(change, false);
  if (configured) progress.record(configured);
  // The replicas of a start do not show a rollout.
  if (configured?.kind === "stored")
    progress.record({ kind: "runs", rollout: effects.has("rollout") ? await rollOutUpdate(change) : undefined });
  progress.reach(...triggerNames);
  await reachReplicas(change);
}

async function changeRunningCluster(change: Change): Promise<void> {
  const { update, progress } = change;
  const { record, effects, target } = update;
  const rollsOut = effects.has("rollout");
  if (sendsConfiguration(update)) {
    const configured = await configure(change, false);
    progress.record(configured);
    if (configured.kind === "stored")
      progress.record({ kind: "runs", rollout: rollsOut ? await rollOutUpdate(change, configured) : undefined });
  }
  // A rollout restarts the replicas too.
  const isRolledOut = progress.rollout !== undefined;
  if (!isRolledOut && stateOf(record.status) === "failed")
    progress.record({ kind: "runs", rollout: await repair(change) });
  else if (!isRolledOut && (effects.has("redeploy") || effects.has("restart"))) {
    const action = effects.has("redeploy") ? "redeploy" : "restart";
    progress.rollout = await restartReplicas(change, action);
    const missing = `the service has no ${action} of clusters: remove \`${action}Triggers\` from the program`;
    if (!progress.rollout) throw new ClusterFailedError(missing);
  }
  progress.reach(...triggerNames);
  // Nobody pays for more replicas of a bad configuration, and no good one is gone. Without a replica, nothing shows whether it is healthy.
  if (rollsOut && progress.replicas !== target.replicas && progress.replicas !== 0) await waitForTarget(change, false);
  await reachReplicas(change);
}

function sendsConfiguration({ effects }: Change["update"]): boolean {
  return effects.has("rollout") || effects.has("configure");
}

/**
 * Sends the configuration or, if only the image changes and the service has no update, redeploys a running cluster with it. The
 * refusal of a stopped cluster is no failure: the configuration follows at the next start.
 * @throws NotInPlaceError if the service has neither an update nor a redeploy.
 */
async function configure(change: Change, isStopped: boolean): Promise<Configured> {
  const { deps, operation, update, progress } = change;
  const { state, inputs, record, effects, target } = update;
  const attempt = () => progress.attempt(...configPaths(update));
  try {
    // Replicas that a start or the update adds to none do not show whether they run the new configuration.
    const canShowRollout = effects.has("rollout") && record.replicas !== 0 && !isDown(record, state);
    const before = canShowRollout ? await observeStatus(change) : undefined;
    operation.show("updating");
    const replicas = progress.replicas ?? state.replicas ?? target.replicas;
    return { kind: "stored", before, seen: await sendUpdate(deps, operation, update, { replicas, attempt }) };
  } catch (error) {
    if (isStopped) {
      if (isRefusedRequest(error)) return { kind: "refused", error };
      throw error;
    }
    if (error instanceof NotInPlaceError) {
      // A service without an update has not stored what an earlier operation left open: if that is all, nothing is to do.
      const { changes } = diffCluster({ ...state }, { ...inputs });
      if (!Object.keys(changes).some((path) => isWithinPaths(path, configInputs))) return { kind: "runs" };
    }
    if (!(error instanceof NoUpdateError)) throw error;
  }
  const body = { container: target.container };
  const rollout = await restartReplicas(change, "redeploy", { body, paths: configPaths(update) });
  if (rollout) return { kind: "runs", rollout };
  deps.client.learn({ hasRedeploy: false });
  throw new NotInPlaceError(
    "`container` cannot be changed in place: the service has no update and no redeploy of clusters",
  );
}

/** The number of replicas changes last, up or down. */
async function reachReplicas(change: Change): Promise<void> {
  const { deps, operation, update, progress } = change;
  const { replicas } = update.target;
  const isScaled = progress.replicas !== replicas;
  if (isScaled) {
    operation.show(`scaling to ${replicas}`);
    await sendWrite(deps, operation, {
      kind: "scale",
      send: () => deps.client.scaleCluster(operation.id, replicas, operation.requestOptions()),
      isDone: (found) => found?.replicas === replicas,
      attempt: () => progress.attempt("replicas"),
    });
    progress.replicas = replicas;
  }
  progress.reach("replicas");
  await waitForTarget(change, isScaled);
}

/** A rollout that the wait observes was accepted in any case. */
async function waitForTarget({ deps, operation, update, progress }: Change, isCreatedOrScaled: boolean): Promise<void> {
  const { target } = update;
  const { rollout } = progress;
  const inputs = { ...target, replicas: progress.replicas || target.replicas };
  await waitUntilReady(deps, operation, inputs, { rollout, isAccepted: isCreatedOrScaled || rollout !== undefined });
  progress.rollout = undefined;
}

async function stop(change: Change): Promise<void> {
  const { deps, operation, update, progress } = change;
  const isDone = (record: ClusterRecord | undefined) => record !== undefined && isDown(record, operation.oldState);
  const { record } = operation.observed;
  if (!isDone(record)) {
    operation.show("stopping");
    const send = () => deps.client.stopCluster(operation.id, operation.requestOptions());
    await sendWrite(deps, operation, { kind: "stop", send, isDone, attempt: () => progress.attempt("desiredStatus") });
  }
  if (update.target.skipAwait) return waitUntilVisible(deps, operation);
  await waitUntilStopped(deps, operation, record?.status);
  operation.show("stopped");
}

function waitUntilStopped(deps: Dependencies, operation: Operation, wordBefore: string | undefined): Promise<unknown> {
  const before = { word: wordBefore, state: operation.oldState };
  return deps.poller.wait({ operation, conditionOf: (found) => stoppedCondition(found, before) });
}

interface StartOptions {
  /** In the order in which they are tried. */
  readonly actions: readonly StartAction[];
  readonly redeployBody: RedeployBody | undefined;
}

/**
 * Starts a stopped cluster. The service has no endpoint for that, so several actions are tried in order. The next one follows a
 * refused one at once, and an accepted one if the cluster stays stopped for `holdMs`, as in every wait.
 */
async function start(change: Change, { actions, redeployBody }: StartOptions): Promise<StartAction> {
  const { deps, operation, update, progress } = change;
  const { client } = deps;
  const { id } = operation;
  const statusBefore = operation.observed.record?.status;
  if (isStopping(statusBefore)) await waitUntilStopped(deps, operation, statusBefore);
  const stoppedStatus = operation.observed.record?.status;
  const calls: Record<StartAction, () => Promise<ClusterRecord | undefined>> = {
    restart: () => client.restartCluster(id, operation.requestOptions()),
    redeploy: () => client.redeployCluster(id, operation.requestOptions(), redeployBody),
    scale: () => client.scaleCluster(id, update.target.replicas, operation.requestOptions()),
  };
  const attempt = () => progress.attempt("desiredStatus");
  // By its status word or, if that is unknown and unchanged, by its replicas.
  const isDone = async () => {
    const record = await find(deps, operation);
    if (!record) return false;
    const state = stateOf(record.status);
    if (state !== "unknown") return state !== "stopped" && !isStopping(record.status);
    if (record.status !== undefined && !isSameWord(record.status, stoppedStatus)) return true;
    const status = await findStatus(client, operation);
    return status !== undefined && !status.isMissing && !isIdle(status);
  };
  const tried: string[] = [];
  for (const action of actions) {
    operation.show(`starting, by ${action}`);
    let refusal: string | undefined;
    try {
      await sendWrite(deps, operation, { kind: "start", send: calls[action], isDone, attempt });
    } catch (error) {
      // After a failed read, the cluster may have started: another action could roll out the replicas once more.
      const isWrite = error instanceof RequestError && error.method !== "GET";
      if (!isWrite || !(isRefusedRequest(error) || error.maybeApplied)) throw error;
      refusal = briefOf(error);
    }
    const pausesMs = effectPauses(refusal === undefined ? holdMs : 0);
    if (await operation.poll({ pausesMs, check: isDone })) return action;
    tried.push(`${action}: ${refusal ?? "accepted, but the cluster stays stopped"}`);
    if (operation.leftMs() === 0) throw new TimeoutError("timed out", { explanations: tried });
  }
  throw new ClusterFailedError("it does not start", { explanations: tried });
}

const refusals: ReadonlySet<Outcome> = new Set(["refused", "no-capacity", "busy"]);

/** Whether the service refuses this request, and not the key. */
function isRefusedRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.has(error.outcome) && error.status !== 401 && error.status !== 403;
}

async function observeStatus({ deps, operation }: Change): Promise<StatusRecord | undefined> {
  const status = await findStatus(deps.client, operation);
  if (!status || status.status !== undefined) return status;
  const record = await findCluster(deps, operation.id, operation.lookupOptions());
  return { ...status, status: record?.status };
}

/**
 * The rollout of an accepted update, whose beginning the reads since the request may have shown. If the service does not begin it
 * by itself, one redeploy requests it. Replicas that were not all healthy may not show that it has begun: then the last update
 * decides that showed it. Where there is no redeploy, the update itself is all that there is.
 */
async function rollOutUpdate(
  change: Change,
  { before, seen = [] }: Pick<Stored, "before" | "seen"> = {},
): Promise<Rollout> {
  const { deps, operation } = change;
  const { client } = deps;
  const requestedAtMs = deps.clock.now();
  const wasSeen = seen.some(({ status, health }) => showsRollout(before, { replicas: [], ...health, status }));
  const check = async () => showsRollout(before, await observeStatus(change));
  let isBegun = before !== undefined && wasSeen;
  if (before && !wasSeen) isBegun = (await operation.poll({ pausesMs: effectPauses(maxEffectMs), check })) === true;
  if (isBegun || (before && wasHealthy(before))) client.learn({ rollsOut: isBegun });
  const hasFailed = stateOf(before?.status) === "failed";
  const isExpected = before !== undefined && !hasFailed && client.capabilities.rollsOut;
  if (isBegun || isExpected) return { before, requestedAtMs, hasBegun: isBegun };
  if (hasFailed) return repair(change);
  const rollout = await restartReplicas(change, "redeploy");
  return rollout ?? { before, requestedAtMs, hasBegun: false };
}

/**
 * Brings up the replicas of a failed cluster: by a redeploy or, where the service has none, by a restart.
 * @throws ClusterFailedError if the service has neither.
 */
async function repair(change: Change): Promise<Rollout> {
  const rollout = (await restartReplicas(change, "redeploy")) ?? (await restartReplicas(change, "restart"));
  if (rollout) return rollout;
  throw new ClusterFailedError(
    "it has failed, and the service has no redeploy and no restart of clusters. To replace it, run " +
      `\`pulumi up --replace '${change.operation.urn}'\``,
  );
}

/**
 * Restarts the replicas by one POST. It is never sent again: a second one would restart every replica again.
 * @param paths What the body changes.
 * @returns Nothing if the service has no such endpoint.
 */
async function restartReplicas(
  change: Change,
  action: "restart" | "redeploy",
  { body, paths = [] }: { readonly body?: RedeployBody; readonly paths?: readonly string[] } = {},
): Promise<Rollout | undefined> {
  const { deps, operation, progress } = change;
  const { client, clock } = deps;
  try {
    const before = await observeStatus(change);
    operation.show(`${action}ing`);
    const { isObserved } = await sendWrite<unknown>(deps, operation, {
      kind: "restart",
      send: () =>
        action === "restart"
          ? client.restartCluster(operation.id, operation.requestOptions())
          : client.redeployCluster(operation.id, operation.requestOptions(), body),
      isDone: async () => showsRollout(before, await observeStatus(change)),
      attempt: () => progress.attempt(...paths),
    });
    return { before, requestedAtMs: clock.now(), hasBegun: isObserved };
  } catch (error) {
    // A 404 can be about the cluster.
    if (!isMissingEndpoint(error) || !(await find(deps, operation))) throw error;
    return undefined;
  }
}
