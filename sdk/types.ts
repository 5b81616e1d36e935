import * as pulumi from "@pulumi/pulumi";

/** A value in a program: each part of a list or a map may come from another resource. */
type Parts<Value> = Value extends (infer Item)[]
  ? pulumi.Input<Item>[]
  : Value extends Record<string, infer Item>
    ? Record<string, pulumi.Input<Item>>
    : Value;

/** Fields in a program: each value may come from another resource. */
export type Inputs<Fields> = { [Name in keyof Fields]: pulumi.Input<Parts<Fields[Name]>> };

/** Fields of a resource: each value is known when the resource is created. */
export type Outputs<Fields> = { readonly [Name in keyof Fields]-?: pulumi.Output<Fields[Name]> };

/**
 * A function's result as an output. The function is called when its arguments are known, and not in a preview that cannot
 * know them. Plain arguments and results hold no outputs, so the casts are safe: `pulumi.output` unwraps nothing in them.
 */
export function toOutput<Args, Result>(
  call: (args: Args) => Promise<Result>,
  args?: Inputs<Args>,
): pulumi.Output<Result> {
  return pulumi.output(args).apply((known) => call(known as Args)) as pulumi.Output<Result>;
}
