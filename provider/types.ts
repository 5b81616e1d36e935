/** What data functions answer. Plain types only: they are published (see cluster/fields.ts). */

/** A GPU type with what the service says of it (section 4, `/v1/gpus`). What it does not say is absent. */
export interface GpuType {
  /** Identifier, as `gpuType` of a cluster takes it. */
  type: string;
  /** Name for people. */
  name?: string;
  /** Memory of one GPU, in GB. */
  memoryGb?: number;
  /** Price of one GPU for one hour, in `currency`. */
  pricePerHour?: number;
  /** ISO 4217 code, where the service says it. */
  currency?: string;
  /** Whether one can be had now. */
  available?: boolean;
  /** How many can be had now. */
  availableCount?: number;
  /** The whole record, as the service answered it. */
  raw: Record<string, unknown>;
}

/** The answer of `getGpuTypes`. */
export interface GetGpuTypesResult {
  /** The types that the service lists, in its order. It may list only what is in stock. */
  gpuTypes: GpuType[];
}

/** The health of the service (section 4, `/health`). */
export interface Health {
  healthy: boolean;
  /** The service's own word; empty where it has none. */
  status: string;
  raw: Record<string, unknown>;
}

/** What the service says of itself (section 4, the descriptor document). */
export interface ServiceInfo {
  name?: string;
  version?: string;
  documentation?: string;
  endpoints: Record<string, unknown>;
  raw: Record<string, unknown>;
}
