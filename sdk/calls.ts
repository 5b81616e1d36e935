import type { InvokeOptions, InvokeOutputOptions, Output } from "@pulumi/pulumi";
import type { FunctionName } from "../provider";

/** How a package calls a function by its name: at once, and when its arguments are known. */
export interface Calls {
  now<Result>(name: FunctionName, args: object, opts?: InvokeOptions): Promise<Result>;
  later<Result>(name: FunctionName, args: object, opts?: InvokeOutputOptions): Output<Result>;
}

/** The functions of a package, by their names: with arguments, and `alone`, with Pulumi's options at most. */
export function functionsBy({ now, later }: Calls) {
  return {
    asked: <Result>(name: FunctionName) => {
      return (args: object = {}, opts?: InvokeOptions) => now<Result>(name, args, opts);
    },
    askedLater: <Result>(name: FunctionName) => {
      return (args: object = {}, opts?: InvokeOutputOptions) => later<Result>(name, args, opts);
    },
    alone: <Result>(name: FunctionName) => {
      return (opts?: InvokeOptions, ...more: unknown[]) => now<Result>(name, surplus(opts), optionsIn(opts, more));
    },
    aloneLater: <Result>(name: FunctionName) => {
      return (opts?: InvokeOutputOptions, ...more: unknown[]) =>
        later<Result>(name, surplus(opts), optionsIn(opts, more));
    },
  };
}

/** Pulumi's options of a call. */
const options: Readonly<Record<keyof InvokeOutputOptions, true>> = {
  async: true,
  dependsOn: true,
  parent: true,
  pluginDownloadURL: true,
  provider: true,
  version: true,
};

/** What an untyped program gives as arguments to a function that has none: passed on, to be refused. */
function surplus(given: object = {}): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(options, name)));
}

/** The options behind the arguments, where an untyped program writes both as for other functions: `getHealth({}, options)`. */
function optionsIn<Options>(opts: Options | undefined, [second]: readonly unknown[]): Options | undefined {
  return second === undefined ? opts : (second as Options);
}
