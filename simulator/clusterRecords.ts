import type { Dialect, PerValue } from "./dialectOptions";
import { snakeCased } from "./fields";
import type { Service } from "./fleet";
import type { SimulatedCluster } from "./life";

/** The records of clusters in the answers of one kind of service. */
export interface RecordForm {
  /** The whole answer to a creation. */
  created(cluster: SimulatedCluster): unknown;
  /** The record in a list. */
  listed(cluster: SimulatedCluster): object;
  /** The answer to a read by id. */
  detail(cluster: SimulatedCluster): unknown;
  /** The answer to a change; for a scale, `before` is the number of replicas before the change. */
  changed(cluster: SimulatedCluster, before?: number): unknown;
}

/** The wrapping of a single cluster in an answer. */
export const oneCluster: PerValue<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
  data: (record) => ({ data: record }),
};

/** The records of the specification. */
export function specifiedRecords({ dialect }: Service): RecordForm {
  const around = oneCluster[dialect.recordShape];
  return {
    // In every dialect exactly the specification's fields, and its status word.
    created: (cluster) => ({ ...recordOf(cluster), status: "provisioning" }),
    listed: recordOf,
    detail: (cluster) =>
      around({ ...recordOf(cluster), ...configurationOf(cluster, dialect), ...snakeCased(cluster.extras) }),
    changed: (cluster) => around(recordOf(cluster)),
  };
}

function recordOf(cluster: SimulatedCluster) {
  const { id, name, gpuType, replicas, endpoint, createdAt } = cluster;
  return { id, name, status: wordOf(cluster), gpu_type: gpuType, replicas, endpoint, created_at: createdAt };
}

/** The container and env of a cluster in the dialect's form, if the dialect shows them. */
export function configurationOf(
  cluster: SimulatedCluster,
  dialect: Dialect,
): { container?: string; env?: Record<string, string> } {
  return { ...containerEchoes[dialect.containerEcho](cluster.container), ...envOf(cluster, dialect) };
}

const containerEchoes: PerValue<"containerEcho", (container: string) => { container?: string }> = {
  same: (container) => ({ container }),
  none: () => ({}),
  registry: (container) => ({ container: hasHost(container) ? container : `docker.io/${container}` }),
};

function envOf(cluster: SimulatedCluster, { envEcho, injectedEnv }: Dialect): { env?: Record<string, string> } {
  const entries = Object.entries({ ...cluster.env, ...injectedEnv });
  const shown = envEchoes[envEcho];
  return shown ? { env: Object.fromEntries(entries.map(([name, value]) => [name, shown(value)])) } : {};
}

const envEchoes: PerValue<"envEcho", ((value: string) => string) | undefined> = {
  same: (value) => value,
  none: undefined,
  masked: () => "********",
};

/** Whether an image reference names a host: a dot or a port before the first slash. An image alone has no host. */
function hasHost(container: string): boolean {
  return /^([^/]*[.:][^/]*|localhost)\//.test(container);
}

/** Answer of `GET /v1/clusters/:id/status`. */
export function clusterStatus(cluster: SimulatedCluster, dialect: Dialect): object {
  const { id, message, replicaStates } = cluster;
  const replicas = replicasForms[dialect.replicasForm](replicaStates);
  return { cluster_id: id, status: wordOf(cluster), message, replicas };
}

const replicasForms: PerValue<"replicasForm", (replicas: SimulatedCluster["replicaStates"]) => unknown> = {
  list: (replicas) => replicas,
  counts: (replicas) => ({ total: replicas.length, healthy: replicas.filter(({ healthy }) => healthy).length }),
};

/** The word for a cluster's status. A gone cluster with a tombstone is `terminated`. */
function wordOf({ status }: SimulatedCluster): string {
  return status === "gone" ? "terminated" : status;
}
