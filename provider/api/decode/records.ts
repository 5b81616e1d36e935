import { count, type FieldsOf, inner, type Kind, label, number, type Table, text, variables, words } from "./json";
import type { GpuType, ReplicaStatus } from "./types";

/**
 * The records of the service, and the guesses about clusters and errors: the specification names few fields and hardly any shape.
 * Each guess is one tagged line (docs/services.md); those about lists, replicas and GPUs stand above their readers. Names are in
 * the form of `plainName`.
 */

export const statusWord: Kind<string> = inner(text, "state", "status", "phase");

/** A URL without its trailing slash, which a service may add in one answer and leave out in the next. */
const address: Kind<string> = (value) => text(value)?.replace(/([^/])\/+$/, "$1");

/** ISO 8601 in UTC. A time without a zone is UTC; one in the documented form stays unchanged. */
const timestamp: Kind<string> = (value) => {
  if (typeof value !== "string" || number(value) !== undefined) return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)) return value;
  const date = new Date(/(Z|UTC|GMT|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

/** @assumption A field may be in snake_case, camelCase or another spelling, and null means absent. A cluster has the names of the create request and its answer, those of the official client, or plain variations of them. */
export const clusterTable = {
  name: [text, "name", "cluster_name"],
  status: [statusWord, "status", "state", "phase"],
  // The desired number takes precedence over one that may be the current one.
  replicas: [count, ...words("desired_replicas desired_replica_count target_replicas replicas replica_count")],
  endpoint: [address, "endpoint", "endpoint_url", "url"],
  createdAt: [timestamp, "created_at"],
  container: [text, "container", "image_url", "image"],
  env: [variables, "env", "env_vars", "environment", "environment_variables"],
  registryCredentialId: [text, "registry_credential_id"],
  reason: [text, "status_reason", "failure_reason", "reason", "message"],
} as const satisfies Table;

/** @assumption The id of a cluster is under one of these names; it is part of a path, so it has only characters that cannot change one. */
export const idNames = ["id", "cluster_id"];
export const clusterIdPattern = /^[A-Za-z0-9_-]{1,128}$/;
/** @assumption The GPU of a cluster is a string under one of these names, or an object with an id or a name. */
export const gpuNames = ["gpu_type", "gpu_model_id", "gpu_model", "gpu_model_name", "gpu"];
/** @assumption The name of a cluster is the start of a host name, so it has only characters of a host name. */
export const clusterNamePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;
/** @assumption A record may stand in objects with these names. */
export const wrapperNames = ["data", "cluster", "result"];

/** A cluster as the service reports it (section 2). Only the id is always present. */
export interface ClusterRecord extends Readonly<FieldsOf<typeof clusterTable>> {
  readonly id: string;
  /** The identifier of its GPU for requests, and then all its identifiers. */
  readonly gpuType?: string;
  readonly gpuIdentifiers?: readonly string[];
  readonly health?: StatusRecord;
  /** All fields of a record that was read by its id, by plain name, including null values; without env. */
  readonly fields?: ReadonlyMap<string, unknown>;
}

/**
 * What is known of a list. `whole`: nothing else exists. `unproven`: it may be whole, but shows nothing about its end. `part`: it
 * may lack records. Only a whole list proves that something does not exist.
 */
export type Extent = "whole" | "unproven" | "part";

export interface ClusterList {
  readonly clusters: readonly ClusterRecord[];
  readonly extent: Extent;
  readonly problem?: string;
}

/** A replica as an answer shows it; it need not show health. */
export type ReplicaRecord = Readonly<Omit<ReplicaStatus, "healthy"> & Partial<Pick<ReplicaStatus, "healthy">>>;

export interface StatusRecord {
  readonly status?: string;
  readonly replicas: readonly ReplicaRecord[];
  /** True if the service only counts replicas, which cannot be distinguished then. */
  readonly isCounted?: boolean;
  /** Whether the cluster as a whole is healthy; present only if the service shows this and no replicas. */
  readonly overall?: boolean;
  /** True if no replicas can be observed, so that an empty list proves nothing. */
  readonly isMissing?: true;
}

export interface GpuList {
  readonly gpus: GpuType[];
  /** Whole only if these are certainly all types, each with its identifier. */
  readonly extent: Extent;
}

/** @assumption An error without the documented envelope has its message and its code under these names. A refusal may name the missing permission and the policy that denied it. */
export const errorTable = {
  message: [text, "message", "error", "detail", "title", "description", "error_description", "error_message", "msg"],
  code: [text, "code", "error_code", "type"],
  requestId: [label, "request_id"],
  permission: [text, "permission"],
  deniedBy: [text, "denied_by"],
} as const satisfies Table;
/** @assumption After this code a wait is useless: no node can hold so many GPUs. */
export const countCode = "gpu_count_not_allocatable";
/** @assumption If a refusal calls a field missing, the service accepts the update with it. */
export const missingField = /missing|required|must be (given|present|set)/i;
/** @assumption This status means that a rate limit is used up, unless the answer names another reason: nothing was done. */
export const rateLimitStatus = 429;
/** @assumption An error code with one of these words means that the cluster is changing, whatever its status is. */
export const busyCode = /busy|in_?(progress|transition)|transitioning/i;
/** @assumption A refusal is about one of these if it has such words, in the form of `plainName`. A rate recovers by itself; an account and a lock do not, so no wait helps. The rate of a price is no rate of requests. */
export const refusalWords = {
  rate: /(^|_)((?<!(hourly|daily|price)_)rates?|rate_?limit\w*|too_many_(requests|calls)|throttl\w*|slow_?down|requests?_per)(_|$)/,
  account:
    /(^|_)(quotas?|capacity|plans?|billing|payments?|balance|credits?|funds?|subscriptions?|budgets?|upgrade|(gpu|cluster|replica|instance|resource)s?_limit)(_|$)/,
  lock: /(^|_)(scope_?locked|admin\w*|owner|policy|protected|protection)(_|$)/,
} as const;

/** The category of a GPU, in place of its type. */
const categoryForm = /^(gpu|cpu|accelerator|accelerated|instance|machine)s?([ _-](type|model|instance)s?)?$/i;
/** A string that is neither a number, such as a count or the key of a database table, nor a word for a category. */
export const gpuIdentifier: Kind<string> = (value) => {
  const found = text(value)?.trim();
  return found === undefined || /^\d+$/.test(found) || categoryForm.test(found) ? undefined : found;
};

/** Whether an identifier is a UUID: only services with the client's names have such GPU types. */
export const isUuid = (identifier: string): boolean => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(identifier);

/** @assumption The id of a cluster has this prefix; an id without it may belong to something else. */
export const clusterIdPrefix = "cl_";

export const hasIdPrefix = (id: string): boolean => id.toLowerCase().startsWith(clusterIdPrefix);

/** Compares ids without case: a service may report an id in another case than at creation. */
export const sameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Normalizes an identifier of a GPU type for comparison: `RTX 4090`, `rtx-4090` and `rtx_4090` are equal. */
export const gpuKey = (identifier: string): string =>
  identifier.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || identifier;
