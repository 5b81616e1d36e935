/**
 * The dynamic adapter: `pulumi-gpucluster/provider`. Every resource in a state loads this module by that name, so the name
 * and these exports never change. The adapter translates between the core and `pulumi.dynamic`, and decides nothing.
 */

import { readinessId } from "../cluster/readiness";
import { type CheckFailure, type Ctx, type Diff, InitError, type Properties } from "../core";
import { GpuClusterError, messageOf } from "../errors";
import { createProvider } from "../index";
import { exitWithEngine, findTimeoutFailures, log, onCancel, parseDuration, traceCalls } from "./dynamicEngine";
import { RunningOperations, reasonOf, withSecretOutputs, withSecrets } from "./engine";

type Config = { readonly config: { get(name: string): string | undefined } };

const tracing = traceCalls();
const running = new RunningOperations(log, tracing.tracer);
let configured: Config["config"] | undefined;
const { cluster, awaitTogether } = createProvider((name) => configured?.get(name), false, tracing.tracer);

onCancel(() => {
  running.interrupt();
  void tracing.flush();
});
exitWithEngine(tracing, () => running.end());

/** Stores the stack's config. Must not await anything: the SDK calls other methods before `configure` ends. */
export function configure({ config }: Config): Promise<void> {
  configured = config;
  return Promise.resolve();
}

export const check = (olds: Properties, news: Properties) =>
  inContext("check", news, async (ctx) => {
    const own = findTimeoutFailures(news["__timeouts"]);
    const { inputs, failures } = await cluster.check({ ...ctx, failures: own }, news, olds);
    return { inputs: withSecretOutputs(inputs), failures: failures.map(toFailure) };
  });

export const diff = (id: string, olds: Properties, news: Properties) =>
  inContext("diff", news, async (ctx) => {
    await cluster.recognize(ctx, id, olds, news);
    return toDiff(cluster.diff(olds, news, { id, urn: ctx.urn }), isFromPlugin(olds));
  });

export const create = (inputs: Properties) =>
  inContext("create", inputs, async (ctx) => {
    const { id, state } = await cluster.create(ctx, inputs);
    return { id, outs: withSecrets(state, inputs) };
  });

export const read = (id: string, props: Properties) =>
  inContext("read", props, async (ctx) => {
    const found = await cluster.read(ctx, id, props);
    // Without a `name`, this is a lookup by the program (`Cluster.get`): a missing cluster must be an error.
    if (!found && props["name"] === undefined)
      throw new GpuClusterError(`there is no cluster ${id} in this organization`);
    return found ? { id, props: withSecrets(found.state, props), inputs: withSecrets(found.inputs, props) } : {};
  });

export const update = (id: string, olds: Properties, news: Properties) =>
  inContext("update", news, async (ctx) => ({ outs: withSecrets(await cluster.update(ctx, id, olds, news), news) }));

const remove = (id: string, props: Properties) => inContext("delete", props, (ctx) => cluster.delete(ctx, id, props));

export { remove as delete };

/** The wait for all clusters of a fleet. It is nothing at the service, so a refresh and a deletion send nothing. */
export const readiness = {
  configure,
  check: (_olds: Properties, inputs: Properties) =>
    Promise.resolve({ inputs, failures: findTimeoutFailures(inputs["__timeouts"]).map(toFailure) }),
  diff: (_id: string, { settled }: Properties) => Promise.resolve({ changes: settled === false ? true : undefined }),
  create: async (inputs: Properties) => ({ id: readinessId, ...(await wait("create", inputs)) }),
  read: (id: string, props: Properties) => Promise.resolve({ id, props }),
  update: (_id: string, olds: Properties, news: Properties) => wait("update", news, olds),
  delete: () => Promise.resolve(),
};

const wait = (operation: string, inputs: Properties, olds?: Properties) =>
  inContext(operation, inputs, async (ctx) => ({ outs: await awaitTogether(ctx, inputs, olds) }));

/** Runs one operation, and converts its errors to the shapes that the SDK and the engine know. */
async function inContext<T>(operation: string, props: Properties, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const urn = typeof props["__urn"] === "string" ? props["__urn"] : "";
  const timeouts = props["__timeouts"];
  const timeout: unknown = typeof timeouts === "object" && timeouts ? Reflect.get(timeouts, operation) : undefined;
  try {
    return await running.run({ operation, urn, timeoutMs: parseDuration(timeout) }, work);
  } catch (error) {
    throw error instanceof InitError ? toInitFailure(error, props) : toPlainError(error);
  }
}

function toFailure(failure: CheckFailure): CheckFailure {
  return { property: "", reason: reasonOf(failure) };
}

/**
 * `undefined` lets the engine compare the inputs itself: the engine then shows each changed line, and masks the secret ones.
 * The engine compares inputs only, so a difference in the outputs alone has to be a plain `true`.
 */
function toDiff({ changes, deleteBeforeReplace }: Diff, isForeign: boolean) {
  const paths = Object.keys(changes);
  const replaces = paths.filter((path) => changes[path]?.replace);
  return {
    changes: paths.length === 0 ? isForeign : changes["settled"] ? true : undefined,
    replaces,
    // Also if `replaces` is empty: the user's replaceOnChanges may add one.
    deleteBeforeReplace,
  };
}

/**
 * Whether the plugin adapter wrote the state. If so, an update, which sends no request, puts the provider's text into the
 * state: without this text the engine could not call this adapter to refresh or to delete the cluster.
 */
function isFromPlugin(olds: Properties): boolean {
  return olds["__provider"] === undefined;
}

/** The engine shows the reasons and stores the properties. Refresh and delete need the provider's text in them. */
function toInitFailure({ id, state, reasons, message }: InitError, props: Properties): Error {
  const properties = { ...withSecrets(state, props), __provider: props["__provider"] };
  return Object.assign(new Error(message), { id, properties, reasons: [...reasons] });
}

/** The SDK prints `${error}: ${error.stack}` for some operations: this shape makes one readable line of it. */
function toPlainError(error: unknown): Error {
  const plain = new Error(messageOf(error));
  plain.stack = plain.message;
  plain.toString = () => "gpucluster";
  return plain;
}
