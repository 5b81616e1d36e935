import * as pulumi from "@pulumi/pulumi";
import type { ClusterOutputs } from "../../provider/cluster/fields";
import { type ClusterArgs, hiddenProperties, toProperties } from "../clusterArgs";
import { skipDebugTraces } from "../debugTraces";
import { isOfType } from "../pulumiType";
import { warnOfPlainKeys } from "../stackConfig";
import type { Outputs } from "../types";
import { withVersion } from "./options";

// The interface types the outputs of the class, from the single source of the fields; the constructor declares them all.
export interface Cluster extends Outputs<ClusterOutputs> {}

/**
 * A GPU cluster: replicas of one container, each on a GPU of one type, served at one endpoint.
 *
 * The same resource as `Cluster` of `pulumi-gpucluster`, with the same arguments and outputs, through this package's plugin.
 * It also supports `import` and the option `provider`, and a preview shows exactly what changes.
 *
 * ```ts
 * const web = new native.Cluster("web", { gpuType: "h100", replicas: 2, container: "vllm/vllm-openai:v0.6.3" });
 * export const endpoint = web.endpoint;
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see the interface
export class Cluster extends pulumi.CustomResource {
  /** Type of these resources in the engine. Policies that select resources by class use it. */
  static readonly __pulumiType: string = "gpucluster:index:Cluster";

  /** Whether a value is a cluster of this class, also if another copy of this package made it. */
  static override isInstance(value: unknown): value is Cluster {
    return isOfType(value, Cluster.__pulumiType);
  }

  /**
   * @param name Name of the resource in the program. Without `args.name`, the provider derives the cluster's name from it.
   * @param args What to run.
   * @param opts Pulumi's resource options. `customTimeouts` defaults to 60 minutes for a creation, 20 for everything else.
   */
  constructor(name: string, args: ClusterArgs, opts?: pulumi.CustomResourceOptions) {
    warnOfPlainKeys();
    skipDebugTraces();
    super(Cluster.__pulumiType, name, { ...toProperties(args), ...hiddenProperties(opts) }, withVersion(opts));
  }

  /**
   * Reads an existing cluster without managing it: Pulumi never changes or deletes this cluster.
   *
   * ```ts
   * const web = native.Cluster.get("web", "cl_1a2b3c");
   * ```
   * @param name Name of the resource in the program.
   * @param id The service's id, of the form `cl_<suffix>`. An id that the API key cannot see is an error.
   * @param state Which service and organization to read from: `connection`, as in `ClusterArgs`.
   * @param opts Pulumi's resource options.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    { connection }: Pick<ClusterArgs, "connection"> = {},
    opts?: pulumi.CustomResourceOptions,
  ): Cluster {
    // The provider reads all other fields from the service.
    return new Cluster(name, { connection } as ClusterArgs, { ...opts, id });
  }
}
