/**
 * `pulumi-gpucluster/native`: the same clusters and functions through the plugin of this package, for programs that import,
 * declare providers, or share a stack with other languages.
 */
export type { ReplicaStatus } from "../../provider/cluster/fields";
export type { ClusterArgs } from "../clusterArgs";
export { Cluster } from "./cluster";
export * from "./clusterFunctions";
export * from "./gpuFunctions";
export { Provider, type ProviderArgs } from "./provider";
export * from "./serviceFunctions";
