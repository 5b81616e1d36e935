import { addReplicas, type ClusterState, clearFailures, type Timing } from "./clusterState";
import type { ClusterSeed, Fleet } from "./fleet";
import { type SimulatedCluster, statusAt } from "./snapshot";

/** Changes of a cluster without a request. They take effect at once. */
export interface ClusterChanges {
  /** New replicas are healthy at once; of too many replicas, the last ones are removed. */
  replicas?: number;
  /** Both the desired and the running env. */
  env?: Record<string, string>;
  /** Both the desired and the running container. */
  container?: string;
  /** `running` heals the cluster too, and starts a stopped one with its stored updates; `gone` is the state after a DELETE. */
  status?: "running" | "stopped" | "failed" | "gone";
  /** Reason of a `failed` status. */
  message?: string;
  /** A replica (from 0) that becomes unhealthy; `undefined` makes it healthy again. */
  sickReplica?: { replica: number; message: string } | undefined;
  /** Reads do not show the cluster for this many milliseconds. */
  hiddenMs?: number;
}

/** A cluster of another program. */
export interface ForeignCluster extends Partial<ClusterSeed> {
  name: string;
  gpuType: string;
  /** @default "running" */
  status?: ClusterChanges["status"];
  /** Unix time in milliseconds. @default now */
  createdAt?: number;
}

/** Adds a cluster of another program, by default to the given organization. */
export function addForeign(fleet: Fleet, defaultOrganization: string, fields: ForeignCluster): SimulatedCluster {
  const { status, createdAt, replicas = 1, env = {}, organization = defaultOrganization } = fields;
  const { container = "example/server:1.0", gpusPerReplica = 1, extras = {} } = fields;
  const seed = { ...fields, replicas, env, organization, container, gpusPerReplica, extras };
  const state = fleet.add(seed, 0, createdAt);
  if (status) applyChanges(state, { status }, state.createdAt, fleet.timing);
  fleet.recordHistory();
  return fleet.view(state);
}

/** Applies changes to a cluster. */
export function applyChanges(state: ClusterState, changes: ClusterChanges, now: number, timing: Timing): void {
  const { replicas, status, env, container } = changes;
  if (env || container) {
    state.configuration = {
      container: container ?? state.configuration.container,
      env: env ? { ...env } : state.configuration.env,
    };
    state.deployed = state.configuration;
  }
  if (replicas !== undefined) resize(state, replicas, now);
  if (status) statusChanges[status](state, now, timing, changes.message);
  if ("sickReplica" in changes) setUnhealthy(state, changes.sickReplica, now, timing);
  if (changes.hiddenMs !== undefined) state.hiddenUntil = now + changes.hiddenMs;
}

type StatusChange = (state: ClusterState, now: number, timing: Timing, message?: string) => void;

const statusChanges: Record<NonNullable<ClusterChanges["status"]>, StatusChange> = {
  running(state, now) {
    clearFailures(state);
    delete state.flapping;
    if (state.stoppedAt !== undefined) state.deployed = state.configuration;
    delete state.stoppedAt;
    state.replicas = [];
    addReplicas(state, state.desiredReplicas, now, 0);
    state.phase.until = now;
  },
  stopped(state, now, { deletionMs }) {
    state.stoppedAt = now - deletionMs;
  },
  failed(state, now, _timing, message = "The cluster failed.") {
    delete state.stoppedAt;
    state.failure = { message, at: now, lasting: false };
  },
  gone(state, now, { deletionMs }) {
    state.deletedAt = now - deletionMs;
  },
};

function resize(state: ClusterState, replicas: number, now: number): void {
  state.replicas.splice(replicas);
  addReplicas(state, replicas - state.replicas.length, now, 0);
  state.desiredReplicas = replicas;
}

function setUnhealthy(state: ClusterState, sick: ClusterChanges["sickReplica"], now: number, timing: Timing): void {
  delete state.sick;
  if (sick) state.sick = { ...sick, blocking: statusAt(state, now, timing) !== "running" };
}
