import type { Dialect } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";

/** Words for a cluster on its way to `running`. */
export type Phase = "provisioning" | "updating" | "scaling" | "restarting" | "deploying";

/** Every status word of a cluster. `gone` never goes over the wire: the service answers 404, or shows a tombstone. */
export type ClusterStatus = Phase | "running" | "stopping" | "stopped" | "failed" | "terminating" | "gone";

/** What the containers of a cluster are made from. */
export interface Configuration {
  container: string;
  env: Record<string, string>;
}

/** One replica: when it was started and when it will be healthy. */
export interface ReplicaState {
  id: string;
  bornAt: number;
  healthyAt: number;
  restarts: number;
}

/** Only events are stored; what the cluster looks like at a time is computed from them (life.ts). */
export interface ClusterState {
  readonly id: string;
  readonly suffix: string;
  /** The endpoint's host keeps the name that the cluster was made with. */
  readonly host: string;
  name: string;
  readonly organization: string;
  /** An empty string if there is none. */
  readonly gpuType: string;
  readonly gpusPerReplica: number;
  readonly createdAt: number;
  /** What was asked for last. */
  configuration: Configuration;
  /** What was said beside it. It is stored, and changes nothing that runs. */
  extras: ExtraFields;
  /** What the replicas run. */
  deployed: Configuration;
  desiredReplicas: number;
  replicas: ReplicaState[];
  generation: number;
  /** Replicas made so far. */
  serial: number;
  phase: { word: Phase; until: number };
  hiddenUntil: number;
  stoppedAt?: number;
  deletedAt?: number;
  /** `lasting`: only a new configuration cures it, a restart fails again. */
  failure?: { message: string; at: number; lasting: boolean };
  /** `blocking`: it keeps a roll-out from ending. */
  sick?: { replica: number; message: string; blocking: boolean };
  /** A replica that goes on to change between healthy and not, from when all are healthy. */
  flapping?: { replica: number; periodMs: number; flaps: number };
}

/** How long things take, and when a cluster calls itself running. */
export interface Timing {
  provisioningMs: number;
  deletionMs: number;
  /** How long lists, and reads of the cluster itself, go on to show a cluster that is gone. */
  tombstoneMs: { lists: number; reads: number };
  runningWhen: Dialect["runningWhen"];
}
