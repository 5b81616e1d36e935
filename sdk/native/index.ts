/**
 * `pulumi-gpucluster/native`: the same resources and functions through this package's plugin, for programs that import
 * clusters, declare providers, or share a stack with other languages.
 */
export type { ReplicaStatus } from "../../provider/cluster/fields";
export type { ClusterArgs } from "../clusterArgs";
export { Cluster } from "./cluster";
export * from "./functions";
export { Provider, type ProviderArgs } from "./provider";
