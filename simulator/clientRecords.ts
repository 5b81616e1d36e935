import { modelFacts, type SimulatedGpuType, uuidOf } from "./catalog";
import { configurationOf, oneCluster, type RecordForm } from "./clusterRecords";
import type { ClusterStatus, ReplicaState } from "./clusterState";
import type { ExtraFields } from "./extraFields";
import type { Service } from "./fleet";
import type { SimulatedCluster, SimulatedReplica } from "./life";

/** The records that the official Python client reads. */
export function clientRecords(service: Service): RecordForm {
  const { fleet, dialect } = service;
  const around = oneCluster[dialect.recordShape];
  return {
    created: (cluster) => around({ ...factsOf(cluster), status: "pending" }),
    listed: (cluster) => listed(cluster, fleet.gpu(cluster.gpuType)),
    detail: (cluster) => around(detail(cluster, service)),
    changed: (cluster, before) => around(before === undefined ? changed(cluster) : scaled(cluster, before)),
  };
}

function factsOf({ id, name, endpoint, createdAt, ...cluster }: SimulatedCluster) {
  return { id, name, status: wordOf(cluster), endpointUrl: endpoint, createdAt };
}

function listed(cluster: SimulatedCluster, gpu: SimulatedGpuType | undefined): object {
  return {
    ...factsOf(cluster),
    gpuModelId: gpu ? uuidOf(gpu.type) : null,
    gpuModelName: gpu?.name ?? null,
    gpuVram: gpu?.memoryGb ?? null,
    replicaCount: cluster.replicas,
    runningReplicas: cluster.replicaStates.filter(({ status }) => replicaWords[status] === "running").length,
    activeReplicas: cluster.replicaStates.length,
    tier: { ...defaults, ...cluster.extras }.tier,
  };
}

/** A cluster by id, with its replicas. */
function detail(cluster: SimulatedCluster, { fleet, dialect }: Service): object {
  const born = fleet.get(cluster.id)?.replicas ?? [];
  const gpu = fleet.gpu(cluster.gpuType);
  const model = gpu ? { id: uuidOf(gpu.type), ...modelFacts(gpu) } : null;
  const { container = null, env = null } = configurationOf(cluster, dialect);
  const { registryCredentialId: _hidden, ...extras } = cluster.extras;
  return {
    ...factsOf(cluster),
    gpuModelId: model?.id ?? null,
    gpuModel: model,
    ...defaults,
    ...extras,
    gpusPerReplica: cluster.gpusPerReplica,
    replicaCount: cluster.replicas,
    imageUrl: container || null,
    envVars: env,
    updatedAt: stampOf(Math.max(Date.parse(cluster.createdAt), ...born.map(({ bornAt }) => bornAt))),
    ...(cluster.message !== undefined && { statusReason: cluster.message }),
    replicas: cluster.replicaStates.map((replica, index) => replicaOf(replica, born[index], cluster)),
  };
}

/** Answer to stop, restart, redeploy and terminate. */
function changed(cluster: SimulatedCluster): object {
  return { id: cluster.id, status: wordOf(cluster), imageUrl: cluster.container || null };
}

/** Answer to scale; `before` is the number of replicas before the change. */
function scaled({ id, replicas }: SimulatedCluster, before: number): object {
  return { id, replicaCount: replicas, scaled: Math.abs(replicas - before) };
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

function replicaOf(replica: SimulatedReplica, born: ReplicaState | undefined, cluster: SimulatedCluster): object {
  const { healthy, status, restarts } = replica;
  const time = born ? stampOf(born.bornAt) : cluster.createdAt;
  const isPlaced = status !== "pending";
  return {
    id: uuidOf(replica.id),
    nodeId: isPlaced ? node.id : null,
    gpuCount: cluster.gpusPerReplica,
    status: replicaWords[status],
    healthy,
    lastHealthCheckAt: healthy ? time : null,
    consecutiveFailures: status === "unhealthy" ? restarts + 1 : 0,
    startedAt: isPlaced ? time : null,
    createdAt: time,
    node: isPlaced ? { hostname: node.hostname, location: "Finland", region: "eu-north" } : null,
  };
}

const node = { id: "0b6ad0a5-51a5-4b67-8e1f-2a8f1f9c7d3e", hostname: "node-7" };

/** The client's status word. The client has no word for a cluster that is stopping or terminating. */
function wordOf({ status, replicaStates }: Pick<SimulatedCluster, "status" | "replicaStates">): string {
  const states = replicaStates.map((replica) => replica.status);
  const words: Readonly<Record<ClusterStatus, string>> = {
    provisioning: states.every((word) => word === "pending") ? "pending" : "deploying",
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
  return states.includes("unhealthy") ? "degraded" : words[status];
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
