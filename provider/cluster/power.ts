import { type StartAction, startActions } from "../api/endpoints";
import type { ClusterRecord } from "../api/records";
import { isLeaving, isSameWord, isStopping, stateOf } from "../api/states";
import { ApiError, ClusterFailedError, messageOf, RequestError, TimeoutError } from "../errors";
import { isIdle, isStopped, judgeStopped, type Observation, type PollHistory, type Verdict } from "./conditions";
import { findCluster, findStatus } from "./lookup";
import type { Operation } from "./operation";
import { isDown } from "./rest";
import { sendWrite } from "./sendWrite";
import type { Service } from "./service";
import type { CheckedInputs } from "./stateFields";
import { waitUntil, waitUntilShown } from "./wait";

/** Stops and starts of a cluster. The service has no endpoint of its own for a start. */

/** Whether the cluster is stopped. If a stop is in progress, waits for its end first. */
export async function isAtRest(service: Service, operation: Operation): Promise<boolean> {
  if (isStopping(operation.observed.record?.status)) {
    await waitUntil(service, operation, stoppedJudge(operation));
    operation.foundAtRest();
  }
  return isDown(service, operation, operation.observed.record);
}

function stoppedJudge(operation: Operation): (observation: Observation, past: PollHistory) => Verdict {
  const { readsStatus, before, observed } = operation;
  const running = { readsStatus, before, word: observed.record?.status };
  return (observation, past) => judgeStopped(observation, past, running);
}

/**
 * Whether a stop request is needless: the cluster is stopped or stopping by its word, or this package has stopped it and
 * nothing has changed since. In doubt the request is sent: it does no harm to a stopped cluster.
 */
async function isStopNeedless(service: Service, operation: Operation, record: ClusterRecord): Promise<boolean> {
  return isGoingDown(record) || (isStopped(record, operation.before) && (await isDown(service, operation, record)));
}

function isGoingDown(record: ClusterRecord): boolean {
  return isStopped(record) || isStopping(record.status);
}

/** Stops the cluster in any state, and waits until it is stopped. Returns whether that took a request. */
export async function stop(
  service: Service,
  operation: Operation,
  { skipAwait }: Pick<CheckedInputs, "skipAwait">,
): Promise<boolean> {
  const { record } = operation.observed;
  const isStoppedNow = stoppedJudge(operation);
  const isNeedless = record !== undefined && (await isStopNeedless(service, operation, record));
  if (!isNeedless) {
    operation.status("stopping");
    const send = () => service.client.stopCluster(operation.id, operation.request());
    const isDone = (now: ClusterRecord | undefined) => now !== undefined && isGoingDown(now);
    try {
      await sendWrite(service, operation, { kind: "stop", send, isDone });
    } catch (error) {
      // A service may refuse to stop a cluster that is already stopped.
      const now = isRefusal(error) ? await findCluster(service, operation.id, operation.lookup()) : undefined;
      if (!now || !(isGoingDown(now) || (await isEmpty(service, operation, now)))) throw error;
    }
  }
  if (skipAwait) await waitUntilShown(service, operation);
  else {
    await waitUntil(service, operation, isStoppedNow);
    operation.foundAtRest();
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
    const { isStarted, why } = await attempt(service, operation, action, replicas);
    if (isStarted) return action;
    tried.push(`${action}: ${why ?? "accepted, but the cluster stays stopped"}`);
    if (operation.leftMs() === 0) throw new TimeoutError("timed out", { facts: tried });
  }
  throw new ClusterFailedError("it does not start", { facts: tried });
}

/** Whether an action has started the cluster, and the error of its last request, if any: another action may be tried. */
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
  const isStarted = async () => {
    isSeen ||= await hasStarted(service, operation, pollPausesMs, word);
    return isSeen;
  };
  try {
    await sendWrite(service, operation, {
      kind: "start",
      send: calls[action],
      isDone: async (now) => now !== undefined && !(await isDown(service, operation, now)),
      tookEffect: isStarted,
    });
    return { isStarted: await isStarted() };
  } catch (error) {
    // A read that fails shows nothing: another action could roll out the replicas once more.
    if (error instanceof RequestError && error.method === "GET") throw error;
    if (isRefusal(error))
      return { isStarted: await hasStarted(service, operation, [0], undefined), why: messageOf(error) };
    if (error instanceof RequestError && error.maybeApplied) return { isStarted: false, why: messageOf(error) };
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
    const record = await findCluster(service, operation.id, operation.lookup());
    operation.observe({ record });
    const isOther = old !== undefined && isChanged(operation.observed.record, old);
    if (record && (isOther || !(await isDown(service, operation, record)))) return true;
    if (leftMs === 0) return false;
  }
  return false;
}

function isChanged(record: ClusterRecord | undefined, old: string): boolean {
  if (!record || isGoingDown(record) || isLeaving(record.status)) return false;
  return record.status !== undefined && !isSameWord(record.status, old);
}

/** Whether the service refuses this request, and not the key. */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return (error.outcome === "refused" || error.outcome === "busy") && error.status !== 401 && error.status !== 403;
}
