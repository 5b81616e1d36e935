import * as pulumi from "@pulumi/pulumi";
import type { ClusterOutputs } from "../provider/cluster/fields";
import { type ClusterArgs, hiddenProperties, toProperties } from "./clusterArgs";
import { isOfType } from "./pulumiType";
import { warnOfPlainKeys } from "./stackConfig";
import type { Outputs } from "./types";

export type { ClusterArgs } from "./clusterArgs";

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
 * It is created exactly once, and ready when every replica is healthy. Replicas, container, env and the desired status change
 * in place; name and GPU type replace it. A failure after the service has given an id keeps the cluster in the state, and the next
 * `pulumi up` goes on from there.
 *
 * ```ts
 * const web = new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "vllm/vllm-openai:v0.6.3" });
 * export const endpoint = web.endpoint;
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see the interface
export class Cluster extends pulumi.CustomResource {
  /** The type of these resources in the engine; policies by class go by it. */
  static readonly __pulumiType: string = type;

  /** Whether a value is a cluster of this class, also one of another copy of this package. */
  static override isInstance(value: unknown): value is Cluster {
    return isOfType(value, Cluster.__pulumiType);
  }

  /**
   * @param name Name of the resource in the program; the cluster's own name is made from it where `args.name` is not given.
   * @param args What to run.
   * @param opts Pulumi's resource options. `customTimeouts` are honoured: 60 minutes for a creation, 20 for everything else.
   */
  constructor(name: string, args: ClusterArgs, opts?: pulumi.CustomResourceOptions) {
    refuseImport(name, opts);
    warnOfPlainKeys();
    super(
      type,
      name,
      {
        ...toProperties(args),
        ...hiddenProperties(opts),
        __urn: urnOf(name, opts?.parent),
        __timeouts: opts?.customTimeouts,
        __provider: providerText,
      },
      opts,
    );
  }

  /**
   * Reads a cluster that exists without managing it: nothing of it is ever changed or deleted.
   *
   * ```ts
   * const web = gpu.Cluster.get("web", "cl_1a2b3c");
   * ```
   * @param name Name of the resource in the program.
   * @param id The service's id, of the form `cl_<suffix>`; one that the key does not see is an error.
   * @param state Where to look: `connection`, as in `ClusterArgs`.
   * @param opts Pulumi's resource options.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    { connection }: Pick<ClusterArgs, "connection"> = {},
    opts?: pulumi.CustomResourceOptions,
  ): Cluster {
    // What a cluster is made of is read, so none of it is given.
    return new Cluster(name, { connection } as ClusterArgs, { ...opts, id });
  }
}

/**
 * The URN that the engine is going to give it. A promise, for an output would make the cluster depend on its parent; and to
 * depend on a component is to wait for all its children: two clusters of one component would wait for each other.
 */
function urnOf(name: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply(resolve));
}

/** The engine cannot import what a program's own process provides; its message for that helps nobody. */
function refuseImport(name: string, opts: pulumi.CustomResourceOptions | undefined): void {
  if (opts?.import === undefined) return;
  const id = typeof opts.import === "string" ? opts.import : "cl_...";
  throw new pulumi.RunError(
    `Cluster "${name}": the option \`import\` does not work with this resource. Give it the input \`adopt: "${id}"\` instead: it ` +
      "takes the cluster over in place of creating one",
  );
}
