import type * as pulumi from "@pulumi/pulumi";
import type { GetGpuAvailabilityArgs, GetGpuAvailabilityResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetGpuAvailabilityArgs, GetGpuAvailabilityResult, GpuAvailability } from "../provider/types";

/** Which GPU type to read the availability of; without one, of every type. */
export interface GetGpuAvailabilityOutputArgs extends Inputs<GetGpuAvailabilityArgs> {}

/**
 * Whether GPUs are available now, of one type or of each type, and how many if the service reports it.
 *
 * ```ts
 * const { availability } = await gpu.getGpuAvailability({ type: "h100" });
 * const enough = (availability[0]?.availableCount ?? 0) >= 4;
 * ```
 * Rejects if the service does not know the type. (Specification, section 4, `/v1/gpus/availability` and
 * `/v1/gpus/:type/availability`.)
 */
export function getGpuAvailability(args: GetGpuAvailabilityArgs = {}): Promise<GetGpuAvailabilityResult> {
  return forPeople(provider.getGpuAvailability(args));
}

/** `getGpuAvailability` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuAvailabilityOutput(
  args: GetGpuAvailabilityOutputArgs = {},
): pulumi.Output<GetGpuAvailabilityResult> {
  return toOutput(getGpuAvailability, args);
}
