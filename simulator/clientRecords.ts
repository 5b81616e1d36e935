import { clientModel, type SimulatedGpuType, uuidOf } from "./catalog";
import { configurationOf, type RecordRenderer, wrapRecord } from "./clusterRecords";
import type { ClusterStatus, ReplicaState } from "./clusterState";
import type { ExtraFields } from "./extraFields";
import type { Service } from "./fleet";
import type { SimulatedCluster, SimulatedReplica } from "./snapshot";

/** The records that the official Python client reads. */
export function clientRecords(service: Service): RecordRenderer {
  const { fleet, dialect } = service;
  const wrap = wrapRecord[dialect.recordShape];
  return {
    created: (cluster) => wrap({ ...commonFields(cluster), status: "pending" }),
    listed: (cluster) => listed(cluster, fleet.gpu(cluster.gpuType)),
    detail: (cluster) => wrap(detail(cluster, service)),
    changed: (cluster, before) => wrap(before === undefined ? changed(cluster) : scaled(cluster, before)),
  };
}

function commonFields({ id, name, endpoint, createdAt, ...cluster }: SimulatedCluster) {
  return { id, name, status: clientStatus(cluster), endpointUrl: endpoint, createdAt };
}

function listed(cluster: SimulatedCluster, gpu: SimulatedGpuType | undefined): object {
  return {
    ...commonFields(cluster),
    gpuModelId: gpu ? uuidOf(gpu.type) : null,
    gpuModelName: gpu?.name ?? null,
    gpuVram: gpu?.memoryGb ?? null,
    replicaCount: cluster.replicas,
    runningReplicas: cluster.replicaStates.filter(({ status }) => replicaStatuses[status] === "running").length,
    activeReplicas: cluster.replicaStates.length,
    tier: { ...defaults, ...cluster.extras }.tier,
  };
}

/** The answer to a read by id, with the replicas. */
function detail(cluster: SimulatedCluster, { fleet, dialect }: Service): object {
  const replicas = fleet.get(cluster.id)?.replicas ?? [];
  const gpu = fleet.gpu(cluster.gpuType);
  const model = gpu ? { id: uuidOf(gpu.type), ...clientModel(gpu) } : null;
  const { container = null, env = null } = configurationOf(cluster, dialect);
  const { registryCredentialId: _hidden, ...extras } = cluster.extras;
  return {
    ...commonFields(cluster),
    gpuModelId: model?.id ?? null,
    gpuModel: model,
    ...defaults,
    ...extras,
    gpusPerReplica: cluster.gpusPerReplica,
    replicaCount: cluster.replicas,
    imageUrl: container || null,
    envVars: env,
    updatedAt: timestamp(Math.max(Date.parse(cluster.createdAt), ...replicas.map(({ startedAt }) => startedAt))),
    ...(cluster.message !== undefined && { statusReason: cluster.message }),
    replicas: cluster.replicaStates.map((replica, index) => replicaRecord(replica, replicas[index], cluster)),
  };
}

/** Answer to stop, restart, redeploy and terminate. */
function changed(cluster: SimulatedCluster): object {
  return { id: cluster.id, status: clientStatus(cluster), imageUrl: cluster.container || null };
}

/** Answer to scale; `before` is the number of replicas before the change. */
function scaled({ id, replicas }: SimulatedCluster, before: number): object {
  return { id, replicaCount: replicas, scaled: Math.abs(replicas - before) };
}

function timestamp(ms: number): string {
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

function replicaRecord(replica: SimulatedReplica, state: ReplicaState | undefined, cluster: SimulatedCluster): object {
  const { healthy, status, restarts } = replica;
  const time = state ? timestamp(state.startedAt) : cluster.createdAt;
  const isPlaced = status !== "pending";
  return {
    id: uuidOf(replica.id),
    nodeId: isPlaced ? node.id : null,
    gpuCount: cluster.gpusPerReplica,
    status: replicaStatuses[status],
    healthy,
    lastHealthCheckAt: healthy ? time : null,
    consecutiveFailures: status === "unhealthy" ? restarts + 1 : 0,
    startedAt: isPlaced ? time : null,
    createdAt: time,
    node: isPlaced ? { hostname: node.hostname, location: "Finland", region: "eu-north" } : null,
  };
}

const node = { id: "0b6ad0a5-51a5-4b67-8e1f-2a8f1f9c7d3e", hostname: "node-7" };

/** The client's status. It has none for a cluster that is stopping or terminating. */
function clientStatus({ status, replicaStates }: Pick<SimulatedCluster, "status" | "replicaStates">): string {
  const states = replicaStates.map((replica) => replica.status);
  const statuses: Readonly<Record<ClusterStatus, string>> = {
    provisioning: states.every((state) => state === "pending") ? "pending" : "deploying",
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
  return states.includes("unhealthy") ? "degraded" : statuses[status];
}

const replicaStatuses: Readonly<Record<SimulatedReplica["status"], string>> = {
  pending: "pending",
  starting: "provisioning",
  healthy: "running",
  unhealthy: "running",
  failed: "error",
  stopping: "terminating",
  stopped: "stopped",
};
