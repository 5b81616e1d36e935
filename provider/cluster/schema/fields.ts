import type { ClusterDetails, Integer, ReplicaStatus } from "../../api/decode/types";

/**
 * The fields of `Cluster`: the single source of their documentation, types and flags. Diffs, secrets and the SDK's classes
 * read this file. Plain types only: they are published, and no program should have to check the types of a library.
 */

/** The inputs of a cluster. */
export interface ClusterInputs {
  /**
   * Name of the cluster in the service, and the first part of its endpoint's host. A change replaces the cluster.
   *
   * 1 to 63 letters, digits and `-`. Default: a generated name, which is the resource's name and 7 hex digits, and does
   * not change afterwards. Two clusters cannot have one name: a replacement that keeps an explicit name needs the old
   * cluster to be deleted first.
   */
  name?: string;
  /**
   * GPU type of each replica, such as `h100`; `getGpuTypes()` lists the types. A change replaces the cluster, unless the
   * type that the cluster has is still allowed by `gpuType` or `fallbackGpuTypes`.
   *
   * A preview of a creation fails if the service does not list the type. The service itself refuses a type that is
   * unknown or not available (`invalid_gpu_type`).
   */
  gpuType: string;
  /**
   * GPU types that the cluster may have instead of `gpuType`, 1 to 10, in order of preference. Duplicates, and `gpuType`
   * itself, are ignored. Default: none.
   *
   * A creation requests `gpuType` first. If the service refuses it for lack of GPUs, the creation requests these types
   * in their order. A cost limit applies to each of them. A cluster keeps its type as long as it is `gpuType` or one of
   * these.
   */
  fallbackGpuTypes?: string[];
  /**
   * Number of replicas, 1 to 10 000; default 1. Changed in place, by one scale request. If the same update changes
   * `env` or `container`, the number changes only after the new configuration is healthy.
   *
   * If an autoscaler controls the number, use the option `ignoreChanges: ["replicas"]`.
   */
  replicas?: Integer;
  /**
   * Container image that each replica runs, `<repository>/<image>:<tag>` or with a digest. Changed in place, by one
   * update and a rollout.
   */
  container: string;
  /**
   * Environment variables of the containers. Changed in place, by one update and a rollout.
   *
   * Values are strings smaller than 128 KiB. A secret value is encrypted in the state and masked in previews. A value is
   * secret if the program marks it, if its name or the value looks like a credential (`HF_TOKEN`,
   * `postgres://user:password@host`), or if the variable does not come from the program. Other values are readable.
   * Default: none.
   */
  env?: Record<string, string>;
  /**
   * Id of the credential with which replicas pull a private image. The service stores the credential. Changed in place,
   * by one update and a rollout; removed by an update with null.
   *
   * 1 to 256 printable characters without spaces. The id is not secret unless the program marks it. A value that looks
   * like a credential itself is refused. Drift is detected only if the service reports the id. Default: none, for public
   * images.
   */
  registryCredentialId?: string;
  /**
   * Request fields that this package does not know, such as `containerPort`, `tier` or `autoscaling`: JSON values by
   * the service's own names, at most 64 KiB in total.
   *
   * The creation sends them unchanged, and an update sends those that change. Drift is detected only if the service
   * reports them. The rules for secret values are those of `env`. A number of replicas within an autoscaling range
   * (`min_replicas` and `max_replicas`, in any spelling) is not drift. Default: none.
   */
  extraFields?: Record<string, unknown>;
  /**
   * Whether the cluster runs or is stopped; default `running`. Changed in place; the update waits until the cluster runs
   * or is stopped, unless `skipAwait` is true.
   *
   * A stop or start by another user is drift. A stopped cluster keeps its name and endpoint. A new number of replicas
   * takes effect at the next start. The service does not document the cost of a stopped cluster.
   */
  desiredStatus?: DesiredStatus;
  /**
   * End of the cluster: from this time on, each `pulumi up` treats `desiredStatus` as `stopped`. Nothing stops a cluster
   * while nobody runs `up`: run it on a schedule.
   *
   * A date and a time with a zone, ISO 8601: `2030-06-30T18:00Z`, `2030-06-30T18:00+02:00`. A later time, or none, starts the
   * cluster again. To create, replace or adopt a cluster after its end is an error before any change. Not sent to the service.
   * Default: no end.
   */
  runUntil?: string;
  /**
   * Values whose change restarts the cluster once, and changes nothing else: a map or a list of strings, numbers and
   * booleans.
   *
   * Neither the creation of the cluster nor the removal of the triggers restarts it; the first triggers of a running
   * cluster do. An update that rolls out `env` or `container` does not restart it a second time. Default: none.
   */
  restartTriggers?: Triggers;
  /**
   * Values whose change redeploys the cluster once; otherwise like `restartTriggers`. If both change, the cluster is
   * only redeployed. Default: none.
   */
  redeployTriggers?: Triggers;
  /**
   * Id (`cl_…`) of an existing cluster that this resource takes over instead of creating one. Used only at creation; you
   * can remove it afterwards. From then on the cluster is managed, and deleted, like any other.
   *
   * The cluster must have the GPU type of the program, and the name if the program sets one. The adoption corrects other
   * differences that the service reports. Inputs that the service does not report are sent only when they change.
   * Default: a new cluster is created.
   */
  adopt?: string;
  /**
   * Whether to continue as soon as the service has accepted a creation or a change, without waiting for healthy replicas;
   * default false. A deletion always waits until the cluster is gone.
   */
  skipAwait?: boolean;
  /**
   * Number of replicas that must be healthy before the cluster is ready, 1 to `replicas`. Default: all.
   */
  minHealthyReplicas?: Integer;
  /**
   * HTTP check that must pass before the cluster is ready. It starts when the replicas are healthy, and repeats until it
   * passes or the operation reaches its time limit. Default: none.
   *
   * After a failure, the next `pulumi up` probes again and sends nothing else. Stopped clusters, refreshes, and
   * operations with `skipAwait` are not probed. The API key is never sent to the endpoint.
   */
  readinessProbe?: ReadinessProbe;
  /**
   * What to do when an update of `container`, `env` or `registryCredentialId` does not become healthy. `keep` leaves the
   * new configuration in place, and the next `pulumi up` waits for it again. `rollBack` restores the old configuration,
   * waits until it is healthy, and then fails; the next `pulumi up` tries the new one again. Default: `keep`.
   *
   * An update has not become healthy if the service reports that the cluster has failed, or if the update or
   * `readinessProbe` reaches its time limit. The rollback has a time limit of the same length. There is no rollback after
   * an interrupt, with `skipAwait`, or of a cluster that was not ready before.
   */
  onFailedUpdate?: OnFailedUpdate;
  /**
   * What to do when the service refuses a creation for lack of GPUs of `gpuType` and of all `fallbackGpuTypes`. `fail` fails.
   * `wait` requests them again until the time limit of the creation (`customTimeouts`). `nextRun` deploys the rest of the
   * stack, and the next `pulumi up` tries again. Default: `fail`.
   *
   * Used only at creation, even of a replacement: a refused update, start or adoption fails. Until the creation succeeds,
   * nothing exists and nothing is billed. `nextRun` needs the plugin (in TypeScript, `pulumi-gpucluster/native`) and Pulumi
   * CLI 3.272, which exits with 10; with an older one, the creation fails.
   */
  onNoCapacity?: OnNoCapacity;
  /**
   * Maximum cost of the cluster for one hour, in the currency of the service's prices; a number above 0. If a change
   * raises the cost above it, preview and `up` fail before anything is sent for this cluster.
   *
   * If the service reports no price, preview and `up` only warn. If the price cannot be looked up, they fail. Default: no
   * limit; `gpucluster:maxHourlyCost` limits the total of all clusters of a stack.
   */
  maxHourlyCost?: number;
}

/**
 * Whether a cluster runs or is stopped.
 *
 * - `running`: All of its replicas run.
 * - `stopped`: None of its replicas runs; the cluster keeps its name and endpoint.
 */
export type DesiredStatus = "running" | "stopped";
/**
 * What to do when an update of the configuration does not become healthy.
 *
 * - `keep`: Leaves the new configuration in place; the next update waits for it again.
 * - `rollBack`: Restores the old configuration, waits until it is healthy, and fails the update.
 */
export type OnFailedUpdate = "keep" | "rollBack";
/**
 * What to do when the service refuses a creation for lack of GPUs.
 *
 * - `fail`: Fails.
 * - `wait`: Requests them again until the time limit of the creation.
 * - `nextRun`: Deploys the rest of the stack; the next `pulumi up` tries again.
 */
export type OnNoCapacity = "fail" | "wait" | "nextRun";
/** HTTP check of a cluster's endpoint, repeated until it passes. */
export interface ReadinessProbe {
  /** Path below the endpoint, such as `/health`, with or without a query. Messages show the path: put secrets in `headers`. */
  path: string;
  /** Port of the request, 1 to 65535. Default: that of the endpoint. */
  port?: Integer;
  /** Method of the request. Default: `GET`. */
  method?: ProbeMethod;
  /** Status that passes the check, 200 to 599. Default: every status from 200 to 299. Redirects are not followed. */
  status?: Integer;
  /** Headers of the request. The rules for secret values are those of `env`. Default: none. */
  headers?: Record<string, string>;
  /** Body of the request, at most 64 KiB, for the method `POST`; a secret. Default: none. */
  body?: string;
  /** Seconds from the start of one request to the start of the next, 1 to 600. Default: 10. */
  period?: Integer;
  /** Seconds to wait for a complete answer, 1 to 60. Default: 10. */
  timeout?: Integer;
  /** Number of requests in a row that must pass, 1 to 100. Default: 1. */
  successThreshold?: Integer;
}
/**
 * Method of a readiness probe.
 *
 * - `GET`: Requests a page of the endpoint.
 * - `HEAD`: Requests the status of a page, without its body.
 * - `POST`: Sends a body.
 */
export type ProbeMethod = "GET" | "HEAD" | "POST";
/** Values that have an effect only when they change. */
export type Triggers = Record<string, Trigger> | Trigger[];
export type Trigger = string | number | boolean;

/** The outputs of a cluster. */
export interface ServiceOutputs extends ClusterDetails {
  /** Health of each replica, as last observed. */
  replicaStatuses: ReplicaStatus[];
  /** Number of healthy replicas, as last observed. */
  readyReplicas: Integer;
  /**
   * Price of all replicas for one hour, in the currency of the service's prices; 0 if stopped, absent if the service
   * reports no price. Updated by a creation, by a change of an input that the price depends on, and by a refresh that finds
   * another number of replicas, or the cluster stopped or started.
   */
  hourlyCost?: number;
}

/** The properties that a program can read of a cluster: its inputs, with their defaults, and its outputs. */
export interface ClusterOutputs extends Omit<ClusterInputs, "name" | "gpuType" | "replicas">, ServiceOutputs {
  /** Name of the cluster in the service, explicit or generated. */
  name: string;
  /** GPU type that each replica has: `gpuType` of the program, or one of `fallbackGpuTypes`. */
  gpuType: string;
  /** Desired number of replicas. */
  replicas: Integer;
}

export type Effect = "replace" | "scale" | "rollout" | "configure" | "power" | "restart" | "redeploy" | "probe";

interface FieldFlags {
  /** Absent: only this package reads the input, so that its change sends no request. */
  readonly effect?: Effect;
  /** The requests that carry the input: `create` the creation only, `update` an update too. Absent: no request does. */
  readonly wire?: "create" | "update";
  /** True if the input is used only at creation: a change of it is not a difference. */
  readonly once?: boolean;
  /** True if the value can contain secrets: `mapSecrets` judges it key by key. */
  readonly mayContainSecrets?: boolean;
  /** The parts of the value that are always secret. */
  readonly secretParts?: readonly string[];
}

export type InputName = keyof ClusterInputs;

const flags = {
  name: { effect: "replace", wire: "create" },
  gpuType: { effect: "replace", wire: "create" },
  fallbackGpuTypes: {},
  replicas: { effect: "scale", wire: "update" },
  container: { effect: "rollout", wire: "update" },
  env: { effect: "rollout", wire: "update", mayContainSecrets: true },
  registryCredentialId: { effect: "rollout", wire: "update", mayContainSecrets: true },
  extraFields: { effect: "configure", wire: "update", mayContainSecrets: true },
  desiredStatus: { effect: "power" },
  runUntil: {},
  restartTriggers: { effect: "restart" },
  redeployTriggers: { effect: "redeploy" },
  adopt: { once: true },
  skipAwait: {},
  minHealthyReplicas: {},
  readinessProbe: { effect: "probe", mayContainSecrets: true, secretParts: ["body"] },
  onFailedUpdate: {},
  onNoCapacity: { once: true },
  maxHourlyCost: {},
} as const satisfies Record<InputName, FieldFlags>;

export const inputFlags: Readonly<Record<InputName, FieldFlags>> = flags;

type SentBy<Wire extends string> = {
  [Name in InputName]: (typeof flags)[Name] extends { readonly wire: Wire } ? Name : never;
}[InputName];
/** The inputs that a creation sends: the compiler asks for each of them in the request. */
export type CreatedName = SentBy<"create" | "update">;
const otherKinds = ["replicas", "env", "extraFields"] as const;
/** The inputs that are sent as a string: the compiler asks for the name of each in the record, in api/decode/records.ts. */
export type TextName = Exclude<CreatedName, (typeof otherKinds)[number]>;

export const inputNames = Object.keys(inputFlags) as InputName[];
export const createdNames = inputNames.filter((name) => inputFlags[name].wire) as CreatedName[];
export const textNames = createdNames.filter((name): name is TextName => !otherKinds.some((other) => other === name));
export const secretCapableInputs = inputNames.filter((name) => inputFlags[name].mayContainSecrets);
/** If the program omits one of them, the service can choose the value, which is not a difference. */
export const replacingNames = inputNames.filter((name) => inputFlags[name].effect === "replace");

/** A map, so that the compiler asks for each output. */
const outputs: Readonly<Record<keyof ServiceOutputs, true>> = {
  status: true,
  endpoint: true,
  createdAt: true,
  replicaStatuses: true,
  readyReplicas: true,
  hourlyCost: true,
};

export const outputNames = Object.keys(outputs) as (keyof ServiceOutputs)[];

/** An absent input equals its default, so a change between them is not a difference. */
export const inputDefaults: Partial<ClusterInputs> = {
  replicas: 1,
  desiredStatus: "running",
  skipAwait: false,
  onFailedUpdate: "keep",
  onNoCapacity: "fail",
};
