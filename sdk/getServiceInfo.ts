import type * as pulumi from "@pulumi/pulumi";
import type { GetServiceInfoArgs, ServiceInfo as GetServiceInfoResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetServiceInfoArgs, ServiceInfo as GetServiceInfoResult } from "../provider/types";

/** Which service and organization to read from. */
export interface GetServiceInfoOutputArgs extends Inputs<GetServiceInfoArgs> {}

/**
 * The name, the version and the paths that the service reports of itself.
 *
 * ```ts
 * const { version } = await gpu.getServiceInfo();
 * ```
 * The path of this document is not specified: the provider tries `/`, `/v1` and `/api`. Rejects if none of them has it.
 * (Specification, section 4, the descriptor document, and section 9.)
 */
export function getServiceInfo(args: GetServiceInfoArgs = {}): Promise<GetServiceInfoResult> {
  return forPeople(provider.getServiceInfo(args));
}

/** `getServiceInfo` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getServiceInfoOutput(args: GetServiceInfoOutputArgs = {}): pulumi.Output<GetServiceInfoResult> {
  return toOutput(getServiceInfo, args);
}
