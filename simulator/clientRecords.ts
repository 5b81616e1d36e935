import { modelFacts, type SimulatedGpuType, wireIds } from "./catalog";
import { configurationOf } from "./clusterRecords";
import type { ClusterState, ClusterStatus, ReplicaState } from "./clusterState";
import type { Dialect } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";
import type { Fleet } from "./fleet";
import type { SimulatedCluster, SimulatedReplica } from "./life";

/** The sources of a record. */
interface Shown {
  cluster: SimulatedCluster;
  /** The cluster's internal state and its GPU type, if there are any. */
  state: ClusterState | undefined;
  gpu: SimulatedGpuType | undefined;
  dialect: Dialect;
}

/** Looks up the facts that the client's records contain besides the cluster. */
export function shown(cluster: SimulatedCluster, fleet: Fleet, dialect: Dialect): Shown {
  return { cluster, state: fleet.get(cluster.id), gpu: fleet.gpu(cluster.gpuType), dialect };
}

/** Answer to a creation, without GPU and replicas. */
export function clientCreated(facts: Shown): object {
  return { ...clientFacts(facts), status: "pending" };
}

/** A cluster in a list. */
export function clientListed(facts: Shown): object {
  const { cluster, gpu } = facts;
  return {
    ...clientFacts(facts),
    gpuModelId: modelId(facts),
    gpuModelName: gpu?.name ?? null,
    gpuVram: gpu?.memoryGb ?? null,
    replicaCount: cluster.replicas,
    runningReplicas: cluster.replicaStates.filter(({ status }) => replicaWords[status] === "running").length,
    activeReplicas: cluster.replicaStates.length,
    tier: { ...defaults, ...cluster.extras }.tier,
  };
}

/** A cluster by id, with its replicas. */
export function clientDetail(facts: Shown): object {
  const { cluster, state, gpu, dialect } = facts;
  const { container = null, env = null } = configurationOf(cluster, dialect);
  const { registryCredentialId: _secret, ...extras } = cluster.extras;
  const births = state?.replicas.map(({ bornAt }) => bornAt) ?? [];
  return {
    ...clientFacts(facts),
    gpuModelId: modelId(facts),
    gpuModel: gpu ? { id: modelId(facts), ...modelFacts(gpu) } : null,
    ...defaults,
    ...extras,
    gpusPerReplica: cluster.gpusPerReplica,
    replicaCount: cluster.replicas,
    imageUrl: container || null,
    envVars: env,
    updatedAt: stampOf(Math.max(Date.parse(cluster.createdAt), ...births)),
    ...(cluster.message !== undefined && { statusReason: cluster.message }),
    replicas: cluster.replicaStates.map((replica, index) => clientReplica(replica, state?.replicas[index], facts)),
  };
}

/** Answer to stop, restart, redeploy and terminate. */
export function clientChanged({ cluster }: Shown): object {
  return { id: cluster.id, status: clusterWord(cluster), imageUrl: cluster.container || null };
}

/** Answer to scale; `before` is the number of replicas before the change. */
export function clientScaled({ cluster: { id, replicas } }: Shown, before: number): object {
  return { id, replicaCount: replicas, scaled: Math.abs(replicas - before) };
}

function modelId({ gpu, dialect }: Shown): string | null {
  return gpu ? wireIds[dialect.form](gpu.type) : null;
}

function clientFacts({ cluster }: Shown) {
  return {
    id: cluster.id,
    name: cluster.name,
    status: clusterWord(cluster),
    endpointUrl: cluster.endpoint,
    createdAt: cluster.createdAt,
  };
}

function stampOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** The service's values for fields that a creation omits: those that the client would have sent. */
const defaults: ExtraFields = {
  resourceSize: "small",
  tier: "community",
  preferredRegions: null,
  allowFallback: false,
  containerPort: 80,
  healthCheckEnabled: false,
  healthCheckPath: "/health",
  healthCheckPort: null,
  diskSizeGb: 10,
  containerCommand: null,
  cloudInitRuncmd: null,
};

function clientReplica(replica: SimulatedReplica, born: ReplicaState | undefined, facts: Shown): object {
  const { cluster, dialect } = facts;
  const healthy = replica.healthy;
  const time = born ? stampOf(born.bornAt) : cluster.createdAt;
  const isPlaced = replica.status !== "pending";
  return {
    id: wireIds[dialect.form](replica.id),
    nodeId: isPlaced ? node.id : null,
    gpuCount: cluster.gpusPerReplica,
    status: replicaWords[replica.status],
    healthy,
    lastHealthCheckAt: healthy ? time : null,
    consecutiveFailures: replica.status === "unhealthy" ? replica.restarts + 1 : 0,
    startedAt: isPlaced ? time : null,
    createdAt: time,
    node: isPlaced ? { hostname: node.hostname, location: "Finland", region: "eu-north" } : null,
  };
}

const node = { id: "0b6ad0a5-51a5-4b67-8e1f-2a8f1f9c7d3e", hostname: "node-7" };

/** The client's status word. The client has no word for a cluster that is stopping or terminating. */
function clusterWord(cluster: SimulatedCluster): string {
  const states = cluster.replicaStates.map(({ status }) => status);
  const words: Readonly<Record<ClusterStatus, string>> = {
    provisioning: states.every((status) => status === "pending") ? "pending" : "deploying",
    updating: "deploying",
    scaling: "deploying",
    restarting: "deploying",
    deploying: "deploying",
    running: "running",
    stopping: "stopped",
    stopped: "stopped",
    failed: "failed",
    terminating: "terminated",
    gone: "terminated",
  };
  return states.includes("unhealthy") ? "degraded" : words[cluster.status];
}

const replicaWords: Readonly<Record<SimulatedReplica["status"], string>> = {
  pending: "pending",
  starting: "provisioning",
  healthy: "running",
  unhealthy: "running",
  failed: "error",
  stopping: "terminating",
  stopped: "stopped",
};
