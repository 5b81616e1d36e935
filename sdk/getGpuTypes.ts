import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuTypesArgs, GetGpuTypesResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetGpuTypesArgs, GetGpuTypesResult, GpuType } from "../provider/types";

/** Which service and organization to ask. */
export interface GetGpuTypesOutputArgs extends Inputs<GetGpuTypesArgs> {}

/**
 * The GPU types that the service lists, with prices per GPU-hour and availability where it says them. An answer is kept for
 * ten seconds.
 *
 * ```ts
 * const { gpuTypes } = await gpu.getGpuTypes();
 * const affordable = gpuTypes.filter((type) => type.available && (type.pricePerHour ?? Infinity) < 2);
 * ```
 * (Specification, section 4, `/v1/gpus`.)
 */
export function getGpuTypes(args: GetGpuTypesArgs = {}): Promise<GetGpuTypesResult> {
  return forPeople(provider.getGpuTypes(args));
}

/** `getGpuTypes` as an output, for a connection that is one, and for programs that cannot await. */
export function getGpuTypesOutput(args: GetGpuTypesOutputArgs = {}): pulumi.Output<GetGpuTypesResult> {
  return toOutput(getGpuTypes, args);
}
