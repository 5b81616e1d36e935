import type { Client } from "../api/client";
import type { GetGpuPricingResult, GpuPrice, GpuType } from "../types";

/** The prices of the GPU types (specification, section 4, `/v1/gpus/pricing`). */
export async function getGpuPricing(client: Client): Promise<GetGpuPricingResult> {
  return { prices: (await client.listGpuPricing()).gpus.map(priceOf) };
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function priceOf({ name, memoryGb, available, availableCount, ...price }: GpuType): GpuPrice {
  return price;
}
