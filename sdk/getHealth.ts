import type * as pulumi from "@pulumi/pulumi";
import type { Health as GetHealthResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export type { Health as GetHealthResult } from "../provider/types";

/**
 * How the service says it is. Rejects when the service does not answer at all.
 *
 * ```ts
 * const { healthy, status } = await gpu.getHealth();
 * ```
 * (Specification, section 4, `/health`.)
 */
export function getHealth(): Promise<GetHealthResult> {
  return forPeople(provider.getHealth());
}

/** `getHealth` as an output, for programs that cannot await. */
export function getHealthOutput(): pulumi.Output<GetHealthResult> {
  return toOutput(getHealth);
}
