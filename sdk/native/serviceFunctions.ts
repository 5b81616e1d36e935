import type * as pulumi from "@pulumi/pulumi";
import type { GetHealthArgs, GetHealthOutputArgs, GetHealthResult } from "../getHealth";
import type { GetServiceInfoArgs, GetServiceInfoOutputArgs, GetServiceInfoResult } from "../getServiceInfo";
import { invoke, invokeOutput } from "./invoke";

export type { GetHealthArgs, GetHealthOutputArgs, GetHealthResult } from "../getHealth";
export type { GetServiceInfoArgs, GetServiceInfoOutputArgs, GetServiceInfoResult } from "../getServiceInfo";

/** The health that the service reports of itself. Rejects if the service does not answer at all. */
export function getHealth(args: GetHealthArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetHealthResult> {
  return invoke("getHealth", args, opts);
}

/** `getHealth` as an output, for arguments that are outputs. */
export function getHealthOutput(
  args: GetHealthOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetHealthResult> {
  return invokeOutput("getHealth", args, opts);
}

/** The name, the version and the paths that the service reports of itself. */
export function getServiceInfo(
  args: GetServiceInfoArgs = {},
  opts?: pulumi.InvokeOptions,
): Promise<GetServiceInfoResult> {
  return invoke("getServiceInfo", args, opts);
}

/** `getServiceInfo` as an output, for arguments that are outputs. */
export function getServiceInfoOutput(
  args: GetServiceInfoOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetServiceInfoResult> {
  return invokeOutput("getServiceInfo", args, opts);
}
