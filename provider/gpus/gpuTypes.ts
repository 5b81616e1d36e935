import type { Client } from "../api/client";
import type { GpuType } from "../api/records";

export type { GpuType } from "../api/records";

export interface GetGpuTypesResult {
  /** The types that the service lists, in its order. It may list only what is in stock. */
  gpuTypes: GpuType[];
}

/** GPU types with what the service says of their price and availability (specification, section 4, `/v1/gpus`). */
export async function getGpuTypes(client: Client): Promise<GetGpuTypesResult> {
  return { gpuTypes: await client.listGpuTypes() };
}
