import { wireIds } from "./catalog";
import type { Dialect, PerValue } from "./dialectOptions";
import { snakeCased } from "./fieldNames";
import type { SimulatedCluster } from "./snapshot";
import { clusterWord } from "./statusWords";

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
