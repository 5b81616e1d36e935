import { clientFor } from "./api/clients";
import { createClusterResource } from "./cluster/resource";
import { serviceFor } from "./cluster/service";
import { type ReadConfig, resolveConnection } from "./config";
import type { Resource } from "./core";
import { getGpuTypes } from "./gpus/gpuTypes";
import { getHealth } from "./health";
import type { GetGpuTypesResult, Health } from "./types";

/** Everything that a door offers. The functions reject with a ConfigError when the address or the key is missing. */
export interface Provider {
  readonly cluster: Resource;
  getGpuTypes(): Promise<GetGpuTypesResult>;
  getHealth(): Promise<Health>;
}

/** The one entry for doors. The configuration is read at each use, never kept: a key may be rotated while a process runs. */
export function createProvider(readConfig: ReadConfig): Provider {
  const connection = () => resolveConnection(readConfig);
  return {
    cluster: createClusterResource(() => serviceFor(connection())),
    getGpuTypes: async () => getGpuTypes(clientFor(connection())),
    getHealth: async () => getHealth(clientFor(connection())),
  };
}
