import * as pulumi from "@pulumi/pulumi";
import { createProvider } from "../provider";
import { GpuClusterError } from "../provider/errors";

/** The provider for functions that run in the program's process, with the config of the program's stack. */
export const provider = createProvider((fullName) => {
  const [namespace = "", name = ""] = fullName.split(":");
  return new pulumi.Config(namespace).get(name);
});

/** Converts an error of this package to a `RunError`, which Pulumi prints as one line without its call stack and fields. */
export async function forPeople<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw GpuClusterError.isInstance(error) ? new pulumi.RunError(error.message) : error;
  }
}
