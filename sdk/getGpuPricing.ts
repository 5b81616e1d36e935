import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuPricingResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export type { GetGpuPricingResult, GpuPrice } from "../provider/types";

/**
 * What each GPU type costs: the price of one GPU for one hour, with its currency where the service says it.
 *
 * ```ts
 * const { prices } = await gpu.getGpuPricing();
 * const h100 = prices.find(({ type }) => type === "h100")?.pricePerHour;
 * ```
 * (Specification, section 4, `/v1/gpus/pricing`.)
 */
export function getGpuPricing(): Promise<GetGpuPricingResult> {
  return forPeople(provider.getGpuPricing());
}

/** `getGpuPricing` as an output, for programs that cannot await. */
export function getGpuPricingOutput(): pulumi.Output<GetGpuPricingResult> {
  return toOutput(getGpuPricing);
}
