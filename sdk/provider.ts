import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../provider";
import { GpuClusterError } from "../provider/errors";
import { readConfig, warnOfPlainKeys } from "./stackConfig";

let created: Provider | undefined;

/**
 * The provider for functions that run in the program's process, with the config of the program's stack. Loaded at the first
 * call: a program that only declares clusters does not need the core.
 */
export function provider(): Provider {
  const { createProvider }: typeof import("../provider") = require("../provider");
  created ??= createProvider((fullName) => {
    warnOfPlainKeys();
    return readConfig(fullName);
  });
  return created;
}

/** Converts an error of this package to a `RunError`, which Pulumi prints as one line without its call stack and fields. */
export async function forPeople<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw GpuClusterError.isInstance(error) ? new pulumi.RunError(error.message) : error;
  }
}
