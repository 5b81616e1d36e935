import * as pulumi from "@pulumi/pulumi";
import { warnOfPlainKeys } from "../stackConfig";
import { withVersion } from "./options";

/** Asks the plugin, at once. */
export function invoke<Result>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<Result> {
  warnOfPlainKeys();
  return pulumi.runtime.invoke(tokenOf(name), { ...args }, withVersion(opts));
}

/** Asks the plugin once the arguments are known, and not at all in a preview that cannot know them. */
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
