import { type StartAction, startActions } from "../../api/endpoints";
import type { ClusterRecord } from "../../api/records";
import { isLeaving, isSameWord, isStopping, stateOf } from "../../api/states";
import { ApiError, ClusterFailedError, messageOf, type Outcome, RequestError, TimeoutError } from "../../base/errors";
import { isIdle, isStopped, judgeStopped } from "../compare/health";
import type { CheckedInputs } from "../model/stateFields";
import { findCluster, findStatus } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import { sendWrite } from "../shared/sendWrite";
import type { Service } from "../shared/service";
import { waitUntil, waitUntilShown } from "../wait/wait";

/** Stops and starts of a cluster. The service has no endpoint of its own for a start. */

/** Whether the cluster is stopped. If a stop is in progress, waits for its end first. */
export async function isAtRest(service: Service, operation: Operation): Promise<boolean> {
  if (isStopping(operation.observed.record?.status)) await waitUntilStopped(service, operation);
  return isStoppedNow(service, operation, operation.observed.record);
}

/**
 * Whether the cluster is stopped, by its status word. If the word is unknown, a cluster that was stopped before is still
 * stopped while no replica runs; if no replicas can be observed, while its word is the same.
 */
async function isStoppedNow(
  { client }: Service,
  operation: Operation,
  record: ClusterRecord | undefined,
): Promise<boolean> {
  if (!record || isStopped(record)) return record !== undefined;
  if (!operation.rest || stateOf(record.status) !== "unknown") return false;
  const status = await findStatus(client, operation);
  if (status && !status.isMissing) return isIdle(status);
  return record.status === undefined || isSameWord(record.status, operation.rest.word);
}

function isGoingDown(record: ClusterRecord): boolean {
  return isStopped(record) || isStopping(record.status);
}

async function waitUntilStopped(service: Service, operation: Operation, word = operation.observed.record?.status) {
  const before = { word, state: operation.before };
  await waitUntil(service, operation, (found) => judgeStopped(found, before));
  operation.stopped();
}

/** Stops the cluster in any state, and waits until it is stopped. Returns whether that took a request. */
export async function stop(
  service: Service,
  operation: Operation,
  { skipAwait }: Pick<CheckedInputs, "skipAwait">,
): Promise<boolean> {
  const { record } = operation.observed;
  // In doubt the request is sent: it does no harm to a stopped cluster.
  const isNeedless =
    record !== undefined &&
    (isGoingDown(record) || (isStopped(record, operation.before) && (await isStoppedNow(service, operation, record))));
  if (!isNeedless) {
    operation.status("stopping");
    const send = () => service.client.stopCluster(operation.id, operation.request());
    const isDone = (now: ClusterRecord | undefined) => now !== undefined && isGoingDown(now);
    try {
      await sendWrite(service, operation, { kind: "stop", send, isDone });
    } catch (error) {
      // A service may refuse to stop a cluster that is already stopped.
      const now = isRefusedRequest(error) ? await findCluster(service, operation.id, operation.lookup()) : undefined;
      if (!now || !(isGoingDown(now) || (await isEmpty(service, operation, now)))) throw error;
    }
  }
  if (skipAwait) await waitUntilShown(service, operation);
  else {
    await waitUntilStopped(service, operation, record?.status);
    operation.status("stopped");
  }
  return !isNeedless;
}

/** Whether no replica of a cluster runs, if its status word is unknown: then a refused stop means that it is already stopped. */
async function isEmpty({ client }: Service, operation: Operation, { status: word }: ClusterRecord): Promise<boolean> {
  if (stateOf(word) !== "unknown") return false;
  const status = await findStatus(client, operation);
  return status !== undefined && isIdle(status);
}

/** Pauses before each poll that checks whether an accepted start has begun. */
const pollPausesMs = [0, 1_000, 2_000, 4_000];

/** Starts a stopped cluster by the first action of the table that works, and returns this action. */
export async function start(
  service: Service,
  operation: Operation,
  replicas: number,
  actions: readonly StartAction[] = startActions,
): Promise<StartAction> {
  const tried: string[] = [];
  for (const action of actions) {
    operation.status(`starting, by ${action}`);
    const why = await attempt(service, operation, action, replicas);
    if (why === undefined) return action;
    tried.push(`${action}: ${why}`);
    if (operation.leftMs() === 0) throw new TimeoutError("timed out", { facts: tried });
  }
  throw new ClusterFailedError("it does not start", { facts: tried });
}

/** Tries to start the cluster by an action. Returns the reason if it does not start: another action may be tried. */
async function attempt(service: Service, operation: Operation, action: StartAction, replicas: number) {
  const { client } = service;
  const { id } = operation;
  const calls: Record<StartAction, () => Promise<ClusterRecord | undefined>> = {
    restart: () => client.restartCluster(id, operation.request()),
    redeploy: () => client.redeployCluster(id, operation.request()),
    scale: () => client.scaleCluster(id, replicas, operation.request()),
  };
  const word = operation.observed.record?.status;
  let isSeen = false;
  const hasBegun = async () => {
    isSeen ||= await hasStarted(service, operation, pollPausesMs, word);
    return isSeen;
  };
  try {
    const isDone = async (now?: ClusterRecord) => now !== undefined && !(await isStoppedNow(service, operation, now));
    await sendWrite(service, operation, { kind: "start", send: calls[action], isDone, tookEffect: hasBegun });
    return (await hasBegun()) ? undefined : "accepted, but the cluster stays stopped";
  } catch (error) {
    // A read that fails shows nothing: another action could roll out the replicas once more.
    if (!(error instanceof RequestError) || error.method === "GET") throw error;
    if (isRefusedRequest(error))
      return (await hasStarted(service, operation, [0], undefined)) ? undefined : messageOf(error);
    if (error.maybeApplied) return messageOf(error);
    throw error;
  }
}

/**
 * Whether the cluster has started, by its status word and its replicas. After a start that was not refused, a status word
 * other than the one before (`old`) counts too.
 */
async function hasStarted(
  service: Service,
  operation: Operation,
  pausesMs: readonly number[],
  old: string | undefined,
): Promise<boolean> {
  for (const pauseMs of pausesMs) {
    const leftMs = operation.leftMs();
    await operation.pause(pauseMs);
    operation.observe({ record: await findCluster(service, operation.id, operation.lookup()) });
    const { record } = operation.observed;
    const isOther = old !== undefined && record?.status !== undefined && !isSameWord(record.status, old);
    const hasChanged = record && isOther && !isGoingDown(record) && !isLeaving(record.status);
    if (record && (hasChanged || !(await isStoppedNow(service, operation, record)))) return true;
    if (leftMs === 0) return false;
  }
  return false;
}

const refusals: ReadonlySet<Outcome> = new Set(["refused", "no-capacity", "busy"]);

/** Whether the service refuses this request, and not the key. */
export function isRefusedRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.has(error.outcome) && error.status !== 401 && error.status !== 403;
}
