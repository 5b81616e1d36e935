import { type StartAction, startActions } from "../api/endpoints";
import { isStopping, stateOf } from "../api/read/states";
import type { ClusterRecord } from "../api/records";
import { ApiError, ClusterFailedError, messageOf, RequestError, TimeoutError } from "../errors";
import { whenFree } from "./busy";
import { applyOnce } from "./configure";
import type { CheckedInputs } from "./fields";
import { findCluster, findStatus } from "./find";
import type { Operation } from "./operation";
import { isIdle, isStopped, judgeStopped } from "./readiness";
import type { Service } from "./service";
import { waitUntil, waitUntilShown } from "./waits";

/** Stopping and starting, the second of which has no endpoint of its own. */

/** Whether the cluster is stopped, after a stop that somebody has begun has come to its end. */
export async function isAtRest(service: Service, operation: Operation): Promise<boolean> {
  if (isStopping(operation.seen.record?.status)) await waitUntil(service, operation, judgeStopped);
  return isDown(service, operation, operation.seen.record);
}

/** By its word; where that is none that is known, a cluster that was stopped before is so while no replica of it runs. */
async function isDown({ client }: Service, operation: Operation, record: ClusterRecord | undefined): Promise<boolean> {
  if (!record || isStopped(record)) return record !== undefined;
  const isTold = !operation.wasStopped || !operation.looksAtStatus || stateOf(record.status) !== "unknown";
  if (isTold) return false;
  const status = await findStatus(client, operation);
  return status === undefined || isIdle(status);
}

/** Stops the cluster, whatever it is doing, and waits until it is stopped. Answers whether that took a request. */
export async function stop(
  service: Service,
  operation: Operation,
  { skipAwait }: Pick<CheckedInputs, "skipAwait">,
): Promise<boolean> {
  const isGoingDown = (now: ClusterRecord) => isStopped(now) || isStopping(now.status);
  const { record } = operation.seen;
  const isSent = record !== undefined && (isGoingDown(record) || (await isDown(service, operation, record)));
  if (!isSent) {
    operation.status("stopping");
    const send = () => service.client.stopCluster(operation.id, operation.request());
    try {
      await applyOnce(service, operation, send, isGoingDown);
    } catch (error) {
      // A service may refuse to stop what is stopped already.
      const now = isRefusal(error) ? await findCluster(service, operation.id, operation.look()) : undefined;
      if (!now || !isGoingDown(now)) throw error;
    }
  }
  if (skipAwait) await waitUntilShown(service, operation);
  else {
    await waitUntil(service, operation, judgeStopped);
    operation.status("stopped");
  }
  return !isSent;
}

/** Pauses between looks whether an accepted start has begun. */
const lookPausesMs = [0, 1_000, 2_000, 4_000];
/** How often an action is sent whose answer was lost and whose effect does not show: twice does no harm to what is stopped. */
const lostAttempts = 2;

/** Starts a stopped cluster by the first action of the table that does it, and answers which that was. */
export async function start(
  service: Service,
  operation: Operation,
  replicas: number,
  actions: readonly StartAction[] = startActions,
): Promise<StartAction> {
  const tried: string[] = [];
  for (const action of actions) {
    operation.status(`starting, by ${action}`);
    const { isStarted, why } = await attempt(service, operation, action, replicas);
    if (isStarted) return action;
    tried.push(`${action}: ${why ?? "accepted, but the cluster stays stopped"}`);
    if (operation.leftMs() === 0) throw new TimeoutError("timed out", { facts: tried });
  }
  throw new ClusterFailedError("it does not start", { facts: tried });
}

/** Whether an action has started the cluster, and why not where the service has said so. */
async function attempt(service: Service, operation: Operation, action: StartAction, replicas: number) {
  for (let attempt = 1; ; attempt += 1) {
    const error = await failureOf(service, operation, action, replicas);
    const isLost = error?.maybeApplied === true;
    const isStarted = await hasStarted(service, operation, error && !isLost ? [0] : lookPausesMs);
    if (isStarted || !isLost || attempt >= lostAttempts || operation.leftMs() === 0)
      return { isStarted, why: error && messageOf(error) };
  }
}

/** Sends an action; answers the error that leaves another one to try. */
async function failureOf(service: Service, operation: Operation, action: StartAction, replicas: number) {
  const { client } = service;
  const { id } = operation;
  const calls: Record<StartAction, () => Promise<ClusterRecord | undefined>> = {
    restart: () => client.restartCluster(id, operation.request()),
    redeploy: () => client.redeployCluster(id, operation.request()),
    scale: () => client.scaleCluster(id, replicas, operation.request()),
  };
  try {
    const isStarted = async (now?: ClusterRecord) => now !== undefined && !(await isDown(service, operation, now));
    await whenFree(service, operation, calls[action], isStarted, 1);
    return undefined;
  } catch (error) {
    if (isRefusal(error) || (error instanceof RequestError && error.maybeApplied)) return error;
    throw error;
  }
}

async function hasStarted(service: Service, operation: Operation, pausesMs: readonly number[]): Promise<boolean> {
  for (const pauseMs of pausesMs) {
    const leftMs = operation.leftMs();
    await operation.pause(pauseMs);
    const record = await findCluster(service, operation.id, operation.look());
    operation.see({ record });
    if (record && !(await isDown(service, operation, record))) return true;
    if (leftMs === 0) return false;
  }
  return false;
}

/** The service has said no to this request, and not to the key. */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return (error.outcome === "refused" || error.outcome === "busy") && error.status !== 401 && error.status !== 403;
}
