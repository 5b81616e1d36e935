import * as pulumi from "@pulumi/pulumi";
import { membersOf, problemOfFleet, sumOfCosts, type Waves, wavesOf } from "../provider/fleet";
import { Cluster, type ClusterArgs } from "./cluster";
import { FleetReadiness, UnawaitedCluster } from "./fleetReadiness";
import { isOfType } from "./pulumiType";

/** How the clusters of a fleet change. */
interface FleetBehaviour {
  /**
   * How far a change goes before it goes on: numbers of clusters, or shares of all of them, rounded up; each entry counts the
   * waves before it too. `[1, "25%", "100%"]` changes one cluster, then a quarter of all, then the rest. A wave begins when all
   * clusters of the wave before it are ready; if one of them fails, it does not begin. Creations happen in the same order, and
   * deletions in the opposite one. Keys are in their order in the program. Default: all clusters at once.
   */
  readonly waves?: Waves;
  /**
   * `"each"`: each cluster waits by itself until it is ready, and takes one of Pulumi's parallel operations for so long.
   * `"together"`: one operation waits for all of them, so that a fleet needs no `--parallel`. The outputs of the fleet and of
   * its clusters then come when the whole wave is ready. Default `"each"`.
   */
  readonly await?: "each" | "together";
}

/** A number of equal clusters, named `<name>-0`, `<name>-1` and so on. */
export interface CountedFleetArgs extends FleetBehaviour {
  /** Number of clusters, 0 to 500. A plain number, because it decides how many resources the program declares. */
  readonly count: number;
  /** Arguments of each cluster. Without `name` and `adopt`, which can belong to one cluster only. */
  readonly cluster: Omit<ClusterArgs, "name" | "adopt">;
  readonly clusters?: undefined;
}

/** Clusters that differ, named `<name>-<key>`. If you remove a key, Pulumi destroys that cluster only. */
export interface KeyedFleetArgs extends FleetBehaviour {
  /** Arguments of each cluster, by its key. */
  readonly clusters: Readonly<Record<string, ClusterArgs>>;
  readonly count?: undefined;
  readonly cluster?: undefined;
}

/** The clusters of a fleet: either `count` and `cluster`, or `clusters`. */
export type ClusterFleetArgs = CountedFleetArgs | KeyedFleetArgs;

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
