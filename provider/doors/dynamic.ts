/**
 * The dynamic door: `pulumi-gpucluster/provider`. Every resource in a state loads this module by that name, so the name and
 * these exports are frozen for ever. It translates between the core and `pulumi.dynamic`, and decides nothing.
 */
import { debuglog } from "node:util";
import { inputFlags, inputNames } from "../cluster/fields";
import { type CheckFailure, type Ctx, type Diff, InitError, type Properties } from "../core";
import { GpuClusterError, InterruptedError, messageOf } from "../errors";
import { createProvider } from "../index";
import { exitWithEngine, log, onCancel } from "./engine";
import { findTimeoutFailures, parseDuration } from "./timeouts";

type Config = { readonly config: { get(name: string): string | undefined } };

const debug = debuglog("gpucluster");
const running = new Set<AbortController>();
let configured: Config["config"] | undefined;
const { cluster } = createProvider((name) => configured?.get(name));

onCancel(() => {
  for (const operation of running) operation.abort(new InterruptedError("interrupted"));
});
exitWithEngine();

/** Keeps the stack's config. Must not wait for anything: the SDK calls other methods before this has finished. */
export function configure({ config }: Config): Promise<void> {
  configured = config;
  return Promise.resolve();
}

export const check = (olds: Properties, news: Properties) =>
  inContext("check", news, async (ctx) => {
    const own = findTimeoutFailures(news["__timeouts"]);
    const { inputs, failures } = await cluster.check({ ...ctx, failures: own }, news, olds);
    return { inputs, failures: failures.map(toFailure) };
  });

export const diff = (id: string, olds: Properties, news: Properties) =>
  inContext("diff", news, async () => toDiff(cluster.diff(olds, news, id)));

export const create = (inputs: Properties) =>
  inContext("create", inputs, async (ctx) => {
    const { id, state } = await cluster.create(ctx, inputs);
    return { id, outs: withSecrets(state) };
  });

export const read = (id: string, props: Properties) =>
  inContext("read", props, async (ctx) => {
    const found = await cluster.read(ctx, id, props);
    // Without a name of its own, this is a look-up by the program: that nothing was found must not pass in silence.
    if (!found && props["name"] === undefined)
      throw new GpuClusterError(`there is no cluster ${id} in this organization`);
    return found ? { id, props: withSecrets(found.state), inputs: withSecrets(found.inputs) } : {};
  });

export const update = (id: string, olds: Properties, news: Properties) =>
  inContext("update", news, async (ctx) => ({ outs: withSecrets(await cluster.update(ctx, id, olds, news)) }));

const remove = (id: string, props: Properties) => inContext("delete", props, (ctx) => cluster.delete(ctx, id, props));

export { remove as delete };

/** Runs one operation; an interrupt ends it, and its errors are put into the shapes that the SDK and the engine know. */
async function inContext<T>(operation: string, props: Properties, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const messages: Promise<void>[] = [];
  running.add(controller);
  try {
    return await work(toCtx(operation, props, controller.signal, messages));
  } catch (error) {
    debug("%s: %s", operation, error instanceof Error ? error.stack : error);
    throw error instanceof InitError ? toInitFailure(error, props) : toPlainError(error);
  } finally {
    running.delete(controller);
    // The engine may end with the answer to this call, and would not wait for a message.
    await Promise.all(messages);
  }
}

function toCtx(operation: string, props: Properties, signal: AbortSignal, messages: Promise<void>[]): Ctx {
  const urn = typeof props["__urn"] === "string" ? props["__urn"] : "";
  const timeouts = props["__timeouts"];
  const timeout: unknown = typeof timeouts === "object" && timeouts ? Reflect.get(timeouts, operation) : undefined;
  return {
    urn,
    signal,
    timeoutMs: parseDuration(timeout),
    log: (message, severity) => void messages.push(log(message, { urn, severity })),
    status: (message) => void log(message, { urn, ephemeral: true }),
  };
}

/** The engine prints the value of a failing property in clear, so the property is named in the text only. */
function toFailure({ property, reason }: CheckFailure): CheckFailure {
  return { property: "", reason: property ? `${property}: ${reason}` : reason };
}

/**
 * "Unknown" lets the engine compare the inputs itself: it then shows each changed line, and masks the secret ones. It
 * compares inputs only, so what differs in the outputs alone has to be a plain `true`.
 */
function toDiff({ changes, deleteBeforeReplace }: Diff) {
  const paths = Object.keys(changes);
  const replaces = paths.filter((path) => changes[path]?.replace);
  return {
    changes: paths.length === 0 ? false : changes["settled"] ? true : undefined,
    replaces,
    // Also without replaces of our own: the user's replaceOnChanges may add one.
    deleteBeforeReplace,
  };
}

/** The engine shows the reasons and keeps the properties, which need the provider's text for refresh and delete to work. */
function toInitFailure({ id, state, reasons, message }: InitError, props: Properties): Error {
  const properties = { ...withSecrets(state), __provider: props["__provider"] };
  return Object.assign(new Error(message), { id, properties, reasons: [...reasons] });
}

/** The SDK prints `${error}: ${error.stack}` for some operations: this makes it one readable line. */
function toPlainError(error: unknown): Error {
  const plain = new Error(messageOf(error));
  plain.stack = plain.message;
  plain.toString = () => "gpucluster";
  return plain;
}

const secretSignature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const secretNames = inputNames.filter((name) => inputFlags[name].secret);

/** Marks every value of a secret map, key by key: the engine would mark only the keys that the program itself marked. */
function withSecrets(properties: Properties): Properties {
  if (properties["plainEnv"] === true) return properties;
  const marked = secretNames.map((name) => [name, markValues(properties[name])] as const);
  return { ...properties, ...Object.fromEntries(marked.filter(([, value]) => value !== undefined)) };
}

function markValues(map: unknown): unknown {
  if (typeof map !== "object" || map === null) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, { ...secretSignature, value }]));
}
