import * as pulumi from "@pulumi/pulumi";
import { type ClusterInputs, inputNames, outputNames } from "../provider/cluster/fields";
import type { Inputs } from "./types";

/** What a cluster runs, on which GPUs, and with how many replicas. */
export interface ClusterArgs extends Inputs<Omit<ClusterInputs, "plainEnv">> {
  // A plain value, no output: the resource's declaration decides whether to mark the values of env as secrets.
  plainEnv?: ClusterInputs["plainEnv"];
}

/**
 * Options that the engine does not pass to a provider: the secret outputs, what replaces the cluster, and the order of a
 * replacement. `undefined` if the program does not set them, so that existing states do not change.
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

/** The properties to register. A resource has an output only if its constructor names it, with or without a value. */
export function toProperties(args: ClusterArgs): pulumi.Inputs {
  return { ...undeclared, ...args, env: args.plainEnv === true ? args.env : secretEnv(args.env) };
}

/** Marks each value as a secret, so that a diff can name the variables. An env that is an output is one secret as a whole. */
function secretEnv(env: ClusterArgs["env"]): pulumi.Input<unknown> {
  if (env === undefined) return undefined;
  if (pulumi.Output.isInstance(env) || env instanceof Promise) return pulumi.secret(env);
  return Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, pulumi.secret(value)]));
}
