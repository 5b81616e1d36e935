import type { Dialect } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";

/** Status words of a cluster that is becoming `running`. */
export type Phase = "provisioning" | "updating" | "scaling" | "restarting" | "deploying";

/** Every status word of a cluster. `gone` never goes over the wire: the service answers 404, or shows a tombstone. */
export type ClusterStatus = Phase | "running" | "stopping" | "stopped" | "failed" | "terminating" | "gone";

/** The configuration of a cluster's containers. */
export interface Configuration {
  container: string;
  env: Record<string, string>;
}

/** One replica: the time of its start, and the time at which it becomes healthy. */
export interface ReplicaState {
  id: string;
  bornAt: number;
  healthyAt: number;
  restarts: number;
}

/** Stores events only; life.ts computes the observed cluster at a time from them. */
export interface ClusterState {
  readonly id: string;
  readonly suffix: string;
  /** The endpoint's host keeps the cluster's first name. */
  readonly host: string;
  /** Replaces the made address of the endpoint; empty if the service shows none. */
  readonly endpoint: string | undefined;
  name: string;
  readonly organization: string;
  /** An empty string if there is none. */
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
  /** Number of replicas created so far. */
  serial: number;
  phase: { word: Phase; until: number };
  hiddenUntil: number;
  stoppedAt?: number;
  deletedAt?: number;
  /** `lasting`: only a new configuration ends the failure; after a restart it comes back. */
  failure?: { message: string; at: number; lasting: boolean };
  /** `blocking`: the roll-out does not end while the replica is sick. */
  sick?: { replica: number; message: string; blocking: boolean };
  /** A replica that changes between healthy and unhealthy after all have become healthy. */
  flapping?: { replica: number; periodMs: number; flaps: number };
}

/** Durations, and the condition for the status word `running`. */
export interface Timing {
  provisioningMs: number;
  deletionMs: number;
  /** How long lists, and reads by id, still show a cluster that is gone. */
  tombstoneMs: { lists: number; reads: number };
  runningWhen: Dialect["runningWhen"];
}
