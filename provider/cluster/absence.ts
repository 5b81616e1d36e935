import { isLeaving } from "../api/read/states";
import type { ClusterRecord } from "../api/records";
import { ApiError, isNotFound, messageOf } from "../errors";
import type { ClusterState } from "./fields";
import { confirmAbsence, findCluster } from "./find";
import type { ListOptions } from "./lists";
import type { Operation } from "./operation";
import { judgeGone } from "./readiness";
import type { Service } from "./service";

/** What "no such cluster" may mean to an operation, and when it proves nothing. */

/** The record, remembered as seen; `undefined` when the service says that there is no such cluster. */
export async function find(
  service: Service,
  operation: Operation,
  options: Pick<ListOptions, "urgency"> = {},
): Promise<ClusterRecord | undefined> {
  const record = await findCluster(service, operation.id, { ...operation.look(), ...options });
  operation.see({ ...operation.seen, record });
  return operation.seen.record;
}

export async function findExisting(
  service: Service,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord> {
  const record = await find(service, operation);
  if (!record) refuseStrangers(service, operation, state);
  if (record && !isLeaving(record.status)) return record;
  throw operation.error(
    "is gone from the service. Run `pulumi refresh` first; the next `pulumi up` then creates it anew",
  );
}

/** A deletion that finds nothing is a success, if there really is nothing. */
export async function acceptAbsence(
  service: Service,
  operation: Operation,
  state: ClusterState,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError) || !isNotFound(error)) {
    throw operation.error(`was not deleted: ${messageOf(error)}`, error);
  }
  refuseStrangers(service, operation, state);
  const listed = await confirmAbsence(service, operation.id, operation.look(), error);
  if (listed && !isLeaving(listed.status)) {
    throw operation.error("was not deleted: the service answers that there is no such cluster, but lists it", error);
  }
  if (listed) await service.watcher.watch({ operation, judge: judgeGone });
  else refuseNewcomers(service, operation, state);
}

/** "No such cluster" proves nothing when another key or address asks than the one that last saw it. */
export function refuseStrangers({ seenBy }: Service, operation: Operation, state: ClusterState): void {
  if (state.__seenBy === undefined || state.__seenBy === seenBy) return;
  throw operation.error(
    "is not known to this service and API key, but it was last seen under others, so it may well exist. " +
      "Set GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY (or gpucluster:baseUrl and gpucluster:apiKey, or the entry of " +
      "gpucluster:connections) to those again; " +
      `if it is really gone, run \`pulumi state delete '${operation.urn}'\``,
  );
}

/** Until it was ready once, reads may lag behind the creation. */
const newcomerMs = 2 * 60_000;

export function refuseNewcomers({ clock }: Service, operation: Operation, state: ClusterState): void {
  const ageMs = clock.now() - Date.parse(state.createdAt ?? "");
  if (state.__echo !== undefined || !(Math.abs(ageMs) < newcomerMs)) return;
  throw operation.error(
    "was created only just now, and the service does not show it yet. Run the command again in a while",
  );
}
