import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuPricingArgs, GetGpuPricingResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetGpuPricingArgs, GetGpuPricingResult, GpuPrice } from "../provider/types";

/** Which service and organization to read from. */
export interface GetGpuPricingOutputArgs extends Inputs<GetGpuPricingArgs> {}

/**
 * The price of each GPU type, for one GPU and one hour, with its currency if the service reports it.
 *
 * ```ts
 * const { prices } = await gpu.getGpuPricing();
 * const h100 = prices.find(({ type }) => type === "h100")?.pricePerHour;
 * ```
 * (Specification, section 4, `/v1/gpus/pricing`.)
 */
export function getGpuPricing(args: GetGpuPricingArgs = {}): Promise<GetGpuPricingResult> {
  return forPeople(provider.getGpuPricing(args));
}

/** `getGpuPricing` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuPricingOutput(args: GetGpuPricingOutputArgs = {}): pulumi.Output<GetGpuPricingResult> {
  return toOutput(getGpuPricing, args);
}
