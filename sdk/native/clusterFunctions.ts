import type * as pulumi from "@pulumi/pulumi";
import type { GetClusterArgs, GetClusterOutputArgs, GetClusterResult } from "../getCluster";
import type { GetClusterStatusArgs, GetClusterStatusOutputArgs, GetClusterStatusResult } from "../getClusterStatus";
import type { GetClustersArgs, GetClustersOutputArgs, GetClustersResult } from "../getClusters";
import { invoke, invokeOutput } from "./invoke";

export type { GetClusterArgs, GetClusterOutputArgs, GetClusterResult } from "../getCluster";
export type { GetClusterStatusArgs, GetClusterStatusOutputArgs, GetClusterStatusResult } from "../getClusterStatus";
export type { ClusterInfo, GetClustersArgs, GetClustersOutputArgs, GetClustersResult } from "../getClusters";

/** All clusters of the API key's organization, also those that other programs made. */
export function getClusters(args: GetClustersArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetClustersResult> {
  return invoke("getClusters", args, opts);
}

/** `getClusters` as an output, for arguments that are outputs. */
export function getClustersOutput(
  args: GetClustersOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClustersResult> {
  return invokeOutput("getClusters", args, opts);
}

/** One cluster of the API key's organization, by its id or by its name, also if another program made it. */
export function getCluster(args: GetClusterArgs, opts?: pulumi.InvokeOptions): Promise<GetClusterResult> {
  return invoke("getCluster", args, opts);
}

/** `getCluster` as an output, for arguments that are outputs. */
export function getClusterOutput(
  args: GetClusterOutputArgs,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClusterResult> {
  return invokeOutput("getCluster", args, opts);
}

/** The present health of each replica of a cluster. */
export function getClusterStatus(
  args: GetClusterStatusArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetClusterStatusResult> {
  return invoke("getClusterStatus", args, opts);
}

/** `getClusterStatus` as an output, for arguments that are outputs. */
export function getClusterStatusOutput(
  args: GetClusterStatusOutputArgs,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClusterStatusResult> {
  return invokeOutput("getClusterStatus", args, opts);
}
