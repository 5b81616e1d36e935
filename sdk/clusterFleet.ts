import * as pulumi from "@pulumi/pulumi";
import { membersOf, problemOfFleet, sumOfCosts, wavesOf } from "../provider/fleet";
import { Cluster, type ClusterArgs } from "./cluster";
import type { ClusterFleetArgs } from "./fleetArgs";
import { FleetReadiness, UnawaitedCluster } from "./fleetReadiness";
import { isOfType } from "./pulumiType";

export type { ClusterFleetArgs, CountedFleetArgs, KeyedFleetArgs } from "./fleetArgs";

/** Options about a cluster, which Pulumi applies to the component only and does not pass on to its children. */
const passedOn = ["customTimeouts", "ignoreChanges", "replaceOnChanges"] as const;

/**
 * Several clusters as one resource of the program.
 *
 * ```ts
 * const fleet = new gpu.ClusterFleet("worker", { count: 20, cluster: { gpuType: "l4", container: "acme/worker:1" } });
 * export const endpoints = fleet.endpoints;
 * ```
 * Pulumi waits for 4 clusters for each CPU at a time; with `--parallel 128`, for up to 128; with `await: "together"`, for all.
 */
export class ClusterFleet extends pulumi.ComponentResource {
  /** Type of these resources in the engine. Policies that select resources by class use it. */
  static readonly __pulumiType: string = "gpucluster:index:ClusterFleet";

  /** Whether a value is a fleet, also if another copy of this package made it. */
  static override isInstance(value: unknown): value is ClusterFleet {
    return isOfType(value, ClusterFleet.__pulumiType);
  }

  /** The clusters, by their keys: those of `clusters`, or `"0"`, `"1"` and so on. */
  readonly clusters: Readonly<Record<string, Cluster>>;
  /** URL of each cluster's endpoint, by the same keys. */
  readonly endpoints: pulumi.Output<Record<string, string>>;
  /** Price of all clusters for one hour; `undefined` if the price of any cluster is unknown. */
  readonly hourlyCost: pulumi.Output<number | undefined>;

  /**
   * @param name Name of the fleet in the program, and the beginning of the names of its clusters.
   * @param args The clusters.
   * @param opts Pulumi's resource options. `customTimeouts`, `ignoreChanges` and `replaceOnChanges` apply to each cluster.
   */
  constructor(name: string, args: ClusterFleetArgs, opts?: pulumi.ComponentResourceOptions) {
    const members = checkedMembers(name, args);
    super(ClusterFleet.__pulumiType, name, {}, opts);
    const options = { ...Object.fromEntries(passedOn.map((option) => [option, opts?.[option]])), parent: this };
    const declare = args.await === "together" ? declareTogether : declareEach;
    const clusters: [string, Cluster][] = [];
    // Clusters and waits, never a component: a dependency on that would wait for all of its children.
    let dependsOn: readonly pulumi.Resource[] = [];
    for (const [index, wave] of wavesOf(members, args.waves).entries()) {
      const declared = declare({
        name,
        number: index + 1,
        members: wave,
        options: { ...options, dependsOn: [...dependsOn] },
      });
      clusters.push(...declared.clusters);
      ({ dependsOn } = declared);
    }
    this.clusters = Object.fromEntries(clusters);
    this.endpoints = pulumi.all(Object.fromEntries(clusters.map(([key, { endpoint }]) => [key, endpoint])));
    this.hourlyCost = pulumi.all(clusters.map(([, { hourlyCost }]) => hourlyCost)).apply(sumOfCosts);
    this.registerOutputs({ endpoints: this.endpoints, hourlyCost: this.hourlyCost });
  }
}

interface Wave {
  readonly name: string;
  readonly number: number;
  readonly members: readonly [string, ClusterArgs][];
  readonly options: pulumi.CustomResourceOptions;
}

/** The clusters of a wave, and the resources that the next one depends on. */
interface Declared {
  readonly clusters: readonly [string, Cluster][];
  readonly dependsOn: readonly pulumi.Resource[];
}

function declareEach({ name, members, options }: Wave): Declared {
  const clusters = members.map(([key, args]): [string, Cluster] => [key, new Cluster(`${name}-${key}`, args, options)]);
  return { clusters, dependsOn: clusters.map(([, cluster]) => cluster) };
}

function declareTogether({ name, number, members, options }: Wave): Declared {
  const clusters = members.map(([key, args]): [string, UnawaitedCluster] => [
    key,
    new UnawaitedCluster(`${name}-${key}`, args, options),
  ]);
  const { parent, customTimeouts } = options;
  const ready = new FleetReadiness(`${name}-wave-${number}`, clusters, { parent, customTimeouts });
  for (const [, cluster] of clusters) cluster.holdUntil(ready);
  return { clusters, dependsOn: [ready] };
}

/** The clusters of a fleet with their keys. */
function checkedMembers(name: string, args: ClusterFleetArgs): [string, ClusterArgs][] {
  const problem = problemOfFleet(args);
  if (problem !== undefined) throw new pulumi.RunError(`ClusterFleet "${name}": ${problem}`);
  return membersOf<ClusterArgs>(args);
}
