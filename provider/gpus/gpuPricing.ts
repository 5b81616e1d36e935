import type { Client } from "../api/client";
import type { GetGpuPricingResult, GpuPrice, GpuType } from "../types";

/** What the GPU types cost (specification, section 4, `/v1/gpus/pricing`). */
export async function getGpuPricing(client: Client): Promise<GetGpuPricingResult> {
  return { prices: (await client.listGpuPricing()).gpus.map(priceOf) };
}

/** The facts that were asked for; a service that says more here has it in `raw`. */
function priceOf({ name, memoryGb, available, availableCount, ...price }: GpuType): GpuPrice {
  return price;
}
