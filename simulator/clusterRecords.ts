import { wireIds } from "./catalog";
import type { ClusterStatus } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { snakeCased } from "./fields";
import type { SimulatedCluster } from "./life";

/** The record of a new cluster: in every dialect exactly the specification's fields, and its status word. */
export function createdRecord(cluster: SimulatedCluster, dialect: Dialect): object {
  return { ...specified(cluster, dialect), status: "provisioning" };
}

/** The record of a cluster in lists. */
export function clusterRecord(cluster: SimulatedCluster, dialect: Dialect): object {
  return { ...specified(cluster, dialect), status: clusterWord(cluster.status) };
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
export function configurationOf(
  cluster: SimulatedCluster,
  dialect: Dialect,
): { container?: string; env?: Record<string, string> } {
  return { ...containerEchoes[dialect.containerEcho](cluster.container), ...envOf(cluster, dialect) };
}

function specified({ id, name, status, gpuType, replicas, endpoint, createdAt }: SimulatedCluster, { form }: Dialect) {
  return { id, name, status, gpu_type: wireIds[form](gpuType), replicas, endpoint, created_at: createdAt };
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
export function clusterStatus({ id, status, message, replicaStates }: SimulatedCluster, dialect: Dialect): object {
  const records = replicaStates.map((replica) => ({
    ...replica,
    id: wireIds[dialect.form](replica.id),
  }));
  const replicas = replicasForms[dialect.replicasForm](records);
  return { cluster_id: id, status: clusterWord(status), message, replicas };
}

const replicasForms: PerValue<"replicasForm", (replicas: { healthy: boolean }[]) => unknown> = {
  list: (replicas) => replicas,
  counts: (replicas) => ({ total: replicas.length, healthy: replicas.filter(({ healthy }) => healthy).length }),
};

/** The word for a cluster's status. A gone cluster with a tombstone is `terminated`. */
export function clusterWord(status: ClusterStatus): string {
  return status === "gone" ? "terminated" : status;
}
