import * as pulumi from "@pulumi/pulumi";

/** Fields as a program writes them: each may come from another resource. */
export type Inputs<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends Record<string, infer Value> | undefined
    ? pulumi.Input<Record<string, pulumi.Input<Value>>>
    : pulumi.Input<Fields[Name]>;
};

/** Fields as a resource has them: each is known once the resource is. */
export type Outputs<Fields> = { readonly [Name in keyof Fields]-?: pulumi.Output<Fields[Name]> };

/** A function's result as an output. A plain result holds no outputs, so that unwrapping, which the types do, changes nothing. */
export function toOutput<Result>(result: Promise<Result>): pulumi.Output<Result> {
  return pulumi.output(result) as pulumi.Output<Result>;
}
