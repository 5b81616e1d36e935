import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../provider";
import { openTelemetryOfSdk, tracerOfProgram } from "../provider/adapters/tracing";
import { traceEndpoint } from "../provider/config";
import { GpuClusterError } from "../provider/errors";
import { readConfig, warnOfPlainKeys } from "./stackConfig";

function settingOf(fullName: string) {
  warnOfPlainKeys();
  return readConfig(fullName);
}

const core = (): typeof import("../provider") => require("../provider");

let created: Provider | undefined;

/**
 * The provider for functions that run in the program's process, with the config of the program's stack. Loaded at the first
 * call: a program that only declares clusters does not need the core.
 */
export function provider(): Provider {
  created ??= core().createProvider(
    settingOf,
    false,
    tracerOfProgram(traceEndpoint(), () => openTelemetryOfSdk("api")),
  );
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
