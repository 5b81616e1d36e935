import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuModelsResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export type { GetGpuModelsResult, GpuModel } from "../provider/types";

/**
 * The GPU models of the service: what each type is, with its memory in GB where the service says it.
 *
 * ```ts
 * const { models } = await gpu.getGpuModels();
 * const large = models.filter(({ memoryGb = 0 }) => memoryGb >= 80);
 * ```
 * (Specification, section 4, `/v1/gpus/models`.)
 */
export function getGpuModels(): Promise<GetGpuModelsResult> {
  return forPeople(provider.getGpuModels());
}

/** `getGpuModels` as an output, for programs that cannot await. */
export function getGpuModelsOutput(): pulumi.Output<GetGpuModelsResult> {
  return toOutput(getGpuModels);
}
