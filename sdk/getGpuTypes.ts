import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuTypesResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export type { GetGpuTypesResult, GpuType } from "../provider/types";

/**
 * The GPU types that the service lists, with prices per GPU-hour and availability where it says them; each call asks anew.
 *
 * ```ts
 * const { gpuTypes } = await gpu.getGpuTypes();
 * const affordable = gpuTypes.filter((type) => type.available && (type.pricePerHour ?? Infinity) < 2);
 * ```
 * (Specification, section 4, `/v1/gpus`.)
 */
export function getGpuTypes(): Promise<GetGpuTypesResult> {
  return forPeople(provider.getGpuTypes());
}

/** `getGpuTypes` as an output, for programs that cannot await. */
export function getGpuTypesOutput(): pulumi.Output<GetGpuTypesResult> {
  return toOutput(getGpuTypes);
}
