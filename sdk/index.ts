/** GPU clusters as code: what programs import from `pulumi-gpucluster`. */
export type { ReplicaStatus } from "../provider/cluster/fields";
export { Cluster, type ClusterArgs } from "./cluster";
export { ClusterFleet, type ClusterFleetArgs } from "./clusterFleet";
export * from "./getCluster";
export * from "./getClusterStatus";
export * from "./getClusters";
export * from "./getGpuAvailability";
export * from "./getGpuModels";
export * from "./getGpuPricing";
export * from "./getGpuTypes";
export * from "./getHealth";
export * from "./getServiceInfo";
