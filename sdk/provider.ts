import * as pulumi from "@pulumi/pulumi";
import { createProvider } from "../provider";
import { tracerOfProgram } from "../provider/adapters/tracing";
import { traceEndpoint } from "../provider/config";
import { GpuClusterError } from "../provider/errors";
import { readConfig, warnOfPlainKeys } from "./stackConfig";

/** The package of Pulumi's SDK: the one in which the SDK has registered itself. */
const openTelemetry = () =>
  require(require.resolve("@opentelemetry/api", { paths: [require.resolve("@pulumi/pulumi/package.json")] }));

/** The provider for functions that run in the program's process, with the config of the program's stack. */
export const provider = createProvider(
  (fullName) => {
    warnOfPlainKeys();
    return readConfig(fullName);
  },
  false,
  tracerOfProgram(traceEndpoint(), openTelemetry),
);

/** Converts an error of this package to a `RunError`, which Pulumi prints as one line without its call stack and fields. */
export async function forPeople<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw GpuClusterError.isInstance(error) ? new pulumi.RunError(error.message) : error;
  }
}
