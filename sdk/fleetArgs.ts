import type { Waves } from "../provider/fleet";
import type { ClusterArgs } from "./clusterArgs";

/** How the clusters of a fleet change. */
interface FleetBehaviour {
  /**
   * How far a change goes before it goes on: numbers of clusters, or shares of all of them, rounded up; each entry counts the
   * waves before it too. `[1, "25%", "100%"]` changes one cluster, then a quarter of all, then the rest. A wave begins when all
   * clusters of the wave before it are ready; if one of them fails, it does not begin. Creations happen in the same order, and
   * deletions in the opposite one. Keys that are whole numbers come first, by their value. The others are in their order in
   * the program; a native fleet takes them in alphabetical order. Default: all clusters at once.
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
