import type { Client } from "../api/client";
import type { GetGpuTypesResult } from "../types";

/** The GPU types, with price and availability if the service shows them (specification, section 4, `/v1/gpus`). */
export async function getGpuTypes(client: Client): Promise<GetGpuTypesResult> {
  return { gpuTypes: (await client.listGpuTypes()).gpus };
}
