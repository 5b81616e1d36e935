/**
 * The contract between the core and its adapters. It contains no resource, and only one notion of Pulumi: a value that
 * is not known yet. All values, in both directions, are plain.
 */

/** Stands for a value that is not known yet in a preview, anywhere in the inputs. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Values are plain JSON. */
export type Properties = Record<string, unknown>;

/** How the stack makes names that the program does not give. */
export interface Naming {
  /** The name that the engine has made; absent if the stack requires each name in the program. */
  readonly proposed?: string;
}

/** The context that an adapter passes to every operation. */
export interface Ctx {
  /** The resource's URN; empty if the engine has not sent it. */
  readonly urn: string;
  /** Aborts when the user interrupts; its reason is the error to end with. */
  readonly signal: AbortSignal;
  /** Problems that the adapter has found in the inputs, for `check`, which then sends no request about the others. */
  readonly failures?: readonly CheckFailure[];
  /** True if previews show the outputs themselves, so that the inputs need not contain those that are certain. */
  readonly showsOutputs?: boolean;
  /** For `check`; absent if the stack leaves names to the resource. */
  readonly naming?: Naming | undefined;
  /** The time limit of this operation, in milliseconds. Default: that of the operation itself. */
  readonly timeoutMs?: number;
  /** When it began, by the clock of the service; now where it is absent. */
  readonly startMs?: number;
  /** A message that stays in the engine's output. */
  log(message: string, severity?: "info" | "warning"): void;
  /** Progress: shown until the next message, on the row of the resource, or of the stack. */
  status(message: string, row?: "resource" | "stack"): void;
}

/** How one property differs. */
export interface PropertyChange {
  readonly kind: "add" | "delete" | "update";
  /** True if this change needs a replacement of the resource. */
  readonly replace?: boolean;
}

/** The difference between a state and new inputs, by property path (`env.MODEL`). Empty: nothing to do. */
export interface Diff {
  readonly changes: Record<string, PropertyChange>;
  /** True if a replacement has to delete the old resource before it creates the new one. */
  readonly deleteBeforeReplace?: boolean;
}

/** An invalid input: the property, the problem, and what is valid instead. Never contains a possible secret. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/**
 * The resource exists, but is not as desired. Both adapters keep the id and the state, so that nothing is lost and the
 * next `pulumi up` continues from there.
 */
export class InitError extends Error {
  override readonly name = "InitError";

  constructor(
    readonly id: string,
    readonly state: Properties,
    /** Never empty: the engine shows these and nothing else. */
    readonly reasons: readonly [string, ...string[]],
    options?: ErrorOptions,
  ) {
    super(reasons.join("; "), options);
  }
}

/** The result of a check. */
export interface Checked {
  readonly inputs: Properties;
  readonly failures: CheckFailure[];
  /** The outputs that are certain, for a context that shows outputs; otherwise they are among the inputs. */
  readonly certain?: Properties;
}

/** The operations of a resource. `check`, `recognize`, `diff` and `preview` change nothing anywhere. */
export interface Resource {
  check(ctx: Ctx, news: Properties, olds?: Properties): Promise<Checked>;
  /**
   * Runs before `diff`: checks that the service and key of the inputs know the resource, if others saw it last.
   *
   * @throws GpuClusterError if they do not.
   */
  recognize(ctx: Ctx, id: string, state: Properties, news: Properties): Promise<void>;
  /**
   * `urn`: the checks of this resource later use what the state says, which is cached for them.
   *
   * @throws GpuClusterError if the inputs are about another resource than `id`.
   */
  diff(state: Properties, news: Properties, about?: { readonly id?: string; readonly urn?: string }): Diff;
  /** The outputs that are certain before the call. `known`: a state, or other known properties of the resource. */
  preview(news: Properties, known?: Properties): Properties;
  create(ctx: Ctx, inputs: Properties): Promise<{ id: string; state: Properties }>;
  /** `undefined` means that the resource is deleted. */
  read(ctx: Ctx, id: string, state?: Properties): Promise<{ state: Properties; inputs: Properties } | undefined>;
  update(ctx: Ctx, id: string, state: Properties, news: Properties): Promise<Properties>;
  delete(ctx: Ctx, id: string, state: Properties): Promise<void>;
}

/** True for a value that is unknown, or contains one. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}

/** Whether a value is an object with properties, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
