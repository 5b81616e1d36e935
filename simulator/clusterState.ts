import { isDeepStrictEqual } from "node:util";
import type { Dialect } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";

/** The status of a cluster that is becoming `running`. */
export type PhaseStatus = "provisioning" | "updating" | "scaling" | "restarting" | "deploying";

/** The status of a cluster. No answer contains `gone`: the service answers 404, or shows a tombstone. */
export type ClusterStatus = PhaseStatus | "running" | "stopping" | "stopped" | "failed" | "terminating" | "gone";

/** The configuration of a cluster's containers. */
export interface Configuration {
  container: string;
  env: Record<string, string>;
}

/** One replica: the time of its start, and the time at which it becomes healthy. */
export interface ReplicaState {
  id: string;
  startedAt: number;
  healthyAt: number;
  restarts: number;
}

/** Stores events only; `snapshot` computes the cluster at a given time from them. */
export interface ClusterState {
  readonly id: string;
  readonly suffix: string;
  readonly endpoint: string;
  readonly name: string;
  readonly organization: string;
  /** An empty string if the cluster has no GPU. */
  readonly gpuType: string;
  readonly gpusPerReplica: number;
  readonly createdAt: number;
  /** The desired configuration. */
  configuration: Configuration;
  /** Further fields of requests. The service stores them, and they do not affect the replicas. */
  extras: ExtraFields;
  /** The configuration that the replicas run. */
  deployed: Configuration;
  desiredReplicas: number;
  replicas: ReplicaState[];
  generation: number;
  /** Number of replicas created so far, for their ids. */
  replicasCreated: number;
  phase: { status: PhaseStatus; until: number };
  hiddenUntil: number;
  stoppedAt?: number;
  deletedAt?: number;
  /** `lasting`: only a new configuration ends the failure; after a restart it comes back. */
  failure?: { message: string; at: number; lasting: boolean };
  /** `blocking`: the rollout does not end while the replica is sick. */
  sick?: { replica: number; message: string; blocking: boolean };
  /** A replica that changes between healthy and unhealthy after all have become healthy. */
  flapping?: { replica: number; periodMs: number; flaps: number };
}

/** Durations, and the condition for the status `running`. */
export interface Timing {
  provisioningMs: number;
  deletionMs: number;
  listLagMs: number;
  /** How long lists, and reads by id, still show a cluster that is gone. */
  tombstoneMs: { lists: number; reads: number };
  runningWhen: Dialect["runningWhen"];
}

/** Adds replicas that become healthy one after the other, the last one after `durationMs`. */
export function addReplicas(state: ClusterState, count: number, now: number, durationMs: number): void {
  for (let index = 0; index < count; index++) {
    state.replicasCreated += 1;
    state.replicas.push({
      id: `rep_${state.suffix}-${state.generation}-${state.replicasCreated}`,
      restarts: 0,
      ...stagger(index, count, now, durationMs),
    });
  }
}

/** Replaces every replica, so that a changed configuration takes effect. */
export function rollOut(state: ClusterState, status: PhaseStatus, now: number, timing: Timing): void {
  if (!isDeepStrictEqual(state.deployed, state.configuration)) clearFailures(state);
  state.deployed = state.configuration;
  state.generation += 1;
  state.replicas = [];
  addReplicas(state, state.desiredReplicas, now, timing.provisioningMs);
  beginPhase(state, status, now, timing);
}

/** Restarts the containers: those of the same replicas, or of new ones if the cluster was stopped. */
export function restart(state: ClusterState, now: number, timing: Timing): void {
  if (state.stoppedAt !== undefined) {
    state.replicas = [];
    addReplicas(state, state.desiredReplicas, now, timing.provisioningMs);
  } else {
    const count = state.replicas.length;
    state.replicas = state.replicas.map((replica, index) => ({
      id: replica.id,
      restarts: replica.restarts + 1,
      ...stagger(index, count, now, timing.provisioningMs),
    }));
  }
  beginPhase(state, "restarting", now, timing);
}

/** Adds pending replicas or removes the last ones. The others stay unchanged. */
export function scale(state: ClusterState, replicas: number, now: number, timing: Timing): void {
  const difference = replicas - state.desiredReplicas;
  state.desiredReplicas = replicas;
  if (difference === 0 || state.stoppedAt !== undefined) return;
  state.replicas.splice(replicas);
  addReplicas(state, difference, now, timing.provisioningMs);
  state.phase = { status: "scaling", until: now + (difference < 0 ? timing.deletionMs : 0) };
}

/** Heals a sick replica, and ends a failure of the cluster. */
export function clearFailures(state: ClusterState): void {
  delete state.failure;
  delete state.sick;
}

function beginPhase(state: ClusterState, status: PhaseStatus, now: number, timing: Timing): void {
  state.phase = { status, until: now };
  delete state.stoppedAt;
  if (state.sick) state.sick.blocking = true;
  if (state.failure?.lasting) state.failure.at = now + timing.provisioningMs / 2;
  else delete state.failure;
}

function stagger(
  index: number,
  count: number,
  now: number,
  durationMs: number,
): Pick<ReplicaState, "startedAt" | "healthyAt"> {
  return { startedAt: now, healthyAt: now + (durationMs * (index + 1)) / count };
}
