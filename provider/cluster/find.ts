import type { CallOptions, Client } from "../api/client";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { ApiError, isNotFound, messageOf, RequestError, ResponseShapeError } from "../errors";
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
 * writes the documented one, while any gateway on the way may answer 404. While the service is down, nothing counts.
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
  if (!operation.looksAtStatus) return undefined;
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
