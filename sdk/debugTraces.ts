/**
 * The traces of promises in Pulumi's SDK. It formats the call stack of four promises for each output of a resource, and
 * prints them only if `PULUMI_DEBUG_PROMISE_LEAKS` is set. With source maps, that was 40 % of the time of a program with 200
 * clusters.
 */

/** The function of the SDK that takes these traces. Under another name, they are formatted as before. */
const tracer = "debuggablePromise";

/** Leaves out these traces until the returned function is called; any other call stack is formatted as before. */
export function pauseDebugTraces(): () => void {
  const { prepareStackTrace: format } = Error;
  if (!format || process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  const paused: typeof format = (error, frames) =>
    frames[0]?.getFunctionName() === tracer ? "" : format.call(Error, error, frames);
  Error.prepareStackTrace = paused;
  return () => {
    // A library that the program has loaded meanwhile may have set its own format.
    if (Error.prepareStackTrace === paused) Error.prepareStackTrace = format;
  };
}
