import type * as pulumi from "@pulumi/pulumi";
import type { OutputMap } from "@pulumi/pulumi/automation";

/** What a program may return: its stack outputs by name. */
// biome-ignore lint/suspicious/noConfusingVoidType: a program may return nothing
export type ProgramResult = Record<string, unknown> | void;

/** The outputs of a program as values. */
export type Outputs<Result extends ProgramResult> =
  Result extends Record<string, unknown>
    ? { readonly [Name in keyof Result]: pulumi.Unwrap<Result[Name]> }
    : Readonly<Record<string, never>>;

/**
 * The values of a stack's outputs. Those of secret ones are there under their names, but not enumerable: whoever prints the
 * outputs as a whole, or makes JSON of them, does not print a secret.
 */
export function toOutputs<Result extends ProgramResult>(all: OutputMap): Outputs<Result> {
  const properties = Object.entries(all).map(([name, { value, secret }]) => [name, { value, enumerable: !secret }]);
  // What the program returned is what the stack has: its type is the only word on that.
  return Object.defineProperties({}, Object.fromEntries(properties)) as Outputs<Result>;
}

/** Names of the outputs that are secret. */
export function secretNames(all: OutputMap): string[] {
  return Object.keys(all).filter((name) => all[name]?.secret);
}
