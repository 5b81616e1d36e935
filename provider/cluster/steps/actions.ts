import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { isSameWord, isStopping, stateOf } from "../../api/decode/states";
import { type RedeployBody, type StartAction, startActions } from "../../api/endpoints";
import {
  ApiError,
  briefOf,
  ClusterFailedError,
  isMissingEndpoint,
  type Outcome,
  RequestError,
  TimeoutError,
} from "../../base/errors";
import { holdMs, maxEffectMs } from "../../base/times";
import { isDown, isIdle, type Rollout, showsRollout, stoppedCondition, wasHealthy } from "../health/health";
import type { CheckedInputs } from "../schema/state";
import { find, findCluster, findStatus } from "../service/lookup";
import type { Operation } from "../service/operation";
import { type Dependencies, waitUntilVisible } from "../wait/wait";
import { type Attempt, effectPauses, sendWrite } from "./sendWrite";

export async function stop(
  deps: Dependencies,
  operation: Operation,
  { skipAwait }: Pick<CheckedInputs, "skipAwait">,
  attempt?: Attempt,
): Promise<void> {
  const isDone = (record: ClusterRecord | undefined) => record !== undefined && isDown(record, operation.oldState);
  const { record } = operation.observed;
  if (!isDone(record)) {
    operation.show("stopping");
    const send = () => deps.client.stopCluster(operation.id, operation.request());
    await sendWrite(deps, operation, { kind: "stop", send, isDone, attempt });
  }
  if (skipAwait) return waitUntilVisible(deps, operation);
  await waitUntilStopped(deps, operation, record?.status);
  operation.show("stopped");
}

function waitUntilStopped(deps: Dependencies, operation: Operation, wordBefore: string | undefined): Promise<unknown> {
  const before = { word: wordBefore, state: operation.oldState };
  return deps.poller.wait({ operation, conditionOf: (found) => stoppedCondition(found, before) });
}

interface StartOptions {
  readonly replicas: number;
  /** In the order in which they are tried. */
  readonly actions?: readonly StartAction[];
  readonly redeployBody?: RedeployBody | undefined;
  readonly attempt?: Attempt;
}

/**
 * Starts a stopped cluster. The service has no endpoint for that, so several actions are tried in order. The next one follows a
 * refused one at once, and an accepted one if the cluster stays stopped for `holdMs`, as in every wait.
 */
export async function start(
  deps: Dependencies,
  operation: Operation,
  { replicas, actions = startActions, redeployBody, attempt }: StartOptions,
): Promise<StartAction> {
  const { client } = deps;
  const { id } = operation;
  const statusBefore = operation.observed.record?.status;
  if (isStopping(statusBefore)) await waitUntilStopped(deps, operation, statusBefore);
  const stoppedStatus = operation.observed.record?.status;
  const calls: Record<StartAction, () => Promise<ClusterRecord | undefined>> = {
    restart: () => client.restartCluster(id, operation.request()),
    redeploy: () => client.redeployCluster(id, operation.request(), redeployBody),
    scale: () => client.scaleCluster(id, replicas, operation.request()),
  };
  const tried: string[] = [];
  for (const action of actions) {
    operation.show(`starting, by ${action}`);
    const isDone = () => isStarted(deps, operation, stoppedStatus);
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

/** Whether the cluster is no longer stopped: by its status word or, if that is unknown and unchanged, by its replicas. */
async function isStarted(
  deps: Dependencies,
  operation: Operation,
  stoppedStatus: string | undefined,
): Promise<boolean> {
  const record = await find(deps, operation);
  if (!record) return false;
  const state = stateOf(record.status);
  if (state !== "unknown") return state !== "stopped" && !isStopping(record.status);
  if (record.status !== undefined && !isSameWord(record.status, stoppedStatus)) return true;
  const status = await findStatus(deps.client, operation);
  return status !== undefined && !status.isMissing && !isIdle(status);
}

const refusals: ReadonlySet<Outcome> = new Set(["refused", "no-capacity", "busy"]);

/** Whether the service refuses this request, and not the key. */
export function isRefusedRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.has(error.outcome) && error.status !== 401 && error.status !== 403;
}

export async function observeStatus(deps: Dependencies, operation: Operation): Promise<StatusRecord | undefined> {
  const status = await findStatus(deps.client, operation);
  if (!status || status.status !== undefined) return status;
  const record = await findCluster(deps, operation.id, operation.lookup());
  return { ...status, status: record?.status };
}

export interface Stored {
  /** The replicas before it; absent if they cannot show a rollout. */
  readonly before?: StatusRecord | undefined;
  readonly seen?: readonly ClusterRecord[];
}

/**
 * The rollout of an accepted update, whose beginning the reads since the request may have shown. If the service does not begin it
 * by itself, one redeploy requests it. Replicas that were not all healthy may not show that it has begun: then the last update
 * decides that showed it. Where there is no redeploy, the update itself is all that there is.
 */
export async function rollOutUpdate(
  deps: Dependencies,
  operation: Operation,
  { before, seen = [] }: Stored = {},
): Promise<Rollout> {
  const { client } = deps;
  const requestedAtMs = deps.clock.now();
  const wasSeen = seen.some(({ status, health }) => showsRollout(before, { replicas: [], ...health, status }));
  const check = async () => showsRollout(before, await observeStatus(deps, operation));
  let isBegun = before !== undefined && wasSeen;
  if (before && !wasSeen) isBegun = (await operation.poll({ pausesMs: effectPauses(maxEffectMs), check })) === true;
  if (isBegun || (before && wasHealthy(before))) client.learn({ rollsOut: isBegun });
  const hasFailed = stateOf(before?.status) === "failed";
  const isExpected = before !== undefined && !hasFailed && client.capabilities.rollsOut;
  if (isBegun || isExpected) return { before, requestedAtMs, hasBegun: isBegun };
  if (hasFailed) return repair(deps, operation);
  const rollout = await restartReplicas(deps, operation, "redeploy");
  return rollout ?? { before, requestedAtMs, hasBegun: false };
}

/**
 * Brings up the replicas of a failed cluster: by a redeploy or, where the service has none, by a restart.
 * @throws ClusterFailedError if the service has neither.
 */
export async function repair(deps: Dependencies, operation: Operation, attempt?: Attempt): Promise<Rollout> {
  for (const action of ["redeploy", "restart"] as const) {
    const rollout = await restartReplicas(deps, operation, action, { attempt });
    if (rollout) return rollout;
  }
  throw new ClusterFailedError(
    "it has failed, and the service has no redeploy and no restart of clusters. To replace it, run " +
      `\`pulumi up --replace '${operation.urn}'\``,
  );
}

interface RestartOptions {
  readonly body?: RedeployBody;
  readonly attempt?: Attempt | undefined;
}

/**
 * Restarts the replicas by one POST. It is never sent again: a second one would restart every replica again.
 * @returns Nothing if the service has no such endpoint.
 */
export async function restartReplicas(
  deps: Dependencies,
  operation: Operation,
  action: "restart" | "redeploy",
  { body, attempt }: RestartOptions = {},
): Promise<Rollout | undefined> {
  const { client, clock } = deps;
  try {
    const before = await observeStatus(deps, operation);
    operation.show(`${action}ing`);
    const { isObserved } = await sendWrite<unknown>(deps, operation, {
      kind: "restart",
      send: () =>
        action === "restart"
          ? client.restartCluster(operation.id, operation.request())
          : client.redeployCluster(operation.id, operation.request(), body),
      isDone: async () => showsRollout(before, await observeStatus(deps, operation)),
      attempt,
    });
    return { before, requestedAtMs: clock.now(), hasBegun: isObserved };
  } catch (error) {
    // A 404 can be about the cluster.
    if (!isMissingEndpoint(error) || !(await find(deps, operation))) throw error;
    return undefined;
  }
}
