import type { ClusterState, ClusterStatus, Configuration, ReplicaState, Timing } from "./clusterState";
import type { PerValue } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";

/** A cluster with everything that the simulator knows of it, including what the service does not show. */
export interface SimulatedCluster {
  id: string;
  name: string;
  organization: string;
  /** `gone` once its GPUs are free, and the service answers 404 or shows its tombstone. */
  status: ClusterStatus;
  /** An empty string if the cluster has no GPU. */
  gpuType: string;
  gpusPerReplica: number;
  /** The desired number of replicas. */
  replicas: number;
  endpoint: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** The desired container. */
  container: string;
  /** The desired env, without the variables that the dialect injects. */
  env: Record<string, string>;
  /** Further fields of requests, such as `containerPort` and `autoscaling`, with names in camelCase. */
  extras: ExtraFields;
  /** The configuration that the replicas run; differs from `container` and `env` until a rollout. */
  deployed: Configuration;
  /** Grows with each rollout, from 1. */
  generation: number;
  replicaStates: SimulatedReplica[];
  /** Whether reads do not show the cluster now (fault `hidden`). */
  hidden: boolean;
  /** Reason of a failure. */
  message?: string;
}

/** A snapshot of a cluster at a time; later events do not change it. */
export function snapshot(state: ClusterState, now: number, timing: Timing): SimulatedCluster {
  const { id, name, organization, gpuType, gpusPerReplica, generation, endpoint, configuration } = state;
  const status = statusAt(state, now, timing);
  return {
    id,
    name,
    organization,
    status,
    gpuType,
    gpusPerReplica,
    replicas: state.desiredReplicas,
    endpoint,
    createdAt: new Date(state.createdAt).toISOString(),
    ...structuredClone(configuration),
    extras: structuredClone(state.extras),
    deployed: structuredClone(state.deployed),
    generation,
    replicaStates: replicasAt(state, now, timing),
    hidden: now < state.hiddenUntil,
    ...(status === "failed" && { message: state.failure?.message }),
  };
}

/** A snapshot of a replica. */
export interface SimulatedReplica {
  id: string;
  status: "pending" | "starting" | "healthy" | "unhealthy" | "failed" | "stopping" | "stopped";
  healthy: boolean;
  message?: string;
  restarts: number;
}

/** The status of a cluster at a time. */
export function statusAt(state: ClusterState, now: number, timing: Timing): ClusterStatus {
  if (state.deletedAt !== undefined) return now >= state.deletedAt + timing.deletionMs ? "gone" : "terminating";
  if (state.stoppedAt !== undefined) return now >= state.stoppedAt + timing.deletionMs ? "stopped" : "stopping";
  if (state.failure && now >= state.failure.at) return "failed";
  return now < phaseEnds[timing.runningWhen](state) || hasBlockingReplica(state, now, timing)
    ? state.phase.status
    : "running";
}

/**
 * Whether a cluster is changing its state, whatever its status. A sick replica does not count: it can stay sick forever,
 * and then the cluster could not even be deleted.
 */
export function isChanging(state: ClusterState, now: number, { deletionMs }: Timing): boolean {
  if (state.stoppedAt !== undefined) return now < state.stoppedAt + deletionMs;
  const isFailed = state.failure !== undefined && now >= state.failure.at;
  return !isFailed && now < phaseEnds["all-healthy"](state);
}

/** The replicas of a cluster at a time. */
function replicasAt(state: ClusterState, now: number, timing: Timing): SimulatedReplica[] {
  const status = statusAt(state, now, timing);
  if (status === "gone") return [];
  return state.replicas.map((replica, index) => {
    const { id, restarts } = replica;
    if (status === "stopped") return { id, restarts, status: "stopped", healthy: false };
    if (status === "stopping" || status === "terminating") return { id, restarts, status: "stopping", healthy: false };
    if (status === "failed") return { id, restarts, status: "failed", healthy: false, message: state.failure?.message };
    return replicaAt(state, replica, index, now, timing);
  });
}

/** Whether the cluster holds its GPUs at a time. */
export function holdsGpus(state: ClusterState, now: number, timing: Timing): boolean {
  const status = statusAt(state, now, timing);
  return status !== "gone" && status !== "stopped";
}

function replicaAt(
  state: ClusterState,
  replica: ReplicaState,
  index: number,
  now: number,
  timing: Timing,
): SimulatedReplica {
  const { id, restarts, healthyAt } = replica;
  if (now < placedAt(replica)) return { id, restarts, status: "pending", healthy: false };
  if (now < healthyAt) return { id, restarts, status: "starting", healthy: false };
  if (flappingReplica(state, now) === index) {
    return { id, restarts, status: "unhealthy", healthy: false, message: "The health check timed out." };
  }
  if (state.sick?.replica !== index) return { id, restarts, status: "healthy", healthy: true };
  const crashes = 1 + Math.floor((now - healthyAt) / Math.max(1, timing.provisioningMs));
  return { id, restarts: restarts + crashes, status: "unhealthy", healthy: false, message: state.sick.message };
}

const phaseEnds: PerValue<"runningWhen", (state: ClusterState) => number> = {
  "all-healthy": ({ phase, replicas }) => Math.max(phase.until, ...replicas.map(({ healthyAt }) => healthyAt)),
  placed: ({ phase, replicas }) => Math.max(phase.until, ...replicas.map(placedAt)),
  always: () => Number.NEGATIVE_INFINITY,
};

/** When a replica gets a node: after a third of the time that it takes to become healthy. */
function placedAt({ startedAt, healthyAt }: ReplicaState): number {
  return startedAt + (healthyAt - startedAt) / 3;
}

/** Whether an unhealthy replica prevents the status `running`. */
function hasBlockingReplica(state: ClusterState, now: number, timing: Timing): boolean {
  const blocking = [state.sick?.blocking ? state.sick.replica : undefined, flappingReplica(state, now)];
  const exists = (replica?: number) => replica !== undefined && replica < state.replicas.length;
  return timing.runningWhen === "all-healthy" && blocking.some(exists);
}

/** The index of the replica that flapping makes unhealthy at a time, if any. */
function flappingReplica(state: ClusterState, now: number): number | undefined {
  if (!state.flapping) return undefined;
  const { replica, periodMs, flaps } = state.flapping;
  const period = Math.floor((now - phaseEnds["all-healthy"](state)) / periodMs);
  return period > 0 && period < 2 * flaps && period % 2 === 1 ? replica : undefined;
}
