import * as pulumi from "@pulumi/pulumi";
import { roundCost } from "../provider/cluster/money";
import { Cluster, type ClusterArgs } from "./cluster";
import { isOfType } from "./pulumiType";

/** So many clusters that are all the same; they are named `<name>-0`, `<name>-1` and so on. */
export interface CountedFleetArgs {
  /** How many clusters, 1 to 500. A plain number: it decides how many resources there are. */
  readonly count: number;
  /** What each of them is. Neither a name nor an id can belong to several. */
  readonly cluster: Omit<ClusterArgs, "name" | "adopt">;
  readonly clusters?: undefined;
}

/** Clusters that differ; they are named `<name>-<key>`. Removing a key destroys that one cluster. */
export interface KeyedFleetArgs {
  /** What each cluster is, by its key. */
  readonly clusters: Readonly<Record<string, ClusterArgs>>;
  readonly count?: undefined;
  readonly cluster?: undefined;
}

/** Which clusters a fleet is made of: either `count` and `cluster`, or `clusters`. */
export type ClusterFleetArgs = CountedFleetArgs | KeyedFleetArgs;

const largestCount = 500;

/** Options that say something about a cluster, and that Pulumi keeps for the component itself. */
const handedOn = ["customTimeouts", "ignoreChanges", "replaceOnChanges"] as const;

/**
 * Several clusters as one resource of the program.
 *
 * ```ts
 * const fleet = new gpu.ClusterFleet("worker", { count: 20, cluster: { gpuType: "l4", container: "acme/worker:1" } });
 * export const endpoints = fleet.endpoints;
 * ```
 * Pulumi waits for 4 clusters for each CPU at a time; `--parallel 128` waits for them all.
 */
export class ClusterFleet extends pulumi.ComponentResource {
  /** The type of these resources in the engine; policies by class go by it. */
  static readonly __pulumiType: string = "gpucluster:index:ClusterFleet";

  /** Whether a value is a fleet, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ClusterFleet {
    return isOfType(value, ClusterFleet.__pulumiType);
  }

  /** The clusters, by their keys: those of `clusters`, or `"0"`, `"1"` and so on. */
  readonly clusters: Readonly<Record<string, Cluster>>;
  /** URLs at which the clusters are served, by the same keys. */
  readonly endpoints: pulumi.Output<Record<string, string>>;
  /** Price of all clusters for one hour; `undefined` where that of one is not known. */
  readonly hourlyCost: pulumi.Output<number | undefined>;

  /**
   * @param name Name of the fleet in the program, and the beginning of the names of its clusters.
   * @param args Which clusters.
   * @param opts Pulumi's resource options. `customTimeouts`, `ignoreChanges` and `replaceOnChanges` are those of each cluster.
   */
  constructor(name: string, args: ClusterFleetArgs, opts?: pulumi.ComponentResourceOptions) {
    const members = membersOf(name, args);
    super(ClusterFleet.__pulumiType, name, {}, opts);
    const options = { ...Object.fromEntries(handedOn.map((option) => [option, opts?.[option]])), parent: this };
    const clusters = members.map(([key, member]) => [key, new Cluster(`${name}-${key}`, member, options)] as const);
    this.clusters = Object.fromEntries(clusters);
    this.endpoints = pulumi.all(Object.fromEntries(clusters.map(([key, { endpoint }]) => [key, endpoint])));
    this.hourlyCost = pulumi.all(clusters.map(([, { hourlyCost }]) => hourlyCost)).apply(sumOf);
    this.registerOutputs({ endpoints: this.endpoints, hourlyCost: this.hourlyCost });
  }
}

/** The clusters of a fleet with their keys. Programs in JavaScript have no compiler that holds them to one form. */
function membersOf(name: string, { count, cluster, clusters }: ClusterFleetArgs): [string, ClusterArgs][] {
  const isCounted = count !== undefined || cluster !== undefined;
  if (isCounted === (clusters !== undefined)) {
    const found = isCounted ? "both are" : "neither is";
    throw refusal(name, `give either \`count\` and \`cluster\`, or \`clusters\`; ${found} there`);
  }
  if (clusters !== undefined) return Object.entries(clusters);
  if (cluster === undefined) throw refusal(name, "`cluster` is required beside `count`: it says what each of them is");
  if (!Number.isInteger(count) || count < 1 || count > largestCount) {
    const got = typeof count === "number" ? `, got ${count}` : ", known when the program runs";
    throw refusal(name, `\`count\` must be a whole number from 1 to ${largestCount}${got}`);
  }
  return Array.from({ length: count }, (_, index) => [String(index), cluster]);
}

function refusal(name: string, text: string): pulumi.RunError {
  return new pulumi.RunError(`ClusterFleet "${name}": ${text}`);
}

/** A part that is not known makes the sum unknown: less than it costs would be wrong. */
function sumOf(costs: readonly (number | undefined)[]): number | undefined {
  return costs.reduce<number | undefined>(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : roundCost(sum + cost)),
    0,
  );
}
