import type { Answer } from "./answer";
import type { SimulatedGpuType } from "./catalog";
import type { Dialect } from "./dialects";
import type { RateState } from "./rateWindows";
import type { SimulatedCluster } from "./snapshot";

// One table per option of the dialect: a new value is one line here and one in its union.
type Renderers<Option extends keyof Dialect, F> = Record<Dialect[Option] & string, F>;

/** The record of a cluster with exactly the fields of the specification. */
export function clusterRecord(cluster: SimulatedCluster) {
  const { id, name, status, replicas, endpoint } = cluster;
  return { id, name, status, gpu_type: cluster.gpuType, replicas, endpoint, created_at: cluster.createdAt };
}

/** Answer of `GET /v1/clusters`. */
export const clusterList: Renderers<"listShape", (clusters: SimulatedCluster[]) => unknown> = {
  bare: (clusters) => clusters.map(clusterRecord),
  wrapped: (clusters) => ({ clusters: clusters.map(clusterRecord) }),
};

/** What is around the one cluster of an answer. */
export const oneCluster: Renderers<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
};

/** Answer of `GET /v1/clusters/:id`, before its wrapping. */
export const clusterDetail: Renderers<"detailEcho", (cluster: SimulatedCluster, dialect: Dialect) => object> = {
  none: clusterRecord,
  "container-and-env": (cluster, { injectedEnv }) => ({
    ...clusterRecord(cluster),
    container: cluster.container,
    env: { ...cluster.env, ...injectedEnv },
  }),
};

/** Answer of `GET /v1/clusters/:id/status`. */
export const clusterStatus: Renderers<"statusShape", (cluster: SimulatedCluster) => unknown> = {
  record: ({ id, status, message, replicaStates }) => ({ cluster_id: id, status, message, replicas: replicaStates }),
  bare: ({ replicaStates }) => replicaStates,
};

/** Answer of DELETE; `answered` is the cluster as another answer would show it. */
export const deleted: Renderers<"deleteAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  "empty-204": () => ({ status: 204 }),
};

/** Answer of stop, restart, scale and redeploy. */
export const acted: Renderers<"actionAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  "empty-202": () => ({ status: 202 }),
};

/** A list of GPU facts, each with its `type`. */
export const gpuList: Renderers<"gpuListShape", (items: { type: string }[], word: string) => unknown> = {
  bare: (items) => items,
  wrapped: (items, word) => ({ [word]: items }),
  "by-type": (items) => Object.fromEntries(items.map(({ type, ...facts }) => [type, facts])),
};

/** The price of a GPU type for one hour. */
export const gpuPrice: Renderers<"priceShape", (gpu: SimulatedGpuType) => object> = {
  number: ({ pricePerHour }) => ({ price_per_hour: pricePerHour, currency: "USD" }),
  string: ({ pricePerHour }) => ({ price_per_hour: pricePerHour.toFixed(2), currency: "USD" }),
  object: ({ pricePerHour }) => ({ pricing: { hourly: pricePerHour, currency: "USD" } }),
};

/** How many GPUs of a type are free. */
export const gpuStock: Renderers<"stockShape", (count: number) => object> = {
  "flag-and-count": (count) => ({ available: count > 0, available_count: count }),
  flag: (count) => ({ available: count > 0 }),
  count: (count) => ({ available_count: count }),
};

const rateReset: Renderers<"rateResetUnit", (resetAt: number, now: number) => number> = {
  seconds: (resetAt) => Math.ceil(resetAt / 1000),
  milliseconds: (resetAt) => Math.ceil(resetAt),
  delta: (resetAt, now) => Math.ceil((resetAt - now) / 1000),
};

/** The three headers that every response carries. */
export function rateHeaders(rate: RateState, now: number, dialect: Dialect): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(rate.limit),
    "X-RateLimit-Remaining": String(rate.remaining),
    "X-RateLimit-Reset": String(rateReset[dialect.rateResetUnit](rate.resetAt, now)),
  };
}
