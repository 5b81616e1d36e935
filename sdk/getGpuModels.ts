import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuModelsArgs, GetGpuModelsResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetGpuModelsArgs, GetGpuModelsResult, GpuModel } from "../provider/types";

/** Which service and organization to read from. */
export interface GetGpuModelsOutputArgs extends Inputs<GetGpuModelsArgs> {}

/**
 * The GPU models of the service: a description of each GPU type, with its memory in GB if the service reports it.
 *
 * ```ts
 * const { models } = await gpu.getGpuModels();
 * const large = models.filter(({ memoryGb = 0 }) => memoryGb >= 80);
 * ```
 * (Specification, section 4, `/v1/gpus/models`.)
 */
export function getGpuModels(args: GetGpuModelsArgs = {}): Promise<GetGpuModelsResult> {
  return forPeople(provider.getGpuModels(args));
}

/** `getGpuModels` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuModelsOutput(args: GetGpuModelsOutputArgs = {}): pulumi.Output<GetGpuModelsResult> {
  return toOutput(getGpuModels, args);
}
