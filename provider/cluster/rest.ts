import { isSameWord, stateOf } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { isIdle, isStopped, restOf } from "./conditions";
import { replicasWithin } from "./extraFields";
import { find, findStatus } from "./lookup";
import { defaultTimeoutsMs, type Operation } from "./operation";
import type { Service } from "./service";

/** Whether a cluster is at rest, where its word may be none that is known. */

/** Between two looks that have to show the same. A roll-out may leave no replica for a moment, or show none for longer. */
const pausesMs = { some: 3_000, none: 15_000 };

/** By its word; where that is none that is known, a cluster that was stopped before is so while no replica of it runs. */
export async function isDown(
  { client }: Service,
  operation: Operation,
  record: ClusterRecord | undefined,
): Promise<boolean> {
  if (!record || isStopped(record)) return record !== undefined;
  if (!operation.wasStopped || stateOf(record.status) !== "unknown") return false;
  // The word alone tells by staying what it was.
  if (!operation.readsStatus) return record.status === undefined || isSameWord(record.status, operation.before.status);
  const status = await findStatus(client, operation);
  return status === undefined || isIdle(status);
}

/**
 * What has become of a cluster that nobody is known to have stopped, and whose word is not known: what its replicas show in
 * two looks. A cluster without any may be on its way up, or scaled to none: it counts only if it has been up before, or is
 * older than creations may last.
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
  // Two looks that are too close to each other prove nothing.
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
  // Where the service may have no `/status` at all, that there is none proves nothing.
  if (!status && !client.form.has("status")) return undefined;
  const { __echo, __unfinished, skipAwait } = before;
  const hasBeenUp = __echo !== undefined && __unfinished === undefined && skipAwait !== true;
  const isOld = clock.now() - Date.parse(createdAt) > defaultTimeoutsMs.create && __unfinished !== "redeployed";
  const mayScaleToZero = replicasWithin(extraFields, 1, 0) === 0;
  return restOf(status ?? { replicas: [] }, (hasBeenUp || isOld) && !mayScaleToZero);
}
