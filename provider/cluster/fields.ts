/**
 * The fields of `Cluster`: the single source of their documentation, types and flags. Diffs, secrets and the SDK's classes
 * read this file. Plain types only: they are published, and no program should have to check the types of a library.
 */

/** The inputs of a cluster. */
export interface ClusterInputs {
  /**
   * Name of the cluster in the service, and the first part of its endpoint's host. A change replaces the cluster.
   *
   * 1 to 63 letters, digits and `-`. Default: generated from the resource's name and 7 hex digits, and then kept. With
   * an explicit name, a replacement deletes the old cluster first. With a generated name, it creates the new cluster
   * first. (Specification, section 2.)
   */
  name?: string;
  /**
   * GPU type of each replica, such as `h100`; `getGpuTypes()` lists the types. A change replaces the cluster.
   *
   * A list of 1 to 20 types is an order of preference. The creation takes the first type that is in stock, or the next
   * one if the service refuses that. The cluster keeps its type as long as the list contains it. If `*` is the last
   * entry, the cluster keeps its type in any case; `getGpuTypesFor()` returns such a list. A preview that would create a
   * cluster fails if the service does not list the type. The service itself refuses a type that is unknown or not
   * available (`invalid_gpu_type`). (Specification, sections 2 and 7.)
   */
  gpuType: string | string[];
  /**
   * Number of replicas, 1 to 10 000; default 1. Changed in place, by one scale call, or in the same update as `env` and
   * `container`. (Specification, section 2.)
   *
   * A range, `{ min: 2, max: 8 }`, leaves the number to an autoscaler or to another person: within the range, nothing is
   * drift and nothing is sent. The creation asks for `min`. A number outside is corrected to the nearest bound. Limits of
   * the cost count `max`.
   */
  replicas?: Integer | ReplicaRange;
  /**
   * Container image that each replica runs, `<repository>/<image>:<tag>` or with a digest. Changed in place, by one
   * update and a roll-out. (Specification, section 2.)
   */
  container: string;
  /**
   * Environment variables of the containers. Changed in place, by one update and a roll-out.
   *
   * Values are strings smaller than 128 KiB. Every value is a secret, unless `plainEnv` is true: it is encrypted in the
   * state and masked in previews. Names stay readable. Default: none. (Specification, section 2.)
   */
  env?: Record<string, string>;
  /**
   * Request fields that this package does not know, such as `containerPort`, `tier` or `autoscaling`: JSON values by
   * the service's own names, at most 64 KiB in total.
   *
   * They are sent unchanged when the cluster is created and, if they change, with the update. They are compared if the
   * service shows them. A value that is marked as a secret stays secret. Replicas within an autoscaling range
   * (`min_replicas` and `max_replicas`, in any spelling) are no drift. Default: none.
   */
  extraFields?: Record<string, unknown>;
  /**
   * Whether the cluster runs or is stopped; default `running`. Changed in place; the update waits for the end of the
   * change, unless `skipAwait` is true.
   *
   * A stop or start by somebody else is drift. A stopped cluster keeps its name and endpoint. A new number of replicas
   * takes effect at the next start. The service does not document the cost of a stopped cluster. (Specification,
   * section 4.)
   */
  desiredStatus?: DesiredStatus;
  /**
   * Values whose change restarts the cluster once, and changes nothing else: a map or a list of strings, numbers and
   * booleans.
   *
   * The creation of the cluster causes no restart, nor does the removal of the triggers. If the same update rolls out
   * `env` or `container`, there is no further restart. Default: none. (Specification, section 4, restart.)
   */
  restartTriggers?: Triggers;
  /**
   * Values whose change redeploys the cluster once; otherwise like `restartTriggers`. If both change, the cluster is
   * only redeployed. Default: none. (Specification, section 4.)
   */
  redeployTriggers?: Triggers;
  /**
   * Id (`cl_…`) of an existing cluster that this resource takes over instead of creating one. It counts at creation
   * only, and may be removed afterwards. From then on the cluster is managed, and deleted, like any other.
   *
   * Its GPU type has to be that of the program, and so has its name if the program gives one. Other differences that
   * the service shows are corrected. Inputs that the service does not show are accepted as they are, listed in
   * `unverifiedInputs`, and first sent when they change. Default: a new cluster is created.
   */
  adopt?: string;
  /**
   * Whether to continue as soon as the service has accepted a creation or a change, without a wait for healthy
   * replicas; default false. A deletion always waits for its end.
   */
  skipAwait?: boolean;
  /**
   * Number of replicas that have to be healthy before the cluster is ready: a count from 1 to `replicas` (of a range, to
   * `min`), or a share from `"1%"` to `"100%"`, which is rounded up. Default: all.
   */
  minHealthyReplicas?: Integer | string;
  /**
   * How the provider checks that the cluster is ready: `status`, by the health of every replica; or `list`, by the
   * status of the cluster itself. Default: `status`.
   *
   * Use `list` for services with a reliable cluster status, and for keys that may not read more.
   */
  healthCheck?: HealthCheck;
  /**
   * A request that the endpoint has to answer as told before the cluster is ready. After the replicas are healthy, it is
   * repeated until the time limit of the operation. Default: none.
   *
   * After a failure, the next `pulumi up` probes again and sends nothing else. There is no probe with `skipAwait`, of a
   * stopped cluster, or by a refresh. The API key is never sent to the endpoint.
   */
  readinessProbe?: ReadinessProbe;
  /**
   * What follows if a new `container` or `env` does not get healthy: `keep` keeps it, and the next `pulumi up` waits for
   * it again; `rollBack` sends the old one again, waits for it, and then fails. Default: `keep`.
   *
   * It counts as not healthy if the service says that the cluster has failed, at the time limit of the update, and at
   * that of `readinessProbe`. The wait for the old one has a time limit of the same length. The next `pulumi up` does not
   * try the same again, unless `redeployTriggers` changes. There is no roll-back after an interrupt, with `skipAwait`, of
   * a stopped cluster, or if the old `env` is not known completely.
   */
  onFailedUpdate?: OnFailedUpdate;
  /**
   * Whether the cluster is deleted or stopped when its resource is deleted or replaced: `delete` or `stop`. Default:
   * `delete`.
   *
   * With `stop`, the stopped cluster stays with the service, and a message says how to adopt it again. The policy in
   * the state counts, so a change of it requires a `pulumi up` first.
   */
  deletionPolicy?: DeletionPolicy;
  /**
   * Whether a creation waits until a type of `gpuType` has enough free GPUs, up to the time limit of the creation
   * (`customTimeouts`); default false: a creation without capacity fails.
   *
   * It counts at creation only, also for that of a replacement: an update, a start and an adoption do not wait. Clusters
   * of one process are served in the order of their arrival. Nothing exists, and nothing is billed, during the wait.
   */
  waitForCapacity?: boolean;
  /**
   * Maximum cost of the cluster for one hour, in the currency of the service's prices; a number above 0. Above it,
   * preview and `up` fail before anything is sent.
   *
   * If the service names no price, a warning says so and nothing fails. Default: no limit; `gpucluster:maxHourlyCost`
   * limits all clusters of a stack together.
   */
  maxHourlyCost?: number;
  /**
   * Whether the values of `env` are ordinary texts that may be shown, and stored in plain text; default false: all are
   * secrets.
   *
   * Variables that others set at the service, under names that the program does not have, stay secret all the same.
   * Programs in YAML, and in languages other than TypeScript, keep all values secret.
   */
  plainEnv?: boolean;
  /**
   * Name of an entry of the config `gpucluster:connections`, which gives the address of the service and the place of
   * the key. Default: the address and the key of the environment or of the stack.
   */
  connection?: string;
}

/** A whole number, for languages with a type for integers. */
export type Integer = number;
/** A range of replicas: somebody else chooses the number within it. */
export interface ReplicaRange {
  /** Least number of replicas, 1 to 10 000; a new cluster starts with it. */
  min: Integer;
  /** Greatest number of replicas, `min` to 10 000. */
  max: Integer;
}
/**
 * Whether a cluster runs or is stopped.
 *
 * - `running`: All of its replicas run.
 * - `stopped`: None of its replicas runs; the cluster keeps its name and endpoint.
 */
export type DesiredStatus = "running" | "stopped";
/**
 * How the provider checks that a cluster is ready.
 *
 * - `status`: The health of each replica, as the service's `/status` shows it.
 * - `list`: The status of the cluster itself, as the list of clusters shows it.
 */
export type HealthCheck = "status" | "list";
/**
 * What follows if a new container or env does not get healthy.
 *
 * - `keep`: The cluster keeps it, and the next update waits for it again.
 * - `rollBack`: The old one is sent again, and the update fails when it is healthy.
 */
export type OnFailedUpdate = "keep" | "rollBack";
/** A request to the endpoint of a cluster, repeated until the answer is right. */
export interface ReadinessProbe {
  /** Path below the endpoint, such as `/health`; a query may follow. Messages show the path: secrets belong in `headers`. */
  path: string;
  /** Port of the request, 1 to 65535. Default: that of the endpoint. */
  port?: Integer;
  /** Method of the request. Default: `GET`. */
  method?: ProbeMethod;
  /**
   * Status of the right answer, 200 to 599. Default: every status from 200 to 299. Redirects within the host are followed
   * first, unless the method is `POST`.
   */
  status?: Integer;
  /** Headers of the request. The values are secrets. Default: none. */
  headers?: Record<string, string>;
  /** Body of the request, at most 64 KiB, for the method `POST`; a secret. Default: none. */
  body?: string;
  /** Seconds from the start of one request to the start of the next, 1 to 600. Default: 10. */
  period?: Integer;
  /** Seconds after which a request without a complete answer has failed, 1 to 60. Default: 10. */
  timeout?: Integer;
  /** Number of right answers in a row that make the cluster ready, 1 to 100. Default: 1. */
  successThreshold?: Integer;
}
/**
 * Method of a readiness probe.
 *
 * - `GET`: Asks for a page of the endpoint.
 * - `HEAD`: Asks for the status of a page, without its body.
 * - `POST`: Sends a body.
 */
export type ProbeMethod = "GET" | "HEAD" | "POST";
/**
 * Whether a cluster is deleted or stopped when its resource is deleted or replaced.
 *
 * - `delete`: The cluster is deleted.
 * - `stop`: The cluster is stopped, and stays with the service.
 */
export type DeletionPolicy = "delete" | "stop";
/** Values of which only a change matters. */
export type Triggers = Record<string, Trigger> | Trigger[];
export type Trigger = string | number | boolean;

/** One replica of a cluster, as last observed. */
export interface ReplicaStatus {
  /** The service's id of the replica; its place in the list if it has none. */
  id: string;
  /** The service's own status word, such as `starting`; empty if it has none. */
  status: string;
  /** Whether the replica is healthy, and serves. */
  healthy: boolean;
  /** Reason why the replica is not healthy, if the service gives one. */
  message?: string;
}

/** The outputs of a cluster. */
export interface ServiceOutputs {
  /** Lifecycle state, as the service's own status word, such as `running`. (Specification, section 3.) */
  status: string;
  /** URL at which the cluster is served. (Specification, section 2.) */
  endpoint: string;
  /** When the cluster was created, ISO 8601 in UTC. (Specification, section 2.) */
  createdAt: string;
  /** Health of each replica, as last observed. (Specification, section 4.) */
  replicaStatuses: ReplicaStatus[];
  /** Number of healthy replicas, as last observed. */
  readyReplicas: Integer;
  /**
   * Whether the cluster has reached everything that the inputs request; if not, the next `pulumi up` continues with it.
   */
  settled: boolean;
  /**
   * Price of all replicas for one hour, in the currency of the service's prices, as of the last creation or change of
   * an input that it depends on; 0 if stopped; absent if the service names no price. (Specification, section 4,
   * `/v1/gpus/pricing`.)
   */
  hourlyCost?: number;
  /**
   * Paths of inputs (`container`, `env`, `env.TOKEN`) that the service does not show, so that their observed values are
   * not known.
   */
  unverifiedInputs: string[];
}

/** The properties that a program can read of a cluster: its inputs, with their defaults, and its outputs. */
export interface ClusterOutputs extends Omit<ClusterInputs, "name" | "gpuType" | "replicas">, ServiceOutputs {
  /** Name of the cluster in the service, given or generated. (Specification, section 2.) */
  name: string;
  /** GPU type of each replica; of a list, the one that was taken. (Specification, section 2.) */
  gpuType: string;
  /** Desired number of replicas; of a range, the last one that was observed. (Specification, section 2.) */
  replicas: Integer;
}

/** The effect of a change of an input. */
export type Effect = "replace" | "scale" | "rollout" | "configure" | "power" | "restart" | "redeploy" | "probe";

/** The properties of a field, beyond its type. */
export interface FieldFlags {
  /**
   * The effect of a change. Absent: none, because only this package reads the input, and the update sends no request.
   */
  readonly effect?: Effect;
  /** The requests that carry the input: `create` the creation only, `update` an update too. Absent: no request does. */
  readonly wire?: "create" | "update";
  /** True if the input counts at creation only: a change of it is no difference. */
  readonly once?: boolean;
  /** True if the values are secret, unless `plainEnv`: they are encrypted in the state and shown nowhere. */
  readonly secret?: boolean;
  /** The parts of the value that are secret: texts, or maps of texts. */
  readonly secretParts?: readonly string[];
  /** True if the input cannot be an output, because it is needed when the resource is declared. */
  readonly plain?: boolean;
}

export type InputName = keyof ClusterInputs;

const flags = {
  name: { effect: "replace", wire: "create" },
  gpuType: { effect: "replace", wire: "create" },
  replicas: { effect: "scale", wire: "update" },
  container: { effect: "rollout", wire: "update" },
  env: { effect: "rollout", wire: "update", secret: true },
  extraFields: { effect: "configure", wire: "update" },
  desiredStatus: { effect: "power" },
  restartTriggers: { effect: "restart" },
  redeployTriggers: { effect: "redeploy" },
  adopt: { once: true },
  skipAwait: {},
  minHealthyReplicas: {},
  healthCheck: {},
  readinessProbe: { effect: "probe", secretParts: ["headers", "body"] },
  onFailedUpdate: {},
  deletionPolicy: {},
  waitForCapacity: { once: true },
  maxHourlyCost: {},
  plainEnv: { plain: true },
  connection: {},
} as const satisfies Record<InputName, FieldFlags>;

export const inputFlags: Readonly<Record<InputName, FieldFlags>> = flags;

type SentBy<Wire extends string> = {
  [Name in InputName]: (typeof flags)[Name] extends { readonly wire: Wire } ? Name : never;
}[InputName];
/** The inputs that a creation sends: the compiler asks for each of them in the request. */
export type CreatedName = SentBy<"create" | "update">;
/** The inputs that an update sends. */
export type UpdatedName = SentBy<"update">;
/** The inputs that are sent as a text: the compiler asks for the comparison of each with the record, in drift.ts. */
export type TextName = Exclude<CreatedName, "replicas" | "env" | "extraFields">;

export const inputNames = Object.keys(inputFlags) as InputName[];
export const createdNames = inputNames.filter((name) => inputFlags[name].wire) as CreatedName[];
/** If the program leaves one of them out, the service may choose the value: that is no difference. */
export const replacingNames = inputNames.filter((name) => inputFlags[name].effect === "replace");

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

/** The defaults of the inputs. An absent input equals its default, so a change between them is no difference. */
export const inputDefaults: Partial<ClusterInputs> = {
  replicas: 1,
  desiredStatus: "running",
  skipAwait: false,
  healthCheck: "status",
  onFailedUpdate: "keep",
  deletionPolicy: "delete",
  waitForCapacity: false,
  plainEnv: false,
};

/** The defaults that the state and previews show, because users look for them there. */
export const shownDefaults = ["replicas", "desiredStatus", "deletionPolicy"] as const;
