/**
 * The engine's address, from the arguments of a process that the engine has started: the last one. Flags may come before it:
 * `--tracing <endpoint>`, `--logtostderr`, `-v=3`. Nothing where nobody has given one.
 */
export function engineAddressIn(args: readonly string[]): string | undefined {
  const last = args.at(-1);
  return last?.startsWith("-") ? undefined : last;
}
