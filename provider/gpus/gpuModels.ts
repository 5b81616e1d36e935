import type { Client } from "../api/client";
import type { GetGpuModelsResult, GpuModel, GpuType } from "../types";

/** The GPU models (specification, section 4, `/v1/gpus/models`). */
export async function getGpuModels(client: Client): Promise<GetGpuModelsResult> {
  return { models: (await client.listGpuModels()).gpus.map(modelOf) };
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function modelOf({ pricePerHour, currency, available, availableCount, ...model }: GpuType): GpuModel {
  return model;
}
