import type { ClusterState, ClusterStatus, Configuration, Timing } from "./clusterState";
import type { ExtraFields } from "./extraFields";
import { replicasAt, type SimulatedReplica, statusAt } from "./life";

/** A cluster as the simulator knows it, also what the service does not tell. */
export interface SimulatedCluster {
  id: string;
  name: string;
  organization: string;
  /** `gone` once its GPUs are free and the service answers 404, or shows its tombstone. */
  status: ClusterStatus;
  /** An empty string if it has no GPU. */
  gpuType: string;
  gpusPerReplica: number;
  /** Replicas asked for. */
  replicas: number;
  endpoint: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** Asked for last. */
  container: string;
  /** Asked for last; without what the dialect injects. */
  env: Record<string, string>;
  /** What requests said beside this, such as `containerPort` and `autoscaling`, with names in camelCase. */
  extras: ExtraFields;
  /** What the replicas really run; behind `container` and `env` until a roll-out. */
  deployed: Configuration;
  /** Grows with each roll-out, from 1. */
  generation: number;
  replicaStates: SimulatedReplica[];
  /** Left out of reads for now (fault `hidden`). */
  hidden: boolean;
  /** Why it failed. */
  message?: string;
}

/** What a cluster looks like at a time; a copy that later events do not change. */
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
    endpoint: `https://${host}`,
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
