import { debuglog } from "node:util";
import { inputFlags, inputNames, outputNames } from "../cluster/fields";
import { hiddenSecretParts } from "../cluster/stateFields";
import { type CheckFailure, type Ctx, isRecord, type Properties } from "../core";
import { InterruptedError, messageOf } from "../errors";
import { errorType, noTracer } from "../trace";

/** What both adapters need to serve the engine. */

/**
 * The engine's address: the last argument of a process that the engine started. Flags may come before the address:
 * `--tracing <endpoint>`, `--logtostderr`, `-v=3`. `undefined` without an address.
 */
export function engineAddressIn(args: readonly string[]): string | undefined {
  const last = args.at(-1);
  return last?.startsWith("-") ? undefined : last;
}

const debug = debuglog("gpucluster");

/** Sends a message to the engine. Resolves when the message has arrived or was dropped; never rejects. */
export type Log = (
  message: string,
  options: {
    readonly urn: string;
    readonly severity?: "info" | "warning";
    /** True for progress: the engine shows it on the resource's row, and does not keep it. */
    readonly ephemeral?: boolean;
  },
) => Promise<void>;

/** One call of the engine about a resource. */
interface Call {
  readonly operation: string;
  readonly urn: string;
  readonly timeoutMs?: number | undefined;
}

/** The operations in flight in this process. An interrupt ends those, and no later one. */
export class RunningOperations {
  readonly #controllers = new Set<AbortController>();
  #isOver = false;

  constructor(
    private readonly log: Log,
    private readonly tracer = noTracer,
  ) {}

  interrupt(): void {
    for (const operation of this.#controllers) operation.abort(new InterruptedError("interrupted"));
  }

  /** Interrupts all operations, also later ones: the process is about to end, and would lose a cluster that one creates. */
  end(): void {
    this.#isOver = true;
    this.interrupt();
  }

  /**
   * Runs one operation. Settles when the operation has ended and its messages have arrived.
   * @param operation Its name, for its span and for the debug log.
   */
  async run<T>({ operation, urn, timeoutMs }: Call, work: (ctx: Ctx) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const messages: Promise<void>[] = [];
    const span = this.tracer.start(operation, { "gpucluster.urn": urn });
    this.#controllers.add(controller);
    if (this.#isOver) this.interrupt();
    const ctx: Ctx = {
      urn,
      timeoutMs,
      signal: controller.signal,
      log: (message, severity) => void messages.push(this.log(message, { urn, severity })),
      // The engine shows a message without a URN on the row of the stack.
      status: (message, row) => void this.log(message, { urn: row === "stack" ? "" : urn, ephemeral: true }),
    };
    try {
      return await this.tracer.within(span, () => work(ctx));
    } catch (error) {
      // The engine shows the same text.
      span.end({ type: errorType(error), message: messageOf(error) });
      debug("%s: %s", operation, error instanceof Error ? error.stack : error);
      throw error;
    } finally {
      span.end();
      this.#controllers.delete(controller);
      // The engine may exit as soon as it has the answer to this call, and does not wait for messages.
      await Promise.all(messages);
    }
  }
}

/** The engine prints the value of a failing property in plain text, so only the reason names the property. */
export function reasonOf({ property, reason }: CheckFailure): string {
  return property ? `${property}: ${reason}` : reason;
}

/** The name under which a value says that it is no ordinary object. */
export const mark = "4dabf18193072939515e22adb298388d";
export const secretMark = "1b47061264138c4ac30d75fd1eb44270";
const secretNames = inputNames.filter((name) => inputFlags[name].secret);
const secretParts = Object.entries({
  ...Object.fromEntries(inputNames.map((name) => [name, inputFlags[name].secretParts])),
  ...hiddenSecretParts,
});

/** A value as an engine secret: encrypted in the state, masked in all output. */
export function asSecret(value: unknown): Properties {
  return { [mark]: secretMark, value };
}

/**
 * Marks the outputs that the program declares as secret. A check returns outputs among the inputs, and the engine does not
 * mark those itself.
 */
export function withSecretOutputs(properties: Properties): Properties {
  const declared = properties["__secretOutputs"];
  const names = Array.isArray(declared) ? outputNames.filter((name) => declared.includes(name)) : [];
  const marked = names.filter((name) => properties[name] !== undefined);
  return { ...properties, ...Object.fromEntries(marked.map((name) => [name, asSecret(properties[name])])) };
}

/**
 * Marks every value of a secret map, key by key, the secret parts of a value, and the outputs that are declared as secret.
 * The engine would mark only the keys that the program marked: a key that the service adds would be in the state in plain
 * text.
 *
 * @param own The inputs of the program or, if they are not known, the state before: with `plainEnv`, only the values of its
 * keys are ordinary texts. A key that somebody else has set stays secret from then on, because the engine keeps its marks.
 */
export function withSecrets(plain: Properties, own: Properties): Properties {
  const properties = withSecretOutputs(plain);
  const isPlain = properties["plainEnv"] === true;
  const marked = secretNames.map((name) => [name, markValues(properties[name], isPlain ? own[name] : {})] as const);
  const parts = secretParts.map(([name, secret]) => [name, secret && markParts(properties[name], secret)] as const);
  return { ...properties, ...Object.fromEntries([...marked, ...parts].filter(([, value]) => value !== undefined)) };
}

function markParts(value: unknown, parts: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const marked = parts
    .filter((part) => value[part] !== undefined)
    .map((part) => [part, isRecord(value[part]) ? markValues(value[part], {}) : asSecret(value[part])]);
  return { ...value, ...Object.fromEntries(marked) };
}

function markValues(map: unknown, open: unknown): unknown {
  if (typeof map !== "object" || map === null) return map;
  const isOpen = (key: string) => Object.hasOwn(Object(open), key);
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, isOpen(key) ? value : asSecret(value)]));
}
