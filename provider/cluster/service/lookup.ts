import type { CallOptions, Client } from "../../api/client";
import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { isDeleting, isGone, stateOf } from "../../api/decode/states";
import type { Clock } from "../../base/clock";
import { ApiError, briefOf, isNotFound, RequestError, ResponseShapeError } from "../../base/errors";
import { creationGraceIntervalMs, creationGraceMs } from "../../base/times";
import type { ClusterState } from "../schema/state";
import { type ListCache, type ListOptions, memberOf } from "./list";
import { doublingPauses, type Operation } from "./operation";

export interface LookupSources {
  readonly client: Client;
  readonly lists: ListCache;
}

interface AbsenceSources extends LookupSources {
  readonly clock: Clock;
  readonly seenBy: string;
}

/**
 * The one place that decides that a cluster does not exist. Returns `undefined` only for a confirmed absence: a 404, a success
 * without a record, or a record whose status word may mean that it is gone.
 * - If the list still shows the cluster, the list takes precedence.
 * - If a complete list does not show it, the absence is confirmed. A status word has no other proof.
 * - If the list is forbidden, unreadable or incomplete, the 404 counts only in the documented envelope: the API itself writes
 *   it, whereas any gateway on the way can answer 404.
 * - While the service is down, nothing counts.
 * @throws The 404 itself if it proves nothing.
 */
export async function findCluster(
  sources: LookupSources,
  id: string,
  request: ListOptions,
): Promise<ClusterRecord | undefined> {
  let notFound: ApiError;
  try {
    const record = await sources.client.getCluster(id, request);
    const isPerhapsGone = isGone(record.status) && stateOf(record.status) !== "terminated";
    return isPerhapsGone && (await isUnlisted(sources, id, request)) ? undefined : record;
  } catch (error) {
    if (!(error instanceof ApiError) || !isNotFound(error)) throw error;
    notFound = error;
  }
  let why = "The answer may not come from the API, and no list of clusters confirms it";
  try {
    const list = await listFor(sources, request);
    const listed = memberOf(list, id);
    if (listed || list.complete || notFound.details.isEnvelope) return listed;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (isServiceDown(error)) why = `The list of clusters is not available now (${briefOf(error)})`;
    else if (notFound.details.isEnvelope) return undefined;
  }
  throw notFound.with({ advice: [`${why}: nothing is changed`] });
}

/** The list for a lookup by id, which does not have the attempts of the lookup. */
function listFor({ lists }: LookupSources, { listAgeMs = 0, attempts: _attempts, ...options }: ListOptions) {
  return lists.whole(listAgeMs, options);
}

async function isUnlisted(sources: LookupSources, id: string, request: ListOptions): Promise<boolean> {
  try {
    const list = await listFor(sources, request);
    return list.complete && memberOf(list, id) === undefined;
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

/** Whether a record is what is left of a deleted cluster: no status word of a living one, and no entry in the complete list. */
export async function isTombstone(
  sources: LookupSources,
  { id, status }: ClusterRecord,
  request: ListOptions,
): Promise<boolean> {
  return stateOf(status) === "unknown" && (await isUnlisted(sources, id, request));
}

/** Whether the list may be available at another time: it is neither unreadable nor forbidden. */
function isServiceDown(error: RequestError): boolean {
  if (error instanceof ResponseShapeError) return false;
  return !(error instanceof ApiError) || error.outcome !== "refused" || error.status === 429;
}

/** The health of the replicas, without secrets; `undefined` if the service shows none. */
export async function findStatus(
  client: Client,
  operation: Operation,
  options: CallOptions = {},
): Promise<StatusRecord | undefined> {
  try {
    return operation.clear(await client.getClusterStatus(operation.id, { ...operation.lookup(), ...options }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The health if `/status` answers 404: there are no replicas, unless the service may have no `/status` at all. */
export function noReplicas({ capabilities }: Client): StatusRecord {
  return capabilities.hasStatus ? { replicas: [] } : { replicas: [], isMissing: true };
}

/**
 * How long a 404 of this cluster still proves nothing; 0 if the cluster is older, or this package did not create it. The age is
 * counted by our clock: that of the service, in `createdAt`, may differ.
 */
export function creationGraceLeftMs({ __createdAt = "" }: Partial<ClusterState>, nowMs: number): number {
  const ageMs = nowMs - Date.parse(__createdAt);
  return Math.abs(ageMs) < creationGraceMs ? creationGraceMs - ageMs : 0;
}

/** Looks up the record and remembers it as observed; `undefined` if the service says that the cluster does not exist. */
export async function find(
  service: LookupSources,
  operation: Operation,
  options: Pick<ListOptions, "priority"> = {},
): Promise<ClusterRecord | undefined> {
  const record = await findCluster(service, operation.id, { ...operation.lookup(), ...options });
  operation.observe({ ...operation.observed, record });
  return operation.observed.record;
}

/**
 * As `find`, for callers that treat `undefined` as the end of the cluster: waits until a 404 of a new cluster proves
 * something, because forgetting a cluster that is paid for is far worse than waiting.
 * @throws GpuClusterError if the cluster may exist although the service does not show it.
 */
export async function findOrGone(
  service: AbsenceSources,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord | undefined> {
  const look = () =>
    find(service, operation).catch((error: unknown) => {
      const isUseless = error instanceof ResponseShapeError || (error instanceof ApiError && isNotFound(error));
      const advice = [`If the cluster no longer exists, run \`pulumi state delete '${operation.urn}'\``];
      throw isUseless ? error.with({ advice }) : error;
    });
  const record = await look();
  if (record) return record;
  checkConnection(service, operation, state);
  const graceMs = creationGraceLeftMs(state, service.clock.now());
  const notShown = "was created a moment ago, and the service does not show it yet";
  if (operation.leftMs() < graceMs) throw operation.error(`${notShown}. Run the command again in two minutes`);
  const pausesMs = doublingPauses(graceMs, { first: creationGraceIntervalMs, max: creationGraceIntervalMs });
  return operation.poll({ pausesMs, check: look, status: `${notShown}: looking again` });
}

export async function findExisting(
  service: AbsenceSources,
  operation: Operation,
  state: ClusterState,
): Promise<ClusterRecord> {
  const record = await findOrGone(service, operation, state);
  if (record && !isDeleting(record.status)) return record;
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
    "is not known to this service and API key, but another service or key saw it last, so it may still exist. " +
      "Set GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY (or gpucluster:baseUrl and gpucluster:apiKey) back to those; " +
      `if the cluster no longer exists, run \`pulumi state delete '${operation.urn}'\``,
  );
}
