import * as pulumi from "@pulumi/pulumi";
import { createProvider } from "../provider";
import { GpuClusterError } from "../provider/errors";
import { readConfig, warnOfPlainKeys } from "./stackConfig";

/** The provider for functions that run in the program itself, with the config of the program's stack. */
export const provider = createProvider((fullName) => {
  warnOfPlainKeys();
  return readConfig(fullName);
});

/** An error of ours is for the person who reads it: one line, without the stack and the fields that programs print else. */
export async function forPeople<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw GpuClusterError.isInstance(error) ? new pulumi.RunError(error.message) : error;
  }
}
