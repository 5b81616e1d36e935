import { isLeaving, stateOf } from "../api/states";
import type { ClusterInfo } from "../api/types";
import type { ListedFacts } from "../cluster/model/money";
import { serviceFor } from "../cluster/resource";
import { Facts, longMs } from "../cluster/shared/facts";
import type { Connection } from "../config/settings";
import { getClusters } from "./clusters";

/** A cluster of an organization, as the list of clusters shows it. */
export interface OrganizationCluster extends ClusterInfo, ListedFacts {}

/** All clusters that one key sees. */
export interface Organization {
  readonly address: string;
  /** Identifies the address and the key, as in the states of clusters; it reveals neither of them. */
  readonly seenBy: string;
  readonly clusters: readonly OrganizationCluster[];
  /** False if there may be more clusters. */
  readonly complete: boolean;
}

/** The clusters of a connection with their prices, by reads alone. Rejects if the list of clusters cannot be read. */
export async function readOrganization(connection: Connection): Promise<Organization> {
  const service = serviceFor(connection);
  const { address, seenBy, client } = service;
  const { clusters, complete } = await getClusters(client);
  const facts = new Facts(service, longMs);
  const priced = clusters.map(async (cluster): Promise<OrganizationCluster> => {
    const { gpuType, status } = cluster;
    // A list shows neither the tier of a cluster nor its GPUs per replica. A price that is not known is left out.
    const { value: price } = gpuType === undefined ? {} : await facts.price(gpuType);
    const state = { isStopped: stateOf(status) === "stopped", isLeaving: isLeaving(status) };
    return { ...cluster, ...state, gpuPrice: price?.amount, currency: price?.currency };
  });
  return { address, seenBy, clusters: await Promise.all(priced), complete };
}
