import type * as pulumi from "@pulumi/pulumi";
import type { GetHealthArgs, Health as GetHealthResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetHealthArgs, Health as GetHealthResult } from "../provider/types";

/** Which service and organization to ask. */
export interface GetHealthOutputArgs extends Inputs<GetHealthArgs> {}

/**
 * How the service says it is. Rejects when the service does not answer at all.
 *
 * ```ts
 * const { healthy, status } = await gpu.getHealth();
 * ```
 * (Specification, section 4, `/health`.)
 */
export function getHealth(args: GetHealthArgs = {}): Promise<GetHealthResult> {
  return forPeople(provider.getHealth(args));
}

/** `getHealth` as an output, for a connection that is one, and for programs that cannot await. */
export function getHealthOutput(args: GetHealthOutputArgs = {}): pulumi.Output<GetHealthResult> {
  return toOutput(getHealth, args);
}
