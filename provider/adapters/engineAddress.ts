/**
 * The engine's address: the last argument of a process that the engine started. Flags may come before the address:
 * `--tracing <endpoint>`, `--logtostderr`, `-v=3`. `undefined` without an address.
 */
export function engineAddressIn(args: readonly string[]): string | undefined {
  const last = args.at(-1);
  return last?.startsWith("-") ? undefined : last;
}
