import * as pulumi from "@pulumi/pulumi";
import type { ClusterOutputs } from "../../provider/cluster/fields";
import { type ClusterArgs, hiddenProperties, toProperties } from "../clusterArgs";
import { isOfType } from "../pulumiType";
import { warnOfPlainKeys } from "../stackConfig";
import type { Outputs } from "../types";
import { withVersion } from "./options";

// The interface gives the class its outputs by type, from the one source of the fields; the constructor declares them all.
export interface Cluster extends Outputs<ClusterOutputs> {}

/**
 * A GPU cluster: replicas of one container, each on a GPU of one type, served at one endpoint.
 *
 * The same cluster as `Cluster` of `pulumi-gpucluster`, with the same arguments and outputs, through the plugin of this package.
 * It can be imported, takes a `provider`, and shows in a preview exactly what changes.
 *
 * ```ts
 * const web = new native.Cluster("web", { gpuType: "h100", replicas: 2, container: "vllm/vllm-openai:v0.6.3" });
 * export const endpoint = web.endpoint;
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see the interface
export class Cluster extends pulumi.CustomResource {
  /** The type of these resources in the engine; policies by class go by it. */
  static readonly __pulumiType: string = "gpucluster:index:Cluster";

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
    warnOfPlainKeys();
    super(Cluster.__pulumiType, name, { ...toProperties(args), ...hiddenProperties(opts) }, withVersion(opts));
  }

  /**
   * Reads a cluster that exists without managing it: nothing of it is ever changed or deleted.
   *
   * ```ts
   * const web = native.Cluster.get("web", "cl_1a2b3c");
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
