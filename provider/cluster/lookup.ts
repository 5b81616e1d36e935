import type { CallOptions, Client } from "../api/client";
import { isLeaving } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { ApiError, isNotFound, messageOf, RequestError, ResponseShapeError } from "../errors";
import { judgeGone } from "./conditions";
import type { ClusterState } from "./fields";
import { type ListCache, type ListOptions, memberOf } from "./listCache";
import type { Operation } from "./operation";
import type { Service } from "./service";

/** The parts of the service that a search needs. */
export interface LookupSources {
  readonly client: Client;
  readonly lists: ListCache;
}

/**
 * The one place that decides that a cluster is not there. `undefined` only for a 404 that the list confirms; a list that
 * still shows the cluster is right, and one that cannot tell leaves it to the shape of the answer: only the API itself
 * writes the documented one, while any gateway on the way may answer 404. While the service is down, nothing counts.
 */
export async function findCluster(
  shelf: LookupSources,
  id: string,
  request: ListOptions,
): Promise<ClusterRecord | undefined> {
  try {
    return await shelf.client.getCluster(id, request);
  } catch (error) {
    if (!(error instanceof ApiError) || !isNotFound(error)) throw error;
    return await confirmAbsence(shelf, id, request, error);
  }
}

/** @throws the 404 itself when it proves nothing. */
export async function confirmAbsence(
  { lists }: LookupSources,
  id: string,
  { signal, deadlineMs, urgency, subject, listAgeMs = 0 }: ListOptions,
  notFound: ApiError,
): Promise<ClusterRecord | undefined> {
  try {
    const list = await lists.recent(listAgeMs, { signal, deadlineMs, urgency, subject });
    const listed = memberOf(list, id);
    if (listed || list.complete) return listed;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // A service that is ill may answer anything; one whose list may not be had, or not be understood, has said all it can.
    if (isDown(error)) throw unconfirmed(notFound, `the list of clusters cannot be had now (${messageOf(error)})`);
  }
  if (notFound.isEnvelope) return undefined;
  throw unconfirmed(notFound, "that may not be the API's own word, and no list of clusters confirms it");
}

/** Whether there may be a list some other time. */
export function isDown(error: unknown): boolean {
  if (error instanceof ResponseShapeError) return false;
  return !(error instanceof ApiError) || error.outcome !== "refused" || error.status === 429;
}

function unconfirmed(notFound: ApiError, why: string): ApiError {
  notFound.message += `; ${why}: nothing is changed`;
  return notFound;
}

/** The health of the replicas, free of secrets; `undefined` where the service has none for the cluster, or none is asked for. */
export async function findStatus(
  client: Client,
  operation: Operation,
  options: CallOptions = {},
): Promise<StatusRecord | undefined> {
  if (!operation.readsStatus) return undefined;
  try {
    const status = await client.getClusterStatus(operation.id, { ...operation.look(), ...options });
    const { form } = client;
    if (form.has("status") === false && operation.isCreation && form.isNews("no /status"))
      operation.info("the service has no /status: the health of replicas is read from the cluster's own record");
    return operation.clear(status);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** What "no such cluster" may mean to an operation, and when it proves nothing. */

/** The record, remembered as seen; `undefined` when the service says that there is no such cluster. */
export async function find(
  service: Service,
  operation: Operation,
  options: Pick<ListOptions, "urgency" | "listAgeMs"> = {},
): Promise<ClusterRecord | undefined> {
  const record = await findCluster(service, operation.id, { ...operation.look(), ...options });
  operation.observe({ ...operation.observed, record });
  return operation.observed.record;
}

/**
 * As `find`, for who takes `undefined` for the end of the cluster.
 * @throws GpuClusterError if the service may just not show it.
 */
export async function findOrGone(
  service: Service,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord | undefined> {
  const record = await find(service, operation);
  if (record) return record;
  refuseOtherConnection(service, operation, state);
  return findAgain(service, operation, state);
}

export async function findExisting(
  service: Service,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord> {
  const record = await findOrGone(service, operation, state);
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
  refuseOtherConnection(service, operation, state);
  const listed = await confirmAbsence(service, operation.id, operation.look(), error);
  const shown = listed ?? (await findAgain(service, operation, state));
  if (shown && !isLeaving(shown.status)) {
    const how = listed ? "lists" : "shows";
    throw operation.error(`was not deleted: the service answers that there is no such cluster, but ${how} it`, error);
  }
  if (shown) await service.poller.poll({ operation, judge: judgeGone });
}

/** "No such cluster" proves nothing when another key or address asks than the one that last saw it. */
export function refuseOtherConnection({ seenBy }: Service, operation: Operation, state: ClusterState): void {
  if (state.__seenBy === undefined || state.__seenBy === seenBy) return;
  throw operation.error(
    "is not known to this service and API key, but it was last seen under others, so it may well exist. " +
      "Set GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY (or gpucluster:baseUrl and gpucluster:apiKey, or the entry of " +
      "gpucluster:connections) to those again; " +
      `if it is really gone, run \`pulumi state delete '${operation.urn}'\``,
  );
}

/** So long reads may lag behind the creation. */
const newcomerMs = 2 * 60_000;
/** Pauses before each further look at a young cluster that is missing: copies of the service's data catch up meanwhile. */
const lookPausesMs = [3_000, 7_000];
/** Looks at many clusters share a list. */
const listAgeMs = 2_000;

/**
 * Looks again at a cluster that reads do not show, if it is young, or of unknown age: to forget one that is paid for is far
 * worse than to look once more. One that was never ready, or whose service is seen to show clusters late, is never called
 * gone while it is young.
 */
export async function findAgain(
  service: Service,
  operation: Operation,
  { createdAt = "", __echo, __late }: ClusterState,
): Promise<ClusterRecord | undefined> {
  const { client, clock } = service;
  const ageMs = clock.now() - Date.parse(createdAt);
  if (ageMs >= newcomerMs) return undefined;
  const isYoung = Math.abs(ageMs) < newcomerMs;
  if (isYoung && __echo === undefined) throw operation.error(notYet);
  for (const pauseMs of lookPausesMs) {
    if (operation.leftMs() < pauseMs) throw operation.error(notYet);
    await operation.pause(pauseMs);
    const record = await find(service, operation, { listAgeMs });
    if (record) client.form.showsLate = true;
    if (record) return record;
  }
  if (isYoung && (__late || client.form.showsLate)) throw operation.error(notYet);
  return undefined;
}

const notYet = "was created only just now, and the service does not show it yet. Run the command again in a while";
