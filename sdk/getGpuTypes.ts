import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuTypesArgs, GetGpuTypesResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetGpuTypesArgs, GetGpuTypesResult, GpuType } from "../provider/types";

/** Which service and organization to read from. */
export interface GetGpuTypesOutputArgs extends Inputs<GetGpuTypesArgs> {}

/**
 * The GPU types that the service lists, with prices per GPU-hour and availability if the service reports them. The provider
 * caches an answer for ten seconds.
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

/** `getGpuTypes` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuTypesOutput(args: GetGpuTypesOutputArgs = {}): pulumi.Output<GetGpuTypesResult> {
  return toOutput(getGpuTypes, args);
}
