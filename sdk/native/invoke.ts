import * as pulumi from "@pulumi/pulumi";
import { warnOfPlainKeys } from "../stackConfig";
import { withVersion } from "./options";

/** Calls a function of the plugin at once. */
export function invoke<Result>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<Result> {
  warnOfPlainKeys();
  return pulumi.runtime.invoke(tokenOf(name), { ...args }, withVersion(opts));
}

/** Calls a function of the plugin when the arguments are known; does not call it in a preview that cannot know them. */
export function invokeOutput<Result>(
  name: string,
  args: object,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<Result> {
  warnOfPlainKeys();
  return pulumi.runtime.invokeOutput<Result>(tokenOf(name), { ...args }, withVersion(opts));
}

function tokenOf(name: string): string {
  return `gpucluster:index:${name}`;
}
