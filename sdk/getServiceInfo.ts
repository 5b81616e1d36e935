import type * as pulumi from "@pulumi/pulumi";
import type { GetServiceInfoArgs, ServiceInfo as GetServiceInfoResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetServiceInfoArgs, ServiceInfo as GetServiceInfoResult } from "../provider/types";

/** Which service and organization to ask. */
export interface GetServiceInfoOutputArgs extends Inputs<GetServiceInfoArgs> {}

/**
 * What the service says of itself: its name, its version, and the paths that it has.
 *
 * ```ts
 * const { version } = await gpu.getServiceInfo();
 * ```
 * The path of that document is not specified: `/`, `/v1` and `/api` are tried. Rejects when none of them has it.
 * (Specification, section 4, the descriptor document, and section 9.)
 */
export function getServiceInfo(args: GetServiceInfoArgs = {}): Promise<GetServiceInfoResult> {
  return forPeople(provider.getServiceInfo(args));
}

/** `getServiceInfo` as an output, for a connection that is one, and for programs that cannot await. */
export function getServiceInfoOutput(args: GetServiceInfoOutputArgs = {}): pulumi.Output<GetServiceInfoResult> {
  return toOutput(getServiceInfo, args);
}
