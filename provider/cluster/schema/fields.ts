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
   * 1 to 63 letters, digits and `-`. Default: generated from the resource's name and 7 hex digits, and then kept. With
   * an explicit name, a replacement deletes the old cluster first. With a generated name, it creates the new cluster
   * first.
   */
  name?: string;
  /**
   * GPU type of each replica, such as `h100`; `getGpuTypes()` lists the types. A change replaces the cluster, unless it
   * has a type of `fallbackGpuTypes`.
   *
   * A preview that would create a cluster fails if the service does not list the type. The service itself refuses a type
   * that is unknown or not available (`invalid_gpu_type`).
   */
  gpuType: string;
  /**
   * GPU types that the cluster may have instead of `gpuType`, 1 to 10, the best first. Duplicates, and `gpuType` itself,
   * are ignored. Default: none.
   *
   * A creation asks for `gpuType`, and for these in their order if the service refuses that for lack of GPUs. A limit on costs
   * holds for each of them. A cluster keeps its type as long as it is `gpuType` or one of these.
   */
  fallbackGpuTypes?: string[];
  /**
   * Number of replicas, 1 to 10 000; default 1. Changed in place, by one scale call. If the same update changes `env` or
   * `container`, more replicas are added when those are healthy.
   *
   * Where an autoscaler owns the number, use the option `ignoreChanges: ["replicas"]`.
   */
  replicas?: Integer;
  /**
   * Container image that each replica runs, `<repository>/<image>:<tag>` or with a digest. Changed in place, by one
   * update and a roll-out.
   */
  container: string;
  /**
   * Environment variables of the containers. Changed in place, by one update and a roll-out.
   *
   * Values are strings smaller than 128 KiB. A value is a secret, encrypted in the state and masked in previews, if the
   * program marks it, if its name or the value looks like a credential (`HF_TOKEN`, `postgres://user:password@host`), or if
   * the program did not give the variable. Other values are readable. Default: none.
   */
  env?: Record<string, string>;
  /**
   * Id of the credential, stored with the service, by which replicas pull a private image. Changed in place, by one update
   * and a roll-out; removed by an update with null.
   *
   * 1 to 256 printable characters without spaces. The id is no secret, unless the program marks it; a value that looks like a
   * credential is refused. It is compared if the service shows it. Default: none, for public images.
   */
  registryCredentialId?: string;
  /**
   * Request fields that this package does not know, such as `containerPort`, `tier` or `autoscaling`: JSON values by
   * the service's own names, at most 64 KiB in total.
   *
   * They are sent unchanged when the cluster is created and, if they change, with the update. They are compared if the
   * service shows them. Which values are secret is decided as for `env`. Replicas within an autoscaling range
   * (`min_replicas` and `max_replicas`, in any spelling) are no drift. Default: none.
   */
  extraFields?: Record<string, unknown>;
  /**
   * Whether the cluster runs or is stopped; default `running`. Changed in place; the update waits for the end of the
   * change, unless `skipAwait` is true.
   *
   * A stop or start by somebody else is drift. A stopped cluster keeps its name and endpoint. A new number of replicas
   * takes effect at the next start. The service does not document the cost of a stopped cluster.
   */
  desiredStatus?: DesiredStatus;
  /**
   * Values whose change restarts the cluster once, and changes nothing else: a map or a list of strings, numbers and
   * booleans.
   *
   * The creation of the cluster causes no restart, nor does the removal of the triggers. If the same update rolls out
   * `env` or `container`, there is no further restart. Default: none.
   */
  restartTriggers?: Triggers;
  /**
   * Values whose change redeploys the cluster once; otherwise like `restartTriggers`. If both change, the cluster is
   * only redeployed. Default: none.
   */
  redeployTriggers?: Triggers;
  /**
   * Id (`cl_…`) of an existing cluster that this resource takes over instead of creating one. It counts at creation
   * only, and may be removed afterwards. From then on the cluster is managed, and deleted, like any other.
   *
   * Its GPU type has to be that of the program, and so has its name if the program gives one. Other differences that
   * the service shows are corrected. Inputs that the service does not show are accepted as they are, and first
   * sent when they change. Default: a new cluster is created.
   */
  adopt?: string;
  /**
   * Whether to continue as soon as the service has accepted a creation or a change, without a wait for healthy
   * replicas; default false. A deletion always waits for its end.
   */
  skipAwait?: boolean;
  /**
   * Number of replicas that have to be healthy before the cluster is ready, 1 to `replicas`. Default: all.
   */
  minHealthyReplicas?: Integer;
  /**
   * HTTP check that has to pass before the cluster is ready. After the replicas are healthy, it is repeated until the time
   * limit of the operation. Default: none.
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
   * that of `readinessProbe`. The wait for the old one has a time limit of the same length. The next `pulumi up` tries
   * again. There is no roll-back after an interrupt, with `skipAwait`, or of a cluster that was not ready before.
   */
  onFailedUpdate?: OnFailedUpdate;
  /**
   * Whether a creation that the service refuses for lack of GPUs waits until it gets `gpuType` or one of `fallbackGpuTypes`,
   * up to the time limit of the creation (`customTimeouts`); default false: such a creation fails.
   *
   * It counts at creation only, also for that of a replacement: an update, a start and an adoption do not wait. Nothing
   * exists, and nothing is billed, during the wait.
   */
  waitForCapacity?: boolean;
  /**
   * Maximum cost of the cluster for one hour, in the currency of the service's prices; a number above 0. Above it,
   * preview and `up` fail before anything is sent.
   *
   * If the service names no price, a warning says so and nothing fails; a price that cannot be looked up is a failure.
   * Default: no limit; `gpucluster:maxHourlyCost` limits all clusters of a stack together.
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
  /** Status of the right answer, 200 to 599. Default: every status from 200 to 299. Redirects are not followed. */
  status?: Integer;
  /** Headers of the request. Which values are secret is decided as for `env`. Default: none. */
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
/** Values of which only a change matters. */
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
   * names no price. A creation, and a change of an input that it depends on, read the price again.
   */
  hourlyCost?: number;
}

/** The properties that a program can read of a cluster: its inputs, with their defaults, and its outputs. */
export interface ClusterOutputs extends Omit<ClusterInputs, "name" | "gpuType" | "replicas">, ServiceOutputs {
  /** Name of the cluster in the service, given or generated. */
  name: string;
  /** GPU type that each replica has: `gpuType` of the program, or one of `fallbackGpuTypes`. */
  gpuType: string;
  /** Desired number of replicas. */
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
  /** True if the value may hold secrets: secrets.ts judges it key by key. */
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
  restartTriggers: { effect: "restart" },
  redeployTriggers: { effect: "redeploy" },
  adopt: { once: true },
  skipAwait: {},
  minHealthyReplicas: {},
  readinessProbe: { effect: "probe", mayContainSecrets: true, secretParts: ["body"] },
  onFailedUpdate: {},
  waitForCapacity: { once: true },
  maxHourlyCost: {},
} as const satisfies Record<InputName, FieldFlags>;

export const inputFlags: Readonly<Record<InputName, FieldFlags>> = flags;

type SentBy<Wire extends string> = {
  [Name in InputName]: (typeof flags)[Name] extends { readonly wire: Wire } ? Name : never;
}[InputName];
/** The inputs that a creation sends: the compiler asks for each of them in the request. */
export type CreatedName = SentBy<"create" | "update">;
/** The inputs that are sent as something else than a text. */
const otherKinds = ["replicas", "env", "extraFields"] as const;
/** The inputs that are sent as a text: the compiler asks for the name of each in the record, in api/decode/records.ts. */
export type TextName = Exclude<CreatedName, (typeof otherKinds)[number]>;

export const inputNames = Object.keys(inputFlags) as InputName[];
export const createdNames = inputNames.filter((name) => inputFlags[name].wire) as CreatedName[];
export const textNames = createdNames.filter((name): name is TextName => !otherKinds.some((other) => other === name));
/** The inputs that may hold secrets. */
export const secretCapableInputs = inputNames.filter((name) => inputFlags[name].mayContainSecrets);
/** If the program leaves one of them out, the service may choose the value: that is no difference. */
export const replacingNames = inputNames.filter((name) => inputFlags[name].effect === "replace");

const outputFlags: Readonly<Record<keyof ServiceOutputs, FieldFlags>> = {
  status: {},
  endpoint: {},
  createdAt: {},
  replicaStatuses: {},
  readyReplicas: {},
  hourlyCost: {},
};

export const outputNames = Object.keys(outputFlags) as (keyof ServiceOutputs)[];

/** The defaults of the inputs. An absent input equals its default, so a change between them is no difference. */
export const inputDefaults: Partial<ClusterInputs> = {
  replicas: 1,
  desiredStatus: "running",
  skipAwait: false,
  onFailedUpdate: "keep",
  waitForCapacity: false,
};

/** The defaults that the state and previews show, because users look for them there. */
export const shownDefaults = ["replicas", "desiredStatus"] as const;
