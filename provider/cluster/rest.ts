import { isSameWord, stateOf } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { isIdle, isStopped, restOf } from "./conditions";
import { replicasWithin } from "./extraFields";
import { find, findStatus } from "./lookup";
import { defaultTimeoutsMs, type Operation } from "./operation";
import type { Service } from "./service";

/** Whether a cluster is at rest, even if its status word is unknown. */

/**
 * Pauses between two polls that have to agree, if some replicas are listed, and if none are. During a roll-out no replica may
 * run for a moment, or none may be listed for longer.
 */
const pausesMs = { some: 3_000, none: 15_000 };

/**
 * Whether the cluster is stopped, by its status word. If the word is unknown, a cluster that was stopped before is still
 * stopped while no replica runs.
 */
export async function isDown(
  { client }: Service,
  operation: Operation,
  record: ClusterRecord | undefined,
): Promise<boolean> {
  if (!record || isStopped(record)) return record !== undefined;
  if (!operation.wasStopped || stateOf(record.status) !== "unknown") return false;
  // If only the word may be read, an unchanged word means that the cluster is still stopped.
  if (!operation.readsStatus) return record.status === undefined || isSameWord(record.status, operation.before.status);
  const status = await findStatus(client, operation);
  return status === undefined || isIdle(status);
}

/**
 * Finds out whether a cluster of an unknown status word has stopped or failed, if no stop is known. Two polls of its replicas
 * have to agree. A cluster without replicas may be starting, or may be scaled to zero. It counts as stopped only if it has
 * been up before, or is older than a creation may take.
 */
export async function findRest(
  service: Service,
  operation: Operation,
  record: ClusterRecord,
  shown?: StatusRecord,
): Promise<"stopped" | "failed" | undefined> {
  if (stateOf(record.status) !== "unknown" || operation.wasStopped || !operation.readsStatus) return undefined;
  const status = shown ?? (await findStatus(service.client, operation));
  const first = judgeRest(service, operation, record, status);
  if (!first) return undefined;
  const pauseMs = status?.replicas.length ? pausesMs.some : pausesMs.none;
  // Two polls that are too close to each other prove nothing.
  if (operation.leftMs() < pauseMs) return undefined;
  await operation.pause(pauseMs);
  const again = await find(service, operation);
  if (!again || !isSameWord(again.status, record.status)) return undefined;
  if (judgeRest(service, operation, again, await findStatus(service.client, operation)) !== first) return undefined;
  operation.isFoundAtRest = first === "stopped";
  return first;
}

function judgeRest(
  { client, clock }: Service,
  { before, extraFields }: Operation,
  { createdAt = "" }: ClusterRecord,
  status: StatusRecord | undefined,
) {
  // If the service may have no `/status` at all, a missing status proves nothing.
  if (!status && !client.form.has("status")) return undefined;
  const { __echo, __unfinished, skipAwait } = before;
  const hasBeenUp = __echo !== undefined && __unfinished === undefined && skipAwait !== true;
  const isOld = clock.now() - Date.parse(createdAt) > defaultTimeoutsMs.create && __unfinished !== "redeployed";
  const mayScaleToZero = replicasWithin(extraFields, 1, 0) === 0;
  return restOf(status ?? { replicas: [] }, (hasBeenUp || isOld) && !mayScaleToZero);
}
