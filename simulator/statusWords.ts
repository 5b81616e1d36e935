import type { ClusterStatus } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import type { SimulatedReplica } from "./life";

const styles: PerValue<"statusWords", (word: string, of: "CLUSTER" | "REPLICA") => string> = {
  plain: (word) => word,
  "upper-prefixed": (word, of) => `${of}_STATUS_${word.toUpperCase()}`,
  title: (word) => titles[word] ?? word.charAt(0).toUpperCase() + word.slice(1),
};

// Services with capitalized words mostly run on a container platform, which uses these words for replicas.
const titles: Readonly<Record<string, string>> = { healthy: "Ready", unhealthy: "Not Ready" };

/** The word for a cluster's status. A gone cluster with a tombstone is `terminated`. */
export function clusterWord(status: ClusterStatus, dialect: Dialect): string {
  const others: Partial<Record<ClusterStatus, string>> = { gone: "terminated", stopped: dialect.stoppedWord };
  return styles[dialect.statusWords](others[status] ?? status, "CLUSTER");
}

/** The word for a replica's status. */
export function replicaWord(status: SimulatedReplica["status"], dialect: Dialect): string {
  return styles[dialect.statusWords](status, "REPLICA");
}
