import type { CallOptions, Client } from "../../api/client";
import type { ClusterList, ClusterRecord, StatusRecord } from "../../api/records";
import { isLeaving } from "../../api/states";
import type { Clock } from "../../base/clock";
import { ApiError, isNotFound, messageOf, RequestError, ResponseShapeError } from "../../base/errors";
import type { ClusterState } from "../model/stateFields";
import { type ListCache, type ListOptions, memberOf, sharedListAgeMs } from "./listCache";
import type { Operation } from "./operation";

/** The parts of the service that a lookup needs. */
export interface LookupSources {
  readonly client: Client;
  readonly lists: ListCache;
}

/** The parts of the service that decide that a cluster is gone. */
interface AbsenceSources extends LookupSources {
  readonly clock: Clock;
  readonly seenBy: string;
}

/**
 * The one place that decides that a cluster does not exist. Returns `undefined` only for a confirmed 404:
 * - If the list still shows the cluster, the list is right.
 * - If a complete list does not show it, the 404 is confirmed.
 * - If the list cannot tell, the form of the 404 decides. Only the API itself writes the documented form, but any gateway on
 *   the way may answer 404.
 * - While the service is down, nothing counts.
 */
export async function findCluster(
  sources: LookupSources,
  id: string,
  request: ListOptions,
): Promise<ClusterRecord | undefined> {
  try {
    return await sources.client.getCluster(id, request);
  } catch (error) {
    if (!(error instanceof ApiError) || !isNotFound(error)) throw error;
    return await confirmAbsence(sources, id, request, error);
  }
}

/** @throws The 404 itself if it proves nothing. */
export async function confirmAbsence(
  { lists }: LookupSources,
  id: string,
  { signal, deadlineMs, urgency, subject, listAgeMs = 0 }: ListOptions,
  notFound: ApiError,
): Promise<ClusterRecord | undefined> {
  const list: ListLookup = await lists.recent(listAgeMs, { signal, deadlineMs, urgency, subject }).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ("error" in list && !(list.error instanceof RequestError)) throw list.error;
  const listed = "answer" in list ? memberOf(list.answer, id) : undefined;
  if (listed || isAbsent(notFound, list)) return listed;
  const why =
    "error" in list && isServiceDown(list.error)
      ? `the list of clusters is not available now (${messageOf(list.error)})`
      : "the answer may not come from the API, and no list of clusters confirms it";
  throw unconfirmed(notFound, why);
}

/** The list of clusters, or its error. */
type ListLookup = { readonly answer: ClusterList } | { readonly error: unknown };

/**
 * Whether a 404 proves that a cluster does not exist that the list does not show. While the service is down, its 404 proves
 * nothing. If the list is forbidden, unreadable or incomplete, the form of the 404 decides. Pure.
 */
export function isAbsent(notFound: ApiError, list: ListLookup): boolean {
  if ("answer" in list && list.answer.complete) return true;
  return notFound.isEnvelope && !("error" in list && isServiceDown(list.error));
}

/** Whether the list may be available at another time. */
function isServiceDown(error: unknown): boolean {
  if (error instanceof ResponseShapeError) return false;
  return !(error instanceof ApiError) || error.outcome !== "refused" || error.status === 429;
}

function unconfirmed(notFound: ApiError, why: string): ApiError {
  notFound.message += `; ${why}: nothing is changed`;
  return notFound;
}

/** The health of the replicas, without secrets; `undefined` if the service shows none. */
export async function findStatus(
  client: Client,
  operation: Operation,
  options: CallOptions = {},
): Promise<StatusRecord | undefined> {
  try {
    const status = await client.getClusterStatus(operation.id, { ...operation.lookup(), ...options });
    const { form } = client;
    if (form.has("status") === false && operation.isCreation && form.isNews("no /status"))
      operation.info("the service has no /status: the health of replicas is read from the record of the cluster");
    return operation.clear(status);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The health if `/status` is missing: there are no replicas, unless the service may have no `/status` at all. */
export function noReplicas({ form }: Client): StatusRecord {
  return form.has("status") ? { replicas: [] } : { replicas: [], isMissing: true };
}

/** What "no such cluster" means for an operation, and the cases in which it proves nothing. */

/** Looks up the record and remembers it as observed; `undefined` if the service says that the cluster does not exist. */
export async function find(
  service: LookupSources,
  operation: Operation,
  options: Pick<ListOptions, "urgency" | "listAgeMs"> = {},
): Promise<ClusterRecord | undefined> {
  const record = await findCluster(service, operation.id, { ...operation.lookup(), ...options });
  operation.observe({ ...operation.observed, record });
  return operation.observed.record;
}

/**
 * As `find`, for callers that treat `undefined` as the end of the cluster.
 * @throws GpuClusterError if the cluster may exist although the service does not show it.
 */
export async function findOrGone(
  service: AbsenceSources,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord | undefined> {
  const record = await find(service, operation);
  if (record) return record;
  checkConnection(service, operation, state);
  return findAgain(service, operation, state);
}

export async function findExisting(
  service: AbsenceSources,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord> {
  const record = await findOrGone(service, operation, state);
  if (record && !isLeaving(record.status)) return record;
  throw operation.error(
    "no longer exists in the service. Run `pulumi refresh`, then `pulumi up`, which creates it again",
  );
}

/** @throws GpuClusterError if another key or address saw the cluster last: then "no such cluster" proves nothing. */
export function checkConnection(
  { seenBy }: Pick<AbsenceSources, "seenBy">,
  operation: Operation,
  state: ClusterState,
): void {
  if (state.__seenBy === undefined || state.__seenBy === seenBy) return;
  throw operation.error(
    "is not known to this service and API key, but others saw it last, so it may still exist. " +
      "Set GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY (or gpucluster:baseUrl and gpucluster:apiKey) to those again; " +
      `if the cluster no longer exists, run \`pulumi state delete '${operation.urn}'\``,
  );
}

/** Reads may lag behind a creation for this long. */
const youngMs = 2 * 60_000;
/** Pauses before each further lookup of a young cluster that is missing: copies of the service's data catch up meanwhile. */
const lookupPausesMs = [3_000, 7_000];

/** Whether a cluster is so young that reads may not show it yet; false if its age is not known. */
export function isYoung({ createdAt = "" }: Pick<ClusterState, "createdAt">, nowMs: number): boolean {
  return Math.abs(nowMs - Date.parse(createdAt)) < youngMs;
}

/**
 * Repeats the lookup of a missing cluster if it is young, or if its age is unknown: to forget a cluster that is paid for is
 * far worse than another lookup.
 * @throws GpuClusterError if too little time is left. Also for a young cluster that was never ready, or whose service shows
 * clusters late: it is never called gone.
 */
export async function findAgain(
  service: AbsenceSources,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord | undefined> {
  const { client, clock } = service;
  const { createdAt = "", __echo, __late } = state;
  const nowMs = clock.now();
  if (nowMs - Date.parse(createdAt) >= youngMs) return undefined;
  const isNew = isYoung(state, nowMs);
  if (isNew && __echo === undefined) throw operation.error(notYet);
  for (const pauseMs of lookupPausesMs) {
    if (operation.leftMs() < pauseMs) throw operation.error(isNew ? notYet : noTime);
    await operation.pause(pauseMs);
    const record = await find(service, operation, { listAgeMs: sharedListAgeMs });
    if (!record) continue;
    client.form.readsLag = true;
    return record;
  }
  if (isNew && (__late || client.form.readsLag)) throw operation.error(notYet);
  return undefined;
}

const notYet = "was created a moment ago, and the service does not show it yet. Run the command again in two minutes";
const noTime =
  "is not shown by the service, and the time limit is too short to confirm that. Set `customTimeouts` to more than 10 s, " +
  "and run the command again";
