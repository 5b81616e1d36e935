/**
 * The fields of `Cluster`: the single source of their documentation, types and flags. Diffs, secrets and the SDK's classes
 * read this file, and rules.ts has the rule for each input (the compiler asks for it). Plain types only: they are published,
 * and must not make every program check the types of a library.
 */

/** What a program says of a cluster. */
export interface ClusterInputs {
  /**
   * Name of the cluster in the service, and the beginning of its endpoint's host; a change replaces the cluster.
   *
   * 1 to 63 letters, digits and `-`. Default: made from the resource's name and 7 hex digits, and kept from then on. With an
   * explicit name a replacement deletes the old cluster first; with a made one it comes up beside it. (Specification,
   * section 2.)
   */
  name?: string;
  /**
   * GPU type of each replica, such as `h100`; `getGpuTypes()` lists them. A change replaces the cluster.
   *
   * The service refuses a type that is unknown or not available (`invalid_gpu_type`). (Specification, sections 2 and 7.)
   */
  gpuType: string;
  /**
   * Number of replicas, 1 to 10 000; default 1. Changed in place, by one scale call, or in the same update as env and
   * container. (Specification, section 2.)
   */
  replicas?: number;
  /**
   * Container image that each replica runs, `<repository>/<image>:<tag>` or with a digest. Changed in place, by one update
   * and a roll-out. (Specification, section 2.)
   */
  container: string;
  /**
   * Environment variables of the containers. Every value is a secret: encrypted in the state, masked in previews, while the
   * names stay readable. Changed in place, by one update and a roll-out. Values are strings below 128 KiB.
   * (Specification, section 2.)
   */
  env?: Record<string, string>;
}

/** One replica of a cluster, as last looked at. */
export interface ReplicaStatus {
  /** The service's id of the replica; its place in the list, where there is none. */
  id: string;
  /** The service's own word, such as `starting`; empty where it has none. */
  status: string;
  healthy: boolean;
  /** Why it is not healthy, where the service says so. */
  message?: string;
}

/** What the service says of a cluster. */
export interface ServiceOutputs {
  /** Lifecycle state, in the service's own word, such as `running`. (Specification, section 3.) */
  status: string;
  /** URL at which the cluster is served. (Specification, section 2.) */
  endpoint: string;
  /** When the cluster was created, ISO 8601 in UTC. (Specification, section 2.) */
  createdAt: string;
  /** Health of each replica, as last looked at. (Specification, section 4.) */
  replicaStatuses: ReplicaStatus[];
  /** How many replicas were healthy when last looked at. */
  readyReplicas: number;
  /** Whether everything that the inputs ask for was reached; otherwise the next `pulumi up` goes on with it. */
  settled: boolean;
}

/** What a program can read of a cluster: its inputs, with their defaults, and what the service says. */
export interface ClusterOutputs extends Omit<ClusterInputs, "name" | "replicas">, ServiceOutputs {
  /** Name of the cluster in the service, given or made. (Specification, section 2.) */
  name: string;
  /** Number of replicas that were asked for. (Specification, section 2.) */
  replicas: number;
}

/** What a field is, beyond its type. */
export interface FieldFlags {
  /** A change of it needs another cluster. */
  readonly replace?: boolean;
  /** Its values are secret: they are encrypted in the state and shown nowhere. */
  readonly secret?: boolean;
}

export type InputName = keyof ClusterInputs;

export const inputFlags: Readonly<Record<InputName, FieldFlags>> = {
  name: { replace: true },
  gpuType: { replace: true },
  replicas: {},
  container: {},
  env: { secret: true },
};

export const inputNames = Object.keys(inputFlags) as InputName[];

const outputFlags: Readonly<Record<keyof ServiceOutputs, FieldFlags>> = {
  status: {},
  endpoint: {},
  createdAt: {},
  replicaStatuses: {},
  readyReplicas: {},
  settled: {},
};

export const outputNames = Object.keys(outputFlags) as (keyof ServiceOutputs)[];

export const defaultReplicas = 1;

/** Inputs that only this package sets. */
export type HiddenInputs = {
  /** The resource's URN, which the engine does not tell. */
  readonly __urn?: string;
  /** Pulumi's `customTimeouts`, which the engine does not pass on. */
  readonly __timeouts?: Readonly<Record<string, string>>;
  /** Present when the name was made, not given. */
  readonly __generatedName?: boolean;
};

/** Inputs after check: with defaults, with a name, and with what is already certain of the outputs. */
export type CheckedInputs = Omit<ClusterInputs, "name" | "replicas"> &
  HiddenInputs & {
    readonly name: string;
    readonly replicas: number;
    readonly endpoint?: string;
    readonly createdAt?: string;
  };

/** What is remembered of a cluster between two runs. */
export type ClusterState = CheckedInputs &
  Partial<ServiceOutputs> & {
    /** Which service and key last saw it: 8 hex digits of a hash. A 404 under another one proves nothing. */
    readonly __seenBy?: string;
    /** How the service shows what was asked for, where it shows it otherwise, so that this is no drift later. */
    readonly __echo?: Echo;
    /**
     * Present while an operation has not reached its end; only an update takes it away, whatever a refresh sees. `rollout`:
     * the service may hold a configuration that the replicas do not run.
     */
    readonly __unfinished?: true | "rollout";
    /** Names of variables, never values, that such an update may have left with the service. */
    readonly __sent?: readonly string[];
  };

/** The service's own form of some inputs, right after they were applied. */
export interface Echo {
  readonly name?: string;
  readonly gpuType?: string;
  readonly container?: string;
  /** Names that it adds or hides: they are not compared. Never values. */
  readonly env?: readonly string[];
  /** Names that it shows, but not with their values: compared only for being there. */
  readonly masked?: readonly string[];
}
