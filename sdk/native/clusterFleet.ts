import * as pulumi from "@pulumi/pulumi";
import { toProperties } from "../clusterArgs";
import type { ClusterFleetArgs } from "../fleetArgs";
import { isOfType } from "../pulumiType";
import { warnOfPlainKeys } from "../stackConfig";
import { withVersion } from "./options";

/**
 * Several clusters as one resource of the program.
 *
 * The same as `ClusterFleet` of `pulumi-gpucluster`, with native clusters, which this package's plugin declares. The clusters
 * themselves are no objects of the program.
 *
 * ```ts
 * const fleet = new native.ClusterFleet("worker", { count: 20, cluster: { gpuType: "l4", container: "acme/worker:1" } });
 * export const endpoints = fleet.endpoints;
 * ```
 */
export class ClusterFleet extends pulumi.ComponentResource {
  /** Type of these resources in the engine. Policies that select resources by class use it. */
  static readonly __pulumiType: string = "gpucluster:index:ClusterFleet";

  /** Whether a value is a fleet, also if another copy of this package made it. */
  static override isInstance(value: unknown): value is ClusterFleet {
    return isOfType(value, ClusterFleet.__pulumiType);
  }

  /** URL of each cluster's endpoint, by the same keys. */
  readonly endpoints!: pulumi.Output<Record<string, string>>;
  /** Price of all clusters for one hour; `undefined` if the price of any cluster is unknown. */
  readonly hourlyCost!: pulumi.Output<number | undefined>;

  /**
   * @param name Name of the fleet in the program, and the beginning of the names of its clusters.
   * @param args The clusters.
   * @param opts Pulumi's resource options. `customTimeouts`, `ignoreChanges` and `replaceOnChanges` apply to each cluster.
   */
  constructor(name: string, args: ClusterFleetArgs, opts?: pulumi.ComponentResourceOptions) {
    warnOfPlainKeys();
    const { cluster, clusters = {} } = args;
    const members = Object.entries(clusters).map(([key, member]) => [key, toProperties(member)]);
    const inputs = {
      ...args,
      cluster: cluster && toProperties(cluster),
      clusters: args.clusters && Object.fromEntries(members),
    };
    // A resource has an output only if its constructor names it.
    super(
      ClusterFleet.__pulumiType,
      name,
      { ...inputs, endpoints: undefined, hourlyCost: undefined },
      withVersion(opts),
      true,
    );
  }
}
