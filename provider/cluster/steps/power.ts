import type { ClusterRecord } from "../../api/decode/records";
import { isSameWord, isStopping, stateOf } from "../../api/decode/states";
import { type StartAction, startActions } from "../../api/endpoints";
import { ApiError, briefOf, ClusterFailedError, type Outcome, RequestError, TimeoutError } from "../../base/errors";
import { stoppedCondition } from "../health/conditions";
import { isDown, isIdle } from "../health/health";
import type { CheckedInputs } from "../schema/stateFields";
import { find, findStatus } from "../service/lookup";
import type { Operation } from "../service/operation";
import { holdMs } from "../wait/poller";
import type { Service } from "../wait/service";
import { waitUntilVisible } from "../wait/wait";
import { isTrueWithin, sendWrite } from "./sendWrite";

/** Stops and starts of a cluster. The service has no endpoint of its own for a start. */

/** Stops the cluster in any state, and waits until it is stopped. */
export async function stop(
  service: Service,
  operation: Operation,
  { skipAwait }: Pick<CheckedInputs, "skipAwait">,
): Promise<void> {
  const isDone = (record: ClusterRecord | undefined) => record !== undefined && isDown(record, operation.before);
  const { record } = operation.observed;
  if (!isDone(record)) {
    operation.status("stopping");
    try {
      const send = () => service.client.stopCluster(operation.id, operation.request());
      await sendWrite(service, operation, { kind: "stop", send, isDone });
    } catch (error) {
      // A service may refuse to stop a cluster that is already stopped.
      if (!isRefusedRequest(error) || !isDone(await find(service, operation))) throw error;
    }
  }
  if (skipAwait) return waitUntilVisible(service, operation);
  await waitUntilStopped(service, operation, record?.status);
  operation.status("stopped");
}

/** @param word The status word before the stop. */
function waitUntilStopped(service: Service, operation: Operation, word: string | undefined): Promise<unknown> {
  const before = { word, state: operation.before };
  return service.poller.wait({ operation, judge: (found) => stoppedCondition(found, before) });
}

/**
 * Starts a stopped cluster. A refused action is followed by the next one at once; an accepted one had no effect if the cluster
 * stays stopped for `holdMs`, as in every wait.
 * @returns The action that has started it.
 */
export async function start(
  service: Service,
  operation: Operation,
  replicas: number,
  actions: readonly StartAction[] = startActions,
): Promise<StartAction> {
  const { client } = service;
  const { id } = operation;
  const before = operation.observed.record?.status;
  if (isStopping(before)) await waitUntilStopped(service, operation, before);
  const word = operation.observed.record?.status;
  const calls: Record<StartAction, () => Promise<ClusterRecord | undefined>> = {
    restart: () => client.restartCluster(id, operation.request()),
    redeploy: () => client.redeployCluster(id, operation.request()),
    scale: () => client.scaleCluster(id, replicas, operation.request()),
  };
  const tried: string[] = [];
  for (const action of actions) {
    operation.status(`starting, by ${action}`);
    const isDone = () => hasLeftStop(service, operation, word);
    const refusal = await sendWrite(service, operation, { kind: "start", send: calls[action], isDone }).then(
      () => undefined,
      refusalOrThrow,
    );
    if (await isTrueWithin(operation, refusal === undefined ? holdMs : 0, isDone)) return action;
    tried.push(`${action}: ${refusal ?? "accepted, but the cluster stays stopped"}`);
    if (operation.leftMs() === 0) throw new TimeoutError("timed out", { facts: tried });
  }
  throw new ClusterFailedError("it does not start", { facts: tried });
}

/** The reason why an action did not start the cluster. @throws If another action is no remedy. */
function refusalOrThrow(error: unknown): string {
  // A read that fails shows nothing: another action could roll out the replicas once more.
  const isWrite = error instanceof RequestError && error.method !== "GET";
  if (isWrite && (isRefusedRequest(error) || error.maybeApplied)) return briefOf(error);
  throw error;
}

/** Whether the cluster is not stopped any more: by another status word or, if that is unknown and the same, by its replicas. */
async function hasLeftStop(service: Service, operation: Operation, word: string | undefined): Promise<boolean> {
  const record = await find(service, operation);
  if (!record) return false;
  const state = stateOf(record.status);
  if (state !== "unknown") return state !== "stopped" && !isStopping(record.status);
  if (record.status !== undefined && !isSameWord(record.status, word)) return true;
  const status = await findStatus(service.client, operation);
  return status !== undefined && !status.isMissing && !isIdle(status);
}

const refusals: ReadonlySet<Outcome> = new Set(["refused", "no-capacity", "busy"]);

/** Whether the service refuses this request, and not the key. */
export function isRefusedRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.has(error.outcome) && error.status !== 401 && error.status !== 403;
}
