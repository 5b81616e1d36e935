import type { EngineEvent, Stack } from "@pulumi/pulumi/automation";
import * as automation from "../../../sdk/automation";

export const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/gpucluster:Cluster::web";
export const succeeded = { result: "succeeded" };

export type Options = Record<string, unknown> & { onEvent(event: EngineEvent): void };

/** A fake for the Automation API's stack, which needs the CLI; `asked` has the options that it received. */
export function fakeStack(act: (options: Options) => object = () => ({})) {
  const asked: Record<string, unknown>[] = [];
  const operation = async (options: Options) => {
    asked.push(options);
    return { outputs: {}, summary: succeeded, changeSummary: { create: 1 }, stdout: "", ...act(options) };
  };
  const operations = { up: operation, preview: operation, refresh: operation, destroy: operation };
  return { stack: { name: "dev", workspace: {}, ...operations } as unknown as Stack, asked };
}

/** The error of the Automation API if the CLI fails. */
export function cliError(stderr: string, name = "CommandError"): Error {
  const message = `code: -2\n stdout: \n stderr: Command failed: pulumi up\n${stderr}\n err?: `;
  return Object.assign(new Error(message), { name });
}

/** A CLI that fails with this output, after this message of a resource. */
export const failing = (stderr: string, name?: string, told?: object) => (options: Options) => {
  const diagnosticEvent = { urn, message: "", severity: "error" as const, color: "never", ...told };
  if (told) options.onEvent({ sequence: 1, timestamp: 1, diagnosticEvent });
  throw cliError(stderr, name);
};

export async function errorOf(result: Promise<unknown>): Promise<automation.AutomationError> {
  const error: unknown = await result.catch((reason: unknown) => reason);
  if (error instanceof automation.AutomationError) return error;
  throw error instanceof Error ? error : new Error("it did not fail");
}
