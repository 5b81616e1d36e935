import type { CallOptions, Client } from "../api/client";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { ApiError, isNotFound, RequestError } from "../errors";
import { type ClusterLists, type ListOptions, memberOf } from "./lists";
import type { Operation } from "./operation";

/** The parts of the service that a search needs. */
export interface Shelf {
  readonly client: Client;
  readonly lists: ClusterLists;
}

/**
 * The one place that decides that a cluster is not there. `undefined` only for a 404 that the list confirms; a list that
 * still shows the cluster is right, and one that cannot tell leaves it to the shape of the answer: only the API itself
 * writes the documented one, while any gateway on the way may answer 404.
 */
export async function findCluster(shelf: Shelf, id: string, request: ListOptions): Promise<ClusterRecord | undefined> {
  try {
    return await shelf.client.getCluster(id, request);
  } catch (error) {
    if (!(error instanceof ApiError) || !isNotFound(error)) throw error;
    return await confirmAbsence(shelf, id, request, error);
  }
}

/** @throws the 404 itself when it proves nothing. */
export async function confirmAbsence(
  { lists }: Shelf,
  id: string,
  { signal, patienceMs, urgency }: ListOptions,
  notFound: ApiError,
): Promise<ClusterRecord | undefined> {
  try {
    const list = await lists.recent(0, { signal, patienceMs, urgency });
    const listed = memberOf(list, id);
    if (listed || list.complete) return listed;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // The key may not list, or the list cannot be had now: what is left is the answer itself.
  }
  if (notFound.isEnvelope) return undefined;
  notFound.message += ". That may not be the API's own word, and no list of clusters confirms it: nothing is changed";
  throw notFound;
}

/** The health of the replicas, free of secrets; `undefined` where the service has none for the cluster, or none is asked for. */
export async function findStatus(
  client: Client,
  operation: Operation,
  options: CallOptions = {},
): Promise<StatusRecord | undefined> {
  if (!operation.looksAtStatus) return undefined;
  try {
    return operation.clear(await client.getClusterStatus(operation.id, { ...operation.request(), ...options }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
