/**
 * The traces of promises in Pulumi's SDK. It takes the call stack of four promises for each output of a resource, and prints
 * them only if `PULUMI_DEBUG_PROMISE_LEAKS` is set. With 200 clusters, this was most of the time of their declarations.
 */

type Trace = <Value>(promise: Promise<Value>, label?: string) => Promise<Value>;

/** The module of the SDK that takes them. It is no part of its public surface: another SDK may have none. */
function moduleOfSdk(): { debuggablePromise?: Trace } {
  try {
    return require("@pulumi/pulumi/runtime/debuggable");
  } catch {
    return {};
  }
}

const sdk = moduleOfSdk();

/** Leaves out these traces until the returned function is called. All other call stacks are taken as before. */
export function pauseDebugTraces(): () => void {
  const trace = sdk.debuggablePromise;
  if (!trace || process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  sdk.debuggablePromise = (promise, label) => {
    const { stackTraceLimit } = Error;
    // Without a limit, no stack is taken. With 0, an empty one would still be formatted.
    Reflect.set(Error, "stackTraceLimit", undefined);
    try {
      return trace(promise, label);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  };
  return () => {
    sdk.debuggablePromise = trace;
  };
}
