/**
 * The contract between the core and its doors. It knows no resource and nothing of Pulumi but one notion: a value that is
 * not known yet. Plain values go in, plain values come out.
 */

/** Stands for a value that is not known yet in a preview, anywhere in the inputs. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Values are plain JSON. */
export type Properties = Record<string, unknown>;

/** How the stack wants names made that the program does not give. */
export interface Naming {
  /** The name to take, as the engine has made it; absent where a program has to give each name. */
  readonly proposed?: string;
}

/** What a door gives to every operation. */
export interface Ctx {
  /** The resource's URN; empty where the engine has not said it. */
  readonly urn: string;
  /** Aborts when the user interrupts; its reason is the error to end with. */
  readonly signal: AbortSignal;
  /** What the door itself has found wrong with the inputs, for `check`, which then asks nobody about the rest. */
  readonly failures?: readonly CheckFailure[];
  /** True where previews show the outputs themselves, so that the inputs need not hold those that are certain. */
  readonly showsOutputs?: boolean;
  /** For `check`; absent where the stack leaves it to the resource. */
  readonly naming?: Naming | undefined;
  /** The time this operation may take, in milliseconds; the operation's own default where it is absent. */
  readonly timeoutMs?: number;
  /** When it began, by the clock of the service; now where it is absent. */
  readonly startMs?: number;
  /** A message that stays in the engine's output. */
  log(message: string, severity?: "info" | "warning"): void;
  /** Progress: shown on the resource's own row, replaced by the next one. */
  status(message: string): void;
}

/** How one property differs. */
export interface PropertyChange {
  readonly kind: "add" | "delete" | "update";
  /** True when the resource has to be replaced for it. */
  readonly replace?: boolean;
}

/** The difference between a state and new inputs, by property path (`env.MODEL`). Empty: nothing to do. */
export interface Diff {
  readonly changes: Record<string, PropertyChange>;
  /** True when the old resource would have to go before a replacement could come. */
  readonly deleteBeforeReplace?: boolean;
}

/** A bad input: which property, and what is wrong with it and right instead. Never holds a value that may be secret. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/**
 * The resource exists but is not what was asked for. Both doors keep the id and the state, so that nothing is lost and the
 * next `pulumi up` goes on from there.
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

/** What a check finds. */
export interface Checked {
  readonly inputs: Properties;
  readonly failures: CheckFailure[];
  /** What is certain of the outputs, for a context that shows outputs; else it is among the inputs. */
  readonly certain?: Properties;
}

/** What a resource can do. `check`, `diff` and `preview` change nothing anywhere. */
export interface Resource {
  check(ctx: Ctx, news: Properties, olds?: Properties): Promise<Checked>;
  /**
   * `urn`: what the state says is remembered for the checks of this resource.
   *
   * @throws GpuClusterError where the inputs are about another resource than `id`.
   */
  diff(state: Properties, news: Properties, about?: { readonly id?: string; readonly urn?: string }): Diff;
  /** What is certain of the outputs before the call. `known`: a state, or whatever else is known of the resource. */
  preview(news: Properties, known?: Properties): Properties;
  create(ctx: Ctx, inputs: Properties): Promise<{ id: string; state: Properties }>;
  /** `undefined` means gone. */
  read(ctx: Ctx, id: string, state?: Properties): Promise<{ state: Properties; inputs: Properties } | undefined>;
  update(ctx: Ctx, id: string, state: Properties, news: Properties): Promise<Properties>;
  delete(ctx: Ctx, id: string, state: Properties): Promise<void>;
}

/** True for a value that is unknown, or holds one that is. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
