import type * as pulumi from "@pulumi/pulumi";
import type { GetClustersArgs, GetClustersResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { ClusterInfo, GetClustersArgs, GetClustersResult } from "../provider/types";

/** Which service and organization to read from. */
export interface GetClustersOutputArgs extends Inputs<GetClustersArgs> {}

/**
 * All clusters of the API key's organization, also those that other programs made.
 *
 * ```ts
 * const { clusters } = await gpu.getClusters();
 * const replicas = clusters.reduce((sum, cluster) => sum + (cluster.replicas ?? 0), 0);
 * ```
 * `complete` is false if there may be more clusters than the answer holds. Rejects if the list cannot be read to
 * its end. (Specification, section 4, `/v1/clusters`.)
 */
export function getClusters(args: GetClustersArgs = {}): Promise<GetClustersResult> {
  return forPeople(provider.getClusters(args));
}

/** `getClusters` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getClustersOutput(args: GetClustersOutputArgs = {}): pulumi.Output<GetClustersResult> {
  return toOutput(getClusters, args);
}
