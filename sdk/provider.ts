import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../provider";
import { tracerOfProgram } from "../provider/adapters/tracing";
import { traceEndpoint } from "../provider/config";
import { GpuClusterError } from "../provider/errors";
import { readConfig, warnOfPlainKeys } from "./stackConfig";

/** The package of Pulumi's SDK: the one in which the SDK has registered itself. */
const openTelemetry = () =>
  require(require.resolve("@opentelemetry/api", { paths: [require.resolve("@pulumi/pulumi/package.json")] }));

function settingOf(fullName: string) {
  warnOfPlainKeys();
  return readConfig(fullName);
}

let created: Provider | undefined;

/**
 * The provider for functions that run in the program's process, with the config of the program's stack. Loaded at the first
 * call: a program that only declares clusters does not need the core.
 */
export function provider(): Provider {
  const { createProvider }: typeof import("../provider") = require("../provider");
  created ??= createProvider(settingOf, false, tracerOfProgram(traceEndpoint(), openTelemetry));
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
