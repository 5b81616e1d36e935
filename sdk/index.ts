/** GPU clusters as code: what programs import from `pulumi-gpucluster`. */
export type { ReplicaStatus } from "../provider/cluster/fields";
export { Cluster, type ClusterArgs } from "./cluster";
export { type GetGpuTypesResult, type GpuType, getGpuTypes, getGpuTypesOutput } from "./getGpuTypes";
export { type GetHealthResult, getHealth, getHealthOutput } from "./getHealth";
