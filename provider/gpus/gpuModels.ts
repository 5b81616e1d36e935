import type { Client } from "../api/client";
import type { GetGpuModelsResult, GpuModel, GpuType } from "../types";

/** What the GPU types are (specification, section 4, `/v1/gpus/models`). */
export async function getGpuModels(client: Client): Promise<GetGpuModelsResult> {
  return { models: (await client.listGpuModels()).gpus.map(modelOf) };
}

/** The facts that were asked for; a service that says more here has it in `raw`. */
function modelOf({ pricePerHour, currency, available, availableCount, ...model }: GpuType): GpuModel {
  return model;
}
