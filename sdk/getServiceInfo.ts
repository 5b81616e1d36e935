import type * as pulumi from "@pulumi/pulumi";
import type { ServiceInfo as GetServiceInfoResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export type { ServiceInfo as GetServiceInfoResult } from "../provider/types";

/**
 * What the service says of itself: its name, its version, and the paths that it has.
 *
 * ```ts
 * const { version } = await gpu.getServiceInfo();
 * ```
 * The path of that document is not specified: `/`, `/v1` and `/api` are tried. Rejects when none of them has it.
 * (Specification, section 4, the descriptor document, and section 9.)
 */
export function getServiceInfo(): Promise<GetServiceInfoResult> {
  return forPeople(provider.getServiceInfo());
}

/** `getServiceInfo` as an output, for programs that cannot await. */
export function getServiceInfoOutput(): pulumi.Output<GetServiceInfoResult> {
  return toOutput(getServiceInfo);
}
