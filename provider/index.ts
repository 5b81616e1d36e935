import { clientFor } from "./api/clients";
import { getCluster, getClusterStatus, getClusters } from "./cluster/queries";
import { createClusterResource } from "./cluster/resource";
import { serviceFor } from "./cluster/service";
import { type ReadConfig, resolveConnection } from "./config";
import type { Resource } from "./core";
import { getGpuAvailability } from "./gpus/gpuAvailability";
import { getGpuModels } from "./gpus/gpuModels";
import { getGpuPricing } from "./gpus/gpuPricing";
import { getGpuTypes } from "./gpus/gpuTypes";
import { getHealth } from "./health";
import { getServiceInfo } from "./serviceInfo";
import type * as types from "./types";

/** Everything that a door offers. The functions reject with a ConfigError when the address or the key is missing. */
export interface Provider {
  readonly cluster: Resource;
  getGpuTypes(): Promise<types.GetGpuTypesResult>;
  getGpuModels(): Promise<types.GetGpuModelsResult>;
  getGpuPricing(): Promise<types.GetGpuPricingResult>;
  getGpuAvailability(args?: types.GetGpuAvailabilityArgs): Promise<types.GetGpuAvailabilityResult>;
  getClusters(): Promise<types.GetClustersResult>;
  getCluster(args: types.GetClusterArgs): Promise<types.GetClusterResult>;
  getClusterStatus(args: types.GetClusterStatusArgs): Promise<types.GetClusterStatusResult>;
  getHealth(): Promise<types.Health>;
  getServiceInfo(): Promise<types.ServiceInfo>;
}

/** The one entry for doors. The configuration is read at each use, never kept: a key may be rotated while a process runs. */
export function createProvider(readConfig: ReadConfig): Provider {
  const connection = () => resolveConnection(readConfig);
  const client = () => clientFor(connection());
  return {
    cluster: createClusterResource(() => serviceFor(connection())),
    getGpuTypes: async () => getGpuTypes(client()),
    getGpuModels: async () => getGpuModels(client()),
    getGpuPricing: async () => getGpuPricing(client()),
    getGpuAvailability: async (args) => getGpuAvailability(client(), args),
    getClusters: async () => getClusters(client()),
    getCluster: async (args) => getCluster(client(), args),
    getClusterStatus: async (args) => getClusterStatus(client(), args),
    getHealth: async () => getHealth(client()),
    getServiceInfo: async () => getServiceInfo(client()),
  };
}
