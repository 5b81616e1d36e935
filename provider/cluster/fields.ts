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
   * A list is an order of preference, of 1 to 20: the first that is in stock is taken when the cluster is created, or the next
   * one if the service refuses it, and kept for as long as it is in the list. A preview fails on a type that the service does not list, but only where a cluster
   * would be created; the service itself refuses one that is unknown or not available (`invalid_gpu_type`).
   * (Specification, sections 2 and 7.)
   */
  gpuType: string | string[];
  /**
   * Number of replicas, 1 to 10 000; default 1. Changed in place, by one scale call, or in the same update as env and
   * container. (Specification, section 2.)
   */
  replicas?: Integer;
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
  /**
   * Request fields that this package does not know, such as `containerPort`, `tier` or `autoscaling`: JSON values by the
   * service's own names, at most 64 KiB.
   *
   * They are sent as they are when the cluster is created and, on change, with the update; they are compared if the service
   * shows them. A value that is marked as a secret stays one. Replicas within an autoscaling range (`min_replicas` and
   * `max_replicas`, in any spelling) are no drift. Default: none.
   */
  extraFields?: Record<string, unknown>;
  /**
   * Whether the cluster shall run or be stopped; default `running`. Changed in place, and waited for; what somebody else does
   * to it is drift. A stopped cluster keeps its name and endpoint; a new number of replicas waits for its start. The service
   * does not say what a stopped cluster costs. (Specification, section 4.)
   */
  desiredStatus?: DesiredStatus;
  /**
   * Values whose change restarts the cluster, once, and nothing else: a map or a list of texts, numbers and booleans. Neither
   * the first creation nor their removal restarts it, nor do they where a roll-out of env or container does it anyway.
   * (Specification, section 4, restart.)
   */
  restartTriggers?: Triggers;
  /** As `restartTriggers`, for a redeploy; where both change, the cluster is redeployed only. (Specification, section 4.) */
  redeployTriggers?: Triggers;
  /**
   * Id (`cl_…`) of a cluster that exists, to be taken over in place of creating one. It counts at creation only, and may be
   * removed afterwards; from then on the cluster is managed, and deleted, as any other.
   *
   * Its GPU type, and its name if one is given, have to be those of the program. What else the service shows of it otherwise
   * is put right; what the service does not show is taken as it is, named in `unverifiedInputs`, and first sent when it
   * changes. Default: a new cluster is created.
   */
  adopt?: string;
  /**
   * Whether to go on as soon as the service has accepted a creation or a change, without waiting for healthy replicas;
   * default false. A deletion is waited for all the same.
   */
  skipAwait?: boolean;
  /**
   * How many replicas have to be healthy for the cluster to count as ready: a count, or a share such as `"75%"`, which is
   * rounded up. Default: all.
   */
  minHealthyReplicas?: Integer | string;
  /**
   * What tells that the cluster is ready: `status`, every replica by the service's `/status`; or `list`, the word of the
   * cluster itself, for services whose word can be relied on, and for keys that may not read more. Default `status`.
   */
  healthCheck?: HealthCheck;
  /**
   * What becomes of the cluster when the resource is deleted or replaced: `delete`, or `stop`, which leaves a stopped cluster
   * with the service and says how to take it up again. Default `delete`. The one in the state counts, so a change of it
   * takes an `up` first.
   */
  deletionPolicy?: DeletionPolicy;
  /**
   * The most that the cluster may cost in an hour, in the currency of the service's prices; above it, preview and `up` fail
   * before anything is sent. Where the price is not known, that is said and nothing fails. Default: no limit;
   * `gpucluster:maxHourlyCost` sets one for the stack.
   */
  maxHourlyCost?: number;
  /**
   * Whether the values of `env` are ordinary texts that may be shown and stored in clear; default false: all are secrets.
   * What others set at the service, under names that the program does not have, stays secret all the same. Programs in YAML, and in other languages than TypeScript, keep them secret even so.
   */
  plainEnv?: boolean;
  /**
   * Which entry of `gpucluster:connections` says where the service is and which key to use. Default: the address and the
   * key of the environment or of the stack.
   */
  connection?: string;
}

/** A whole number, for languages that tell it from others. */
export type Integer = number;
/**
 * Whether a cluster shall run.
 *
 * - `running`: All of its replicas shall run.
 * - `stopped`: None of its replicas shall run; it keeps its name and endpoint.
 */
export type DesiredStatus = "running" | "stopped";
/**
 * What tells that a cluster is ready.
 *
 * - `status`: The health of each replica, as the service's `/status` shows it.
 * - `list`: The status of the cluster itself, as the list of clusters shows it.
 */
export type HealthCheck = "status" | "list";
/**
 * What becomes of a cluster whose resource is deleted or replaced.
 *
 * - `delete`: The cluster is deleted.
 * - `stop`: The cluster is stopped, and stays with the service.
 */
export type DeletionPolicy = "delete" | "stop";
/** Values of which only a change matters. */
export type Triggers = Record<string, Trigger> | Trigger[];
export type Trigger = string | number | boolean;

/** One replica of a cluster, as last looked at. */
export interface ReplicaStatus {
  /** The service's id of the replica; its place in the list, where there is none. */
  id: string;
  /** The service's own word, such as `starting`; empty where it has none. */
  status: string;
  /** Whether it serves. */
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
  readyReplicas: Integer;
  /** Whether everything that the inputs ask for was reached; otherwise the next `pulumi up` goes on with it. */
  settled: boolean;
  /**
   * Price of all replicas for one hour, in the currency of the service's prices, as of the last creation or change of what
   * it depends on; 0 when stopped; absent where the service names no price. (Specification, section 4, `/v1/gpus/pricing`.)
   */
  hourlyCost?: number;
  /**
   * Paths of inputs (`container`, `env`, `env.TOKEN`) that the service does not show, so that nobody can tell whether they
   * are as asked for.
   */
  unverifiedInputs: string[];
}

/** What a program can read of a cluster: its inputs, with their defaults, and what the service says. */
export interface ClusterOutputs extends Omit<ClusterInputs, "name" | "gpuType" | "replicas">, ServiceOutputs {
  /** Name of the cluster in the service, given or made. (Specification, section 2.) */
  name: string;
  /** GPU type of each replica: of a list, the one that was taken. (Specification, section 2.) */
  gpuType: string;
  /** Number of replicas that were asked for. (Specification, section 2.) */
  replicas: Integer;
}

/** What a change of an input takes. */
export type Effect = "replace" | "scale" | "rollout" | "configure" | "power" | "restart" | "redeploy";

/** What a field is, beyond its type. */
export interface FieldFlags {
  /** What a change of it takes; absent: nothing, for only this package reads it, and the update sends no request. */
  readonly effect?: Effect;
  /** It counts at creation only: a change of it is no difference. */
  readonly once?: boolean;
  /** Its values are secret, unless `plainEnv`: they are encrypted in the state and shown nowhere. */
  readonly secret?: boolean;
  /** It cannot be an output: it is needed when the resource is declared. */
  readonly plain?: boolean;
}

export type InputName = keyof ClusterInputs;

export const inputFlags: Readonly<Record<InputName, FieldFlags>> = {
  name: { effect: "replace" },
  gpuType: { effect: "replace" },
  replicas: { effect: "scale" },
  container: { effect: "rollout" },
  env: { effect: "rollout", secret: true },
  extraFields: { effect: "configure" },
  desiredStatus: { effect: "power" },
  restartTriggers: { effect: "restart" },
  redeployTriggers: { effect: "redeploy" },
  adopt: { once: true },
  skipAwait: {},
  minHealthyReplicas: {},
  healthCheck: {},
  deletionPolicy: {},
  maxHourlyCost: {},
  plainEnv: { plain: true },
  connection: {},
};

export const inputNames = Object.keys(inputFlags) as InputName[];

const outputFlags: Readonly<Record<keyof ServiceOutputs, FieldFlags>> = {
  status: {},
  endpoint: {},
  createdAt: {},
  replicaStatuses: {},
  readyReplicas: {},
  settled: {},
  hourlyCost: {},
  unverifiedInputs: {},
};

export const outputNames = Object.keys(outputFlags) as (keyof ServiceOutputs)[];

/** What an input is where the program does not say: the same as if it did, so neither is a change of the other. */
export const inputDefaults: Partial<ClusterInputs> = {
  replicas: 1,
  desiredStatus: "running",
  skipAwait: false,
  healthCheck: "status",
  deletionPolicy: "delete",
  plainEnv: false,
};

/** Those that stand in the state and in previews even so: people look for them there. */
export const shownDefaults = ["replicas", "desiredStatus", "deletionPolicy"] as const;

/** Inputs that only this package sets. */
export type HiddenInputs = {
  /** The resource's URN, which the engine does not tell. */
  readonly __urn?: string;
  /** Pulumi's `customTimeouts`, which the engine does not pass on. */
  readonly __timeouts?: Readonly<Record<string, string>>;
  /** Outputs that the program marks as secret (`additionalSecretOutputs`), which the engine does not pass on. */
  readonly __secretOutputs?: readonly string[];
  /** Whether the old cluster goes first in a replacement, if the program says so by the option of that name. */
  readonly __deleteBeforeReplace?: boolean;
  /** Paths whose change replaces the cluster, if the program says so by the option of that name. */
  readonly __replaceOnChanges?: readonly string[];
  /** The list that `gpuType` was chosen from, until it is known which of its types the service has given. */
  readonly __gpuTypes?: readonly string[];
  /** Present when the name was made, not given. */
  readonly __generatedName?: boolean;
};

/** Inputs after check: with defaults, with a name, one GPU type, and with what is already certain of the outputs. */
export type CheckedInputs = Omit<ClusterInputs, "name" | "gpuType" | "replicas"> &
  HiddenInputs & {
    readonly name: string;
    readonly gpuType: string;
    readonly replicas: number;
    readonly endpoint?: string;
    readonly createdAt?: string;
    readonly hourlyCost?: number;
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
     * the service may hold a configuration that the replicas do not run. `redeployed`: it has accepted to restart them, and that
     * was not seen yet.
     */
    readonly __unfinished?: true | "rollout" | "redeployed";
    /** Two create requests were sent for it: a refresh looks for a second cluster of its name. */
    readonly __resent?: true;
    /** Reads of the service have left out a cluster that was there: while this one is young, a 404 proves nothing. */
    readonly __late?: true;
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
  /** Names of extra fields that it shows in a form of its own: they are not compared. */
  readonly extraFields?: readonly string[];
}
