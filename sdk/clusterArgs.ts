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
 * replacement. Left out if the program does not set them: existing states do not change, and each name costs an output.
 */
export function hiddenProperties(options: pulumi.CustomResourceOptions = {}): pulumi.Inputs {
  const { additionalSecretOutputs = [], deleteBeforeReplace, replaceOnChanges } = options;
  const secret = outputNames.filter((name) => additionalSecretOutputs.includes(name));
  return {
    ...(secret.length > 0 ? { __secretOutputs: secret } : {}),
    ...(deleteBeforeReplace === undefined ? {} : { __deleteBeforeReplace: deleteBeforeReplace }),
    ...(replaceOnChanges?.length ? { __replaceOnChanges: replaceOnChanges } : {}),
  };
}

const undeclared = Object.fromEntries([...inputNames, ...outputNames].map((name) => [name, undefined]));

/** The properties to register. A resource has an output only if its constructor names it, with or without a value. */
export function toProperties(args: ClusterArgs): pulumi.Inputs {
  const env = args.plainEnv === true ? args.env : secretMap(args.env);
  return { ...undeclared, ...args, env, readinessProbe: withSecretParts(args.readinessProbe) };
}

/** Marks each value as a secret, so that a diff can name the keys. A map that is an output is one secret as a whole. */
function secretMap(map: ClusterArgs["env"]): pulumi.Input<unknown> {
  if (map === undefined) return undefined;
  if (isLate(map)) return pulumi.secret(map);
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, pulumi.secret(value)]));
}

/** Marks the headers and the body of a probe as secrets. A probe that is an output is one secret as a whole. */
function withSecretParts(probe: ClusterArgs["readinessProbe"]): pulumi.Input<unknown> {
  if (probe === undefined) return undefined;
  if (isLate(probe)) return pulumi.secret(probe);
  const { headers, body, ...rest } = probe;
  return {
    ...rest,
    ...(headers === undefined ? {} : { headers: secretMap(headers) }),
    ...(body === undefined ? {} : { body: pulumi.secret(body) }),
  };
}

/** Whether a value is known only later. */
function isLate<Value>(value: pulumi.Input<Value>): value is pulumi.OutputInstance<Value> | Promise<Value> {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}
