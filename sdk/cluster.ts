import * as pulumi from "@pulumi/pulumi";
import { type ClusterInputs, type ClusterOutputs, outputNames } from "../provider/cluster/fields";
import type { Inputs, Outputs } from "./types";

/** What to run, on what, and how many times. */
export interface ClusterArgs extends Inputs<ClusterInputs> {}

/**
 * The whole text that a state holds of this package's code: it loads whatever version is installed. The same bytes for
 * ever, on every machine, so that no upgrade shows as a change.
 */
const providerText = 'exports.handler=()=>require("pulumi-gpucluster/provider")';

/**
 * The type that `pulumi.dynamic.Resource` would give it, so that the engine runs it as one. That class itself would turn a
 * provider into text at each start, for which it loads a compiler: most of a second, to make a text that is known.
 */
const type = "pulumi-nodejs:dynamic/gpucluster:Cluster";

// The interface gives the class its outputs by type, from the one source of the fields; the constructor declares them all.
export interface Cluster extends Outputs<ClusterOutputs> {}

/**
 * A GPU cluster: replicas of one container, each on a GPU of one type, served at one endpoint.
 *
 * It is created exactly once, and ready when every replica is healthy. Replicas, container and env change in place; name
 * and GPU type replace it. A failure after the service has given an id keeps the cluster in the state, and the next
 * `pulumi up` goes on from there.
 *
 * ```ts
 * const web = new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "vllm/vllm-openai:v0.6.3" });
 * export const endpoint = web.endpoint;
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see the interface
export class Cluster extends pulumi.CustomResource {
  /**
   * @param name Name of the resource in the program; the cluster's own name is made from it where `args.name` is not given.
   * @param args What to run.
   * @param opts Pulumi's resource options. `customTimeouts` are honoured: 60 minutes for a creation, 20 for everything else.
   */
  constructor(name: string, args: ClusterArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      type,
      name,
      {
        ...Object.fromEntries(outputNames.map((output) => [output, undefined])),
        ...args,
        env: secretEnv(args.env),
        __urn: pulumi.createUrn(name, type, opts?.parent),
        __timeouts: opts?.customTimeouts,
        __provider: providerText,
      },
      opts,
    );
  }
}

/** Each value is a secret of its own, so that a diff can name the variables; an env made elsewhere is one as a whole. */
function secretEnv(env: ClusterArgs["env"]): pulumi.Input<Record<string, pulumi.Input<string>>> | undefined {
  if (env === undefined) return undefined;
  if (pulumi.Output.isInstance(env) || env instanceof Promise) return pulumi.secret(env);
  return Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, pulumi.secret(value)]));
}
