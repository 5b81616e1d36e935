import type * as pulumi from "@pulumi/pulumi";
import type { GetHealthArgs, Health as GetHealthResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetHealthArgs, Health as GetHealthResult } from "../provider/types";

/** Which service and organization to read from. */
export interface GetHealthOutputArgs extends Inputs<GetHealthArgs> {}

/**
 * The health that the service reports of itself. Rejects if the service does not answer at all.
 *
 * ```ts
 * const { healthy, status } = await gpu.getHealth();
 * ```
 * (Specification, section 4, `/health`.)
 */
export function getHealth(args: GetHealthArgs = {}): Promise<GetHealthResult> {
  return forPeople(provider.getHealth(args));
}

/** `getHealth` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getHealthOutput(args: GetHealthOutputArgs = {}): pulumi.Output<GetHealthResult> {
  return toOutput(getHealth, args);
}
