import { isLeaving, stateOf } from "../api/read/states";
import { busyCode, type ClusterRecord } from "../api/records";
import type { Clock } from "../clock";
import { ApiError, messageOf, RequestError } from "../errors";
import { isIdle } from "./conditions";
import { findCluster, findStatus, type LookupSources } from "./lookup";
import type { Operation } from "./operation";

/** The parts of the service that a change needs. */
export interface Target extends LookupSources {
  readonly clock: Clock;
}

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;
/** Attempts on a cluster that does not seem to be changing: its "busy" may be a refusal. */
const settledAttempts = 5;

/**
 * Retries a change as long as the service says "not now" (409, 423, 425), which means that nothing was done. While the
 * cluster is changing, or if the error code says so, retries last until the deadline of the operation; otherwise only a few
 * are sent.
 * @param isDone Whether an observation shows that nothing more has to be sent; the record is absent if the cluster is gone.
 * @param attempts The limit for a cluster that does not seem to be changing.
 */
export async function whenFree<T>(
  target: Target,
  operation: Operation,
  send: () => Promise<T>,
  isDone: (record: ClusterRecord | undefined) => boolean | Promise<boolean>,
  attempts = settledAttempts,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RequestError && error.outcome === "busy")) throw error;
      const record = await findCluster(target, operation.id, operation.look());
      if (await isDone(record)) return undefined;
      if (!record || isLeaving(record.status)) throw error;
      const isSaid = error instanceof ApiError && busyCode.test(error.code ?? "");
      const mayWait = isSaid || attempt < attempts || (await isChanging(target, operation, record));
      if (!mayWait) throw error;
      operation.status(`waiting: ${busyWith(record)}`);
      await operation.pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)));
      if (operation.leftMs() > 0) continue;
      if (await isDoneAtDeadline(target, operation, isDone)) return undefined;
      throw operation.timeout(`: ${busyWith(record)} (${messageOf(error)})`, { cause: error });
    }
  }
}

/** The lookup at the deadline. A lookup that fails shows nothing: the earlier observation stands. */
async function isDoneAtDeadline(
  target: Target,
  operation: Operation,
  isDone: (record: ClusterRecord | undefined) => boolean | Promise<boolean>,
): Promise<boolean> {
  try {
    return await isDone(await findCluster(target, operation.id, operation.look()));
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

function busyWith({ status }: ClusterRecord): string {
  return `the service is busy with the cluster: ${status ?? "no state"}`;
}

/** Whether the cluster is changing. If its status word says that it runs, `/status` may still show that its replicas change. */
async function isChanging({ client }: Target, operation: Operation, record: ClusterRecord): Promise<boolean> {
  const state = stateOf(record.status);
  if (state === "pending") return true;
  if (state !== "running" && state !== "unknown") return false;
  if (!operation.readsStatus) return false;
  const status = await findStatus(client, operation);
  if (operation.wasStopped && isIdle(status ?? { replicas: [] })) return false;
  const replicas = status?.replicas ?? [];
  const isPart = replicas.length < (record.replicas ?? 1);
  return isPart || replicas.some(({ healthy }) => !healthy);
}
