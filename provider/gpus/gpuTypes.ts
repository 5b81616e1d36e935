import type { Client } from "../api/client";
import type { GetGpuTypesResult } from "../types";

/** GPU types with what the service says of their price and availability (specification, section 4, `/v1/gpus`). */
export async function getGpuTypes(client: Client): Promise<GetGpuTypesResult> {
  return { gpuTypes: (await client.listGpuTypes()).gpus };
}
