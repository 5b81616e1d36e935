import * as pulumi from "@pulumi/pulumi";
import { type ClusterInputs, inputNames, outputNames } from "../provider/cluster/fields";
import type { Inputs } from "./types";

/** What to run, on what, and how many times. */
export interface ClusterArgs extends Inputs<Omit<ClusterInputs, "plainEnv">> {
  // Not an output: the values of env are marked as secrets, or not, when the resource is declared.
  plainEnv?: ClusterInputs["plainEnv"];
}

/**
 * What the engine does not tell a provider of the options: outputs that are secret, what replaces the cluster, and in which order.
 * Nothing where the program says nothing: states stay as they are.
 */
export function hiddenProperties(options: pulumi.CustomResourceOptions = {}): pulumi.Inputs {
  const { additionalSecretOutputs = [], deleteBeforeReplace, replaceOnChanges } = options;
  const secret = outputNames.filter((name) => additionalSecretOutputs.includes(name));
  return {
    __secretOutputs: secret.length > 0 ? secret : undefined,
    __deleteBeforeReplace: deleteBeforeReplace,
    __replaceOnChanges: replaceOnChanges?.length ? replaceOnChanges : undefined,
  };
}

const undeclared = Object.fromEntries([...inputNames, ...outputNames].map((name) => [name, undefined]));

/** The properties to register: a resource has only those as outputs that its constructor names, with or without a value. */
export function toProperties(args: ClusterArgs): pulumi.Inputs {
  return { ...undeclared, ...args, env: args.plainEnv === true ? args.env : secretEnv(args.env) };
}

/** Each value is a secret of its own, so that a diff can name the variables; an env made elsewhere is one as a whole. */
function secretEnv(env: ClusterArgs["env"]): pulumi.Input<unknown> {
  if (env === undefined) return undefined;
  if (pulumi.Output.isInstance(env) || env instanceof Promise) return pulumi.secret(env);
  return Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, pulumi.secret(value)]));
}
