import type { Client } from "../api/client";
import type {
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityResult,
  GetGpuModelsResult,
  GetGpuPricingResult,
  GetGpuTypesResult,
  GpuAvailability,
  GpuModel,
  GpuPrice,
  GpuType,
} from "../api/types";
import { withNotFoundAdvice } from "../base/errors";
import { argRules, textArg } from "./query";

/** The GPU types, with price and availability if the service shows them (specification, section 4, `/v1/gpus`). */
export async function getGpuTypes(client: Client): Promise<GetGpuTypesResult> {
  return { gpuTypes: (await client.listGpuTypes()).gpus };
}

/** The GPU models (specification, section 4, `/v1/gpus/models`). */
export async function getGpuModels(client: Client): Promise<GetGpuModelsResult> {
  return { models: (await client.listGpuModels()).gpus.map(modelOf) };
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function modelOf({ pricePerHour, currency, available, availableCount, ...model }: GpuType): GpuModel {
  return model;
}

/** The prices of the GPU types (specification, section 4, `/v1/gpus/pricing`). */
export async function getGpuPricing(client: Client): Promise<GetGpuPricingResult> {
  return { prices: (await client.listGpuPricing()).gpus.map(priceOf) };
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function priceOf({ name, memoryGb, available, availableCount, ...price }: GpuType): GpuPrice {
  return price;
}

export const getGpuAvailabilityRules = argRules({
  // Blanks and dots alone would change the path.
  type: textArg('the identifier of a GPU type, such as "h100"; getGpuTypes() lists them', (type) =>
    /[^\s.]/.test(type),
  ).optional(),
});

/** The availability of GPU types (specification, section 4: `/v1/gpus/availability`, `/v1/gpus/:type/availability`). */
export async function getGpuAvailability(
  client: Client,
  { type }: GetGpuAvailabilityArgs = {},
): Promise<GetGpuAvailabilityResult> {
  const records = type === undefined ? (await client.listGpuAvailability()).gpus : [await availabilityOf(client, type)];
  return { availability: records.map(toAvailability) };
}

async function availabilityOf(client: Client, type: string): Promise<GpuType> {
  try {
    return await client.getGpuTypeAvailability(type);
  } catch (error) {
    throw withNotFoundAdvice(error, "getGpuTypes() lists the GPU types");
  }
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function toAvailability({ name, memoryGb, pricePerHour, currency, ...availability }: GpuType): GpuAvailability {
  return availability;
}
