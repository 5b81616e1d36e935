import type { ClusterStatus } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import type { SimulatedReplica } from "./life";

const styles: PerValue<"statusWords", (word: string, of: "CLUSTER" | "REPLICA") => string> = {
  plain: (word) => word,
  "upper-prefixed": (word, of) => `${of}_STATUS_${word.toUpperCase()}`,
  title: (word) => titles[word] ?? word.charAt(0).toUpperCase() + word.slice(1),
};

// Services that write titles mostly come from a container platform, which calls replicas this.
const titles: Readonly<Record<string, string>> = { healthy: "Ready", unhealthy: "Not Ready" };

/** The word for a cluster's status. A gone cluster has one too: as long as it has a tombstone, it is `terminated`. */
export function clusterWord(status: ClusterStatus, dialect: Dialect): string {
  const others: Partial<Record<ClusterStatus, string>> = { gone: "terminated", stopped: dialect.stoppedWord };
  return styles[dialect.statusWords](others[status] ?? status, "CLUSTER");
}

/** The word for a replica's status. */
export function replicaWord(status: SimulatedReplica["status"], dialect: Dialect): string {
  return styles[dialect.statusWords](status, "REPLICA");
}
