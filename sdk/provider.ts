import * as pulumi from "@pulumi/pulumi";
import { createProvider } from "../provider";
import { GpuClusterError } from "../provider/errors";
import { readConfig, warnOfPlainKeys } from "./stackConfig";

/** The provider for functions that run in the program's process, with the config of the program's stack. */
export const provider = createProvider((fullName) => {
  warnOfPlainKeys();
  return readConfig(fullName);
});

/** Converts an error of this package to a `RunError`, which Pulumi prints as one line without its call stack and fields. */
export async function forPeople<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw GpuClusterError.isInstance(error) ? new pulumi.RunError(error.message) : error;
  }
}
