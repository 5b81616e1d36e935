/**
 * `pulumi-gpucluster/automation`: stacks with GPU clusters from your own programs, on Pulumi's Automation API. It waits for
 * up to 128 clusters at a time, reports progress and errors for people, and returns outputs with the program's types.
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

/** Pulumi's own default is 4 for each CPU, and each wait for a cluster takes one of these places. */
const defaultParallel = 128;

/** Arguments of all operations, besides Pulumi's own options. Of those, `signal` ends an operation as Ctrl-C does. */
interface CommonArgs {
  readonly stack: StackSource;
  /** Called once for each line of progress. */
  readonly onProgress?: (progress: Progress) => void;
}

interface ProgramArgs<Result extends ProgramResult> {
  /** The program, if it is not the one in the stack's folder. Its result becomes the stack's outputs. */
  readonly program?: () => Promise<Result>;
}

type Common<Options> = CommonArgs & Omit<Options, "program" | "runProgram">;

/** Pulumi's options for an update; `parallel` is 128 by default. `onEvent` receives debug lines with secrets in plain text. */
export type UpArgs<Result extends ProgramResult> = Common<UpOptions> & ProgramArgs<Result>;
/** Pulumi's options for a preview; `parallel` is 128 by default. */
export type PreviewArgs<Result extends ProgramResult> = Common<PreviewOptions> & ProgramArgs<Result>;
/** Pulumi's options for a refresh; `parallel` is 128 by default. */
export type RefreshArgs = Common<RefreshOptions>;
/** Pulumi's options for a destroy; `parallel` is 128 by default. */
export type DestroyArgs = Common<DestroyOptions>;

export interface UpResult<Result extends ProgramResult> {
  /** The outputs, with the program's types. Secret outputs are not enumerable: they do not show when all are printed. */
  readonly outputs: Outputs<Result>;
  /** Names of the outputs that are secret. */
  readonly secretOutputs: readonly string[];
  readonly summary: UpdateSummary;
}

/**
 * Creates or updates the resources of a program.
 *
 * ```ts
 * const { outputs } = await up({ stack: { stackName: "dev", projectName: "shop" }, program: async () => {
 *   const web = new gpu.Cluster("web", { gpuType: "h100", container: "acme/model:1" });
 *   return { endpoint: web.endpoint };
 * } });
 * ```
 * @throws AutomationError with the errors of the failed resources.
 */
export async function up<Result extends ProgramResult = Record<string, unknown>>(
  args: UpArgs<Result>,
): Promise<UpResult<Result>> {
  return perform("up", args, async (stack, options) => {
    const { outputs, summary } = await stack.up(options);
    return { outputs: toOutputs<Result>(outputs), secretOutputs: secretNames(outputs), summary };
  });
}

/** Shows what an `up` would do, and changes nothing: `changeSummary` counts the steps, `onProgress` receives each of them. */
export async function preview<Result extends ProgramResult = Record<string, unknown>>(
  args: PreviewArgs<Result>,
): Promise<{ readonly changeSummary: OpMap }> {
  return perform("preview", args, async (stack, options) => {
    const { changeSummary } = await stack.preview(options);
    return { changeSummary };
  });
}

/** Updates the state to the observed resources. */
export async function refresh(args: RefreshArgs): Promise<{ readonly summary: UpdateSummary }> {
  return perform("refresh", args, async (stack, options) => {
    const { summary } = await stack.refresh(options);
    return { summary };
  });
}

/** Deletes all resources of the stack. */
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

/** Runs one operation with this package's defaults, reports its progress, and converts its failure to an `AutomationError`. */
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
  // With `showSecrets`, the summary would contain the stack's config with secrets in plain text.
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

/** An `AutomationError` for an error of the CLI or a cancellation. Any other error is returned unchanged. */
function toAutomationError(error: unknown, { operation, source, errors, isCanceled }: Failure): unknown {
  const { name = "", message = "" } = error instanceof Error ? error : {};
  const isOfCli = name === "CommandError" || name === "ConcurrentUpdateError";
  if (!isOfCli && !isCanceled) return error;
  const reason = isCanceled ? "canceled" : name === "ConcurrentUpdateError" ? "locked" : "failed";
  return new AutomationError(operation, nameOf(source), reason, factsOf(errors, isOfCli ? message : ""));
}
