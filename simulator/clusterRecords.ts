import type { Dialect, PerValue } from "./dialectOptions";
import { withSnakeCase } from "./fields";
import type { Service } from "./fleet";
import type { SimulatedCluster } from "./snapshot";

/** Renders the answers about clusters in one variant. */
export interface RecordRenderer {
  /** The whole answer to a creation. */
  created(cluster: SimulatedCluster): unknown;
  /** The record in a list. */
  listed(cluster: SimulatedCluster): object;
  /** The answer to a read by id. */
  detail(cluster: SimulatedCluster): unknown;
  /** The answer to a change; for a scale, `before` is the number of replicas before the change. */
  changed(cluster: SimulatedCluster, before?: number): unknown;
}

/** Wraps the record of a single cluster. */
export const wrapRecord: PerValue<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
  data: (record) => ({ data: record }),
};

/** The records of the specification. */
export function specificationRecords({ dialect }: Service): RecordRenderer {
  const wrap = wrapRecord[dialect.recordShape];
  return {
    // In every dialect exactly the specification's fields, and its status.
    created: (cluster) => ({ ...recordOf(cluster), status: "provisioning" }),
    listed: recordOf,
    detail: (cluster) =>
      wrap({ ...recordOf(cluster), ...configurationOf(cluster, dialect), ...withSnakeCase(cluster.extras) }),
    changed: (cluster) => wrap(recordOf(cluster)),
  };
}

function recordOf(cluster: SimulatedCluster) {
  const { id, name, gpuType, replicas, endpoint, createdAt } = cluster;
  return { id, name, status: reportedStatus(cluster), gpu_type: gpuType, replicas, endpoint, created_at: createdAt };
}

/** The container and env of a cluster as the dialect shows them. */
export function configurationOf(
  cluster: SimulatedCluster,
  dialect: Dialect,
): { container?: string; env?: Record<string, string> } {
  return { ...containerEchoes[dialect.containerEcho](cluster.container), ...envOf(cluster, dialect) };
}

const containerEchoes: PerValue<"containerEcho", (container: string) => { container?: string }> = {
  same: (container) => ({ container }),
  none: () => ({}),
  registry: (container) => ({ container: hasRegistry(container) ? container : `docker.io/${container}` }),
};

function envOf(cluster: SimulatedCluster, { envEcho, injectedEnv }: Dialect): { env?: Record<string, string> } {
  const entries = Object.entries({ ...cluster.env, ...injectedEnv });
  const render = envEchoes[envEcho];
  return render ? { env: Object.fromEntries(entries.map(([name, value]) => [name, render(value)])) } : {};
}

const envEchoes: PerValue<"envEcho", ((value: string) => string) | undefined> = {
  same: (value) => value,
  none: undefined,
  masked: () => "********",
};

/** Whether an image reference names a registry: a dot or a port before the first slash, or `localhost`. */
function hasRegistry(container: string): boolean {
  return /^([^/]*[.:][^/]*|localhost)\//.test(container);
}

/** Answer of `GET /v1/clusters/:id/status`. */
export function clusterStatus(cluster: SimulatedCluster, dialect: Dialect): object {
  const { id, message, replicaStates } = cluster;
  const replicas = replicasShapes[dialect.replicasShape](replicaStates);
  return { cluster_id: id, status: reportedStatus(cluster), message, replicas };
}

const replicasShapes: PerValue<"replicasShape", (replicas: SimulatedCluster["replicaStates"]) => unknown> = {
  list: (replicas) => replicas,
  counts: (replicas) => ({ total: replicas.length, healthy: replicas.filter(({ healthy }) => healthy).length }),
};

/** The status in answers. A tombstone is `terminated`. */
function reportedStatus({ status }: SimulatedCluster): string {
  return status === "gone" ? "terminated" : status;
}
