/**
 * `pulumi-gpucluster/automation`: stacks with GPU clusters from one's own programs. Thin, on Pulumi's Automation API: as many
 * clusters waited for at a time as are useful, progress and errors for people, and outputs with the program's types.
 */
import type {
  DestroyOptions,
  EngineEvent,
  OpMap,
  PreviewOptions,
  RefreshOptions,
  Stack,
  UpdateSummary,
  UpOptions,
} from "@pulumi/pulumi/automation";
import { AutomationError, factsOf, type Operation } from "./automation/error";
import { type Outputs, type ProgramResult, secretNames, toOutputs } from "./automation/outputs";
import { type Progress, progressOf } from "./automation/progress";
import { nameOf, openStack, type StackSource } from "./automation/stack";

export { AutomationError, type Fact, type Operation, type Reason } from "./automation/error";
export type { Outputs, ProgramResult } from "./automation/outputs";
export type { Progress } from "./automation/progress";
export type { StackArgs, StackSource } from "./automation/stack";

/** Pulumi's own default is 4 for each CPU, and a cluster that is waited for holds a place. */
const defaultParallel = 128;

/** What all operations take beside Pulumi's own options, of which `signal` ends one as Ctrl-C does. */
interface CommonArgs {
  readonly stack: StackSource;
  /** Called for each thing that happens, line by line. */
  readonly onProgress?: (progress: Progress) => void;
}

interface ProgramArgs<Result extends ProgramResult> {
  /** The program, where it is not the one of the stack's folder; its result are the stack's outputs. */
  readonly program?: () => Promise<Result>;
}

type Common<Options> = CommonArgs & Omit<Options, "program" | "runProgram">;

/** Pulumi's options for an update; `parallel` is 128 by default. Its `onEvent` gets debug lines with secrets in clear. */
export type UpArgs<Result extends ProgramResult> = Common<UpOptions> & ProgramArgs<Result>;
/** Pulumi's options for a preview; `parallel` is 128 by default. */
export type PreviewArgs<Result extends ProgramResult> = Common<PreviewOptions> & ProgramArgs<Result>;
/** Pulumi's options for a refresh; `parallel` is 128 by default. */
export type RefreshArgs = Common<RefreshOptions>;
/** Pulumi's options for a destroy; `parallel` is 128 by default. */
export type DestroyArgs = Common<DestroyOptions>;

export interface UpResult<Result extends ProgramResult> {
  /** The outputs, with the types of the program. Secret ones do not show when all are printed. */
  readonly outputs: Outputs<Result>;
  /** Names of the outputs that are secret. */
  readonly secretOutputs: readonly string[];
  readonly summary: UpdateSummary;
}

/**
 * Creates or updates what a program asks for.
 *
 * ```ts
 * const { outputs } = await up({ stack: { stackName: "dev", projectName: "shop" }, program: async () => {
 *   const web = new gpu.Cluster("web", { gpuType: "h100", container: "acme/model:1" });
 *   return { endpoint: web.endpoint };
 * } });
 * ```
 * @throws AutomationError with what the failed resources said.
 */
export async function up<Result extends ProgramResult = Record<string, unknown>>(
  args: UpArgs<Result>,
): Promise<UpResult<Result>> {
  return perform("up", args, async (stack, options) => {
    const { outputs, summary } = await stack.up(options);
    return { outputs: toOutputs<Result>(outputs), secretOutputs: secretNames(outputs), summary };
  });
}

/** What an `up` would do: `changeSummary` counts it, `onProgress` tells it. Changes nothing. */
export async function preview<Result extends ProgramResult = Record<string, unknown>>(
  args: PreviewArgs<Result>,
): Promise<{ readonly changeSummary: OpMap }> {
  return perform("preview", args, async (stack, options) => {
    const { changeSummary } = await stack.preview(options);
    return { changeSummary };
  });
}

/** Brings the state to what there really is. */
export async function refresh(args: RefreshArgs): Promise<{ readonly summary: UpdateSummary }> {
  return perform("refresh", args, async (stack, options) => {
    const { summary } = await stack.refresh(options);
    return { summary };
  });
}

/** Deletes everything that the stack has. */
export async function destroy(args: DestroyArgs): Promise<{ readonly summary: UpdateSummary }> {
  return perform("destroy", args, async (stack, options) => {
    const { summary } = await stack.destroy(options);
    return { summary };
  });
}

interface Performed extends CommonArgs, ProgramArgs<ProgramResult> {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: EngineEvent) => void;
}

/** Runs one operation with our defaults, tells its progress, and puts its failure into words. */
async function perform<Args extends Performed, Result>(
  operation: Operation,
  { stack: source, onProgress, ...given }: Args,
  run: (stack: Stack, options: Omit<Args, "stack" | "onProgress">) => Promise<Result>,
): Promise<Result> {
  const errors: Progress[] = [];
  const onEvent = (event: EngineEvent) => {
    given.onEvent?.(event);
    for (const progress of progressOf(event)) {
      if (progress.kind === "message" && progress.severity === "error") errors.push(progress);
      onProgress?.(progress);
    }
  };
  // The summary would hold the stack's config, secrets in clear.
  const options = { parallel: defaultParallel, showSecrets: false, ...given, onEvent };
  try {
    given.signal?.throwIfAborted();
    const stack = await openStack(source, given.program, operation === "up" || operation === "preview");
    given.signal?.throwIfAborted();
    return await run(stack, options);
  } catch (error) {
    throw toAutomationError(error, { operation, source, errors, isCanceled: given.signal?.aborted === true });
  }
}

interface Failure {
  readonly operation: Operation;
  readonly source: StackSource;
  readonly errors: readonly Progress[];
  readonly isCanceled: boolean;
}

/** What the CLI said, as an error for people; anything else is no failure of the operation, and stays what it is. */
function toAutomationError(error: unknown, { operation, source, errors, isCanceled }: Failure): unknown {
  const { name = "", message = "" } = error instanceof Error ? error : {};
  const isOfCli = name === "CommandError" || name === "ConcurrentUpdateError";
  if (!isOfCli && !isCanceled) return error;
  const reason = isCanceled ? "canceled" : name === "ConcurrentUpdateError" ? "locked" : "failed";
  return new AutomationError(operation, nameOf(source), reason, factsOf(errors, isOfCli ? message : ""));
}
