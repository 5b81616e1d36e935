import { wireIds } from "./catalog";
import type { ClusterStatus } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { snakeCased } from "./fields";
import type { SimulatedCluster, SimulatedReplica } from "./life";

/** The record of a new cluster: in every dialect exactly the specification's fields, and its status word. */
export function createdRecord(cluster: SimulatedCluster, dialect: Dialect): object {
  return { ...specified(cluster, dialect), status: "provisioning" };
}

/** The record of a cluster in lists. */
export function clusterRecord(cluster: SimulatedCluster, dialect: Dialect): object {
  return habits[dialect.recordNames]({
    ...specified(cluster, dialect),
    status: clusterWord(cluster.status, dialect),
    created_at: stamps[dialect.stampShape](Date.parse(cluster.createdAt)),
  });
}

/** Answer of `GET /v1/clusters/:id`, before its wrapping. */
export function clusterDetail(cluster: SimulatedCluster, dialect: Dialect): object {
  return {
    ...clusterRecord(cluster, dialect),
    ...configurationOf(cluster, dialect),
    ...snakeCased(cluster.extras),
  };
}

/** The container and env of a cluster in the dialect's form, if the dialect shows them. */
export function configurationOf(cluster: SimulatedCluster, dialect: Dialect): { container?: string; env?: unknown } {
  return { ...containerEchoes[dialect.containerEcho](cluster.container), ...envOf(cluster, dialect) };
}

function specified(cluster: SimulatedCluster, { ids }: Dialect) {
  const { id, name, status, replicas, endpoint } = cluster;
  return {
    id,
    name,
    status,
    gpu_type: wireIds[ids](cluster.gpuType),
    replicas,
    endpoint,
    created_at: cluster.createdAt,
  };
}

type Fields = Record<keyof ReturnType<typeof specified>, string | number>;

const habits: PerValue<"recordNames", (fields: Fields) => object> = {
  snake: (fields) => fields,
  camel: ({ gpu_type: gpuType, created_at: createdAt, ...others }) => ({
    ...others,
    gpuType,
    createdAt,
    replicas: String(others.replicas),
    endpoint: `${others.endpoint}/`,
    region: null,
    labels: {},
  }),
};

const zoneHours = 2;

/** A time in the form of cluster records. */
export const stamps: PerValue<"stampShape", (ms: number) => string | number> = {
  iso: (ms) => new Date(ms).toISOString(),
  offset: (ms) => `${new Date(ms + zoneHours * 3_600_000).toISOString().slice(0, 19)}+0${zoneHours}:00`,
  "epoch-seconds": (ms) => Math.floor(ms / 1000),
};

const containerEchoes: PerValue<"containerEcho", (container: string) => { container?: string }> = {
  same: (container) => ({ container }),
  none: () => ({}),
  registry: (container) => ({ container: hasHost(container) ? container : `docker.io/${container}` }),
};

/** An observed variable: with its value, or without one. */
type Variable = readonly [name: string, value?: string];

function envOf(cluster: SimulatedCluster, { envEcho, envHidden, envForm, injectedEnv }: Dialect): { env?: unknown } {
  const env = { ...cluster.env, ...injectedEnv };
  const shown = envEchoes[envEcho](envHidden);
  return shown ? { env: envForms[envForm](Object.entries(env).map(shown)) } : {};
}

type Echo = (variable: [string, string]) => Variable;

const envEchoes: PerValue<"envEcho", (hidden: Dialect["envHidden"]) => Echo | undefined> = {
  same: () => (variable) => variable,
  none: () => undefined,
  hidden: (hidden) => hiddenEchoes[hidden],
};

const hiddenEchoes: PerValue<"envHidden", Echo> = {
  masked: ([name]) => [name, "********"],
  names: ([name]) => [name],
};

const envForms: PerValue<"envForm", (variables: Variable[]) => unknown> = {
  map: (variables) => {
    const isNames = variables.some(([, value]) => value === undefined);
    return isNames ? variables.map(([name]) => name) : Object.fromEntries(variables);
  },
  pairs: (variables) => variables.map(([name, value]) => ({ name, value })),
};

/** Whether an image reference names a host: a dot or a port before the first slash. An image alone has no host. */
function hasHost(container: string): boolean {
  return /^([^/]*[.:][^/]*|localhost)\//.test(container);
}

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
