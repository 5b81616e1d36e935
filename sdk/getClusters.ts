import type * as pulumi from "@pulumi/pulumi";
import type { GetClustersResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export type { ClusterInfo, GetClustersResult } from "../provider/types";

/**
 * The clusters of the API key's organization, whoever made them.
 *
 * ```ts
 * const { clusters } = await gpu.getClusters();
 * const replicas = clusters.reduce((sum, cluster) => sum + (cluster.replicas ?? 0), 0);
 * ```
 * `complete` is false where there may be more clusters than the answer holds. Rejects when the list cannot be read to its
 * end. (Specification, section 4, `/v1/clusters`.)
 */
export function getClusters(): Promise<GetClustersResult> {
  return forPeople(provider.getClusters());
}

/** `getClusters` as an output, for programs that cannot await. */
export function getClustersOutput(): pulumi.Output<GetClustersResult> {
  return toOutput(getClusters);
}
