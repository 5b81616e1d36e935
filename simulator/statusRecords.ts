import { wireIds } from "./catalog";
import type { ClusterStatus } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import type { SimulatedReplica } from "./life";
import type { SimulatedCluster } from "./snapshot";
import { clusterWord, replicaWord } from "./statusWords";

/** Answer of `GET /v1/clusters/:id/status`. */
export function clusterStatus(cluster: SimulatedCluster, dialect: Dialect): unknown {
  const { id, message } = cluster;
  const status = clusterWord(cluster.status, dialect);
  const listed = cluster.replicaStates
    .filter(listing[dialect.replicasListed])
    .filter(() => stoppedListing[dialect.stoppedReplicas](cluster.status));
  const records = listed.map((replica) => {
    const { id: replicaId, ...facts } = replica;
    return {
      id: wireIds[dialect.ids](replicaId),
      ...healthFacts[dialect.replicaHealth](facts, replicaWord(replica.status, dialect), dialect),
    };
  });
  const healthy = listed.filter((replica) => replica.healthy).length;
  const replicas = replicasForms[dialect.replicasForm](records, healthy);
  return shapes[dialect.statusShape]({ id, status, message, replicas });
}

interface StatusFacts {
  id: string;
  status: string;
  message: string | undefined;
  replicas: unknown;
}

const shapes: PerValue<"statusShape", (facts: StatusFacts) => unknown> = {
  record: ({ id, status, message, replicas }) => ({ cluster_id: id, status, message, replicas }),
  bare: ({ replicas }) => replicas,
};

const replicasForms: PerValue<"replicasForm", (records: { id: string }[], healthy: number) => unknown> = {
  list: (records) => records,
  "by-id": (records) => Object.fromEntries(records.map(({ id, ...facts }) => [id, facts])),
  counts: (records, healthy) => ({ total: records.length, healthy }),
};

const listing: PerValue<"replicasListed", (replica: SimulatedReplica) => boolean> = {
  always: () => true,
  "once-scheduled": ({ status }) => status !== "pending",
};

const stoppedListing: PerValue<"stoppedReplicas", (cluster: ClusterStatus) => boolean> = {
  listed: () => true,
  none: (cluster) => cluster !== "stopped",
};

type ReplicaFacts = Omit<SimulatedReplica, "id">;

const healthFacts: PerValue<"replicaHealth", (replica: ReplicaFacts, word: string, dialect: Dialect) => object> = {
  flag: (facts, word, { replicaFlag }) => flagFacts[replicaFlag](facts, word),
  word: ({ healthy: _healthy, ...facts }, word) => ({ ...facts, status: word }),
  text: ({ healthy: _healthy, status, ...facts }, word) => {
    return { ...facts, health: healthWords[status], state: word };
  },
};

const flagFacts: PerValue<"replicaFlag", (replica: ReplicaFacts, word: string) => object> = {
  healthy: (facts, word) => ({ ...facts, status: word }),
  ready: ({ healthy, status: _status, ...facts }, word) => ({ ...facts, ready: healthy, phase: word }),
};

/** Health words by status. A replica that is not supposed to answer is neither healthy nor unhealthy. */
const healthWords: Readonly<Record<SimulatedReplica["status"], "healthy" | "unhealthy" | "unknown">> = {
  pending: "unknown",
  starting: "unknown",
  healthy: "healthy",
  unhealthy: "unhealthy",
  failed: "unhealthy",
  stopping: "unknown",
  stopped: "unknown",
};
