import type { ClusterState, ClusterStatus, Configuration, Timing } from "./clusterState";
import type { ExtraFields } from "./extraFields";
import { replicasAt, type SimulatedReplica, statusAt } from "./life";

/** A cluster with all facts of the simulator, including those that the service does not show. */
export interface SimulatedCluster {
  id: string;
  name: string;
  organization: string;
  /** `gone` when its GPUs are free, and the service answers 404 or shows its tombstone. */
  status: ClusterStatus;
  /** An empty string if it has no GPU. */
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
  /** The configuration that the replicas run; differs from `container` and `env` until a roll-out. */
  deployed: Configuration;
  /** Grows with each roll-out, from 1. */
  generation: number;
  replicaStates: SimulatedReplica[];
  /** Whether reads do not show the cluster now (fault `hidden`). */
  hidden: boolean;
  /** Reason of a failure. */
  message?: string;
}

/** A snapshot of a cluster at a time; later events do not change it. */
export function snapshot(state: ClusterState, now: number, timing: Timing): SimulatedCluster {
  const { id, name, organization, gpuType, gpusPerReplica, generation, host, configuration } = state;
  const status = statusAt(state, now, timing);
  return {
    id,
    name,
    organization,
    status,
    gpuType,
    gpusPerReplica,
    replicas: state.desiredReplicas,
    endpoint: state.endpoint ?? `https://${host}`,
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
