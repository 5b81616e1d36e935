import * as pulumi from "@pulumi/pulumi";

/** A value as a program writes it: each part of a list or a map may come from another resource. */
type Parts<Value> = Value extends (infer Item)[]
  ? pulumi.Input<Item>[]
  : Value extends Record<string, infer Item>
    ? Record<string, pulumi.Input<Item>>
    : Value;

/** Fields as a program writes them: each may come from another resource. */
export type Inputs<Fields> = { [Name in keyof Fields]: pulumi.Input<Parts<Fields[Name]>> };

/** Fields as a resource has them: each is known once the resource is. */
export type Outputs<Fields> = { readonly [Name in keyof Fields]-?: pulumi.Output<Fields[Name]> };

/**
 * A function's result as an output: it is called once its arguments are known, and not at all in a preview that cannot know
 * them. Plain arguments and results hold no outputs, so that unwrapping, which the types do, changes nothing.
 */
export function toOutput<Args, Result>(
  call: (args: Args) => Promise<Result>,
  args?: Inputs<Args>,
): pulumi.Output<Result> {
  return pulumi.output(args).apply((known) => call(known as Args)) as pulumi.Output<Result>;
}
