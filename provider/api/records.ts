/**
 * The guesses about the answers of the service: the specification names few fields and hardly any shape. Each guess
 * about answers is a table here; each guess about requests is one in endpoints.ts or requestNames.ts. Each guess has
 * one tagged line, and docs/assumptions.md lists them. The files in read/ handle kinds of values, and no names. Names
 * have the form of `plainName`, the most specific first.
 */

import type { GpuType } from "../types";

/** Reads one answer; throws an UnreadableError if it cannot. It requires only the fields that it needs. */
export type Reader<T> = (json: unknown) => T;

/** A cluster as the service shows it (section 2). Only the id is always present. */
export interface ClusterRecord extends Readonly<Partial<Record<keyof typeof clusterTexts, string>>> {
  readonly id: string;
  readonly name?: string;
  /** The service's own status word. */
  readonly status?: string;
  readonly gpuType?: string;
  /** Every text by which the record identifies its GPU: type, id and name. */
  readonly gpuIdentifiers?: readonly string[];
  readonly replicas?: number;
  /** The reason for its state, in the service's own words, which may quote values of env. */
  readonly reason?: string;
  /** The health of its replicas, if the record itself shows it. */
  readonly health?: StatusRecord;
  readonly endpoint?: string;
  /** ISO 8601, UTC. */
  readonly createdAt?: string;
  /** Values by name; null if the service shows a name without its value. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** All fields of a record that was read by its id, by plain name, including null values; without env. */
  readonly fields?: ReadonlyMap<string, unknown>;
}

/** The clusters of the organization. */
export interface ClusterList {
  readonly clusters: readonly ClusterRecord[];
  /** False if there may be clusters that are not in `clusters`: then a missing cluster proves nothing. */
  readonly complete: boolean;
  /** The reason why the list could not be read to its end, if one is known. */
  readonly problem?: string;
}

/** The GPU types in a list. */
export interface GpuList {
  readonly gpus: GpuType[];
  /** True only if these are certainly all types, each with its identifier. */
  readonly certain: boolean;
}

/** One replica, as `/status` shows it. */
export interface ReplicaRecord {
  readonly id: string;
  /** The service's own status word; empty if it shows none. */
  readonly status: string;
  readonly healthy: boolean;
  /** The reason why it is not healthy, if the service shows one. */
  readonly message?: string;
}

/** The content of `/status` (section 4). */
export interface StatusRecord {
  /** The state of the whole cluster, if the answer shows it. */
  readonly status?: string;
  readonly replicas: readonly ReplicaRecord[];
  /** True if the service only counts replicas, so that they cannot be distinguished. */
  readonly isCounted?: boolean;
  /** Whether the cluster as a whole is healthy; present only if the service shows this, and nothing about replicas. */
  readonly overall?: boolean;
  /** True if no replicas can be observed: that none are listed proves nothing then. */
  readonly isMissing?: true;
}

/** The inputs that a record shows as a text, or as an object with one: the table declares, names and reads them. */
export const clusterTexts = {
  container: ["container", "image", "image_url"],
} as const;

/** @assumption A field name in an answer may be in snake_case, camelCase or another spelling, and null means absent. */
/** @assumption A cluster has the field names of the create request and its answer, or other names of this table. */
export const clusterNames = {
  ...clusterTexts,
  id: ["id", "cluster_id"],
  name: ["name", "cluster_name", "display_name"],
  status: ["status", "state", "phase", "current_state", "endpoint_status", "actual_status"],
  replicas: ["desired_replicas", "desired_replica_count", "target_replica", "replicas", "replica_count", "pod_count"],
  endpoint: ["endpoint", "endpoint_url", "url"],
  createdAt: ["created_at", "create_time", "creation_timestamp"],
  env: ["env", "environment", "env_vars", "environment_variables"],
  deleted: ["deleted_at"],
  reason: ["status_reason", "failure_reason", "status_message", "reason", "message", "error"],
} as const;

/** @assumption The id of a cluster has this prefix; if there is no such id, another one of letters, digits, `-` and `_` is accepted. */
export const clusterIdPrefix = "cl_";
/** An id is part of a request path: it has only characters that cannot change the path. */
export const clusterIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** @assumption The name of a cluster is the start of a host name, so it has only characters of a host name. */
export const clusterNamePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;
/** @assumption A single record is the answer itself, or stands inside at most two levels of objects, under one of these names or another. */
export const wrapperNames = ["cluster", "deployment", "data", "result", "response"];
export const recordDepth = 2;
/** @assumption A value under one of these names describes a failure or a request, not the requested record. */
export const notRecords: ReadonlySet<string> = new Set(
  "error errors request operation organization owner proto constructor prototype".split(" "),
);
/** @assumption Some fields of a record may stand in one of these objects inside it; a single value may stand in an object under one of the names below. */
export const fieldGroups = [
  "attributes",
  "properties",
  "spec",
  "specs",
  "config",
  "configuration",
  "settings",
  "compute",
  "resources",
  "metadata",
];

export const innerNames = {
  word: ["state", "status", "phase", "name"],
  image: ["image", "reference", "name"],
  address: ["url", "address"],
  count: ["desired", "target", "total"],
} as const;

/** @assumption A list, or a map of ids to records, is the answer itself or stands under one of these names. Another name counts if it is the only one. At most three levels deep. */
export const clusterListNames = ["clusters", "data", "items"];
export const listDepth = 3;

/** @assumption A list under one of these names is not the requested one; a list may lack records if a field such as `error` or `partial` beside it is set. */
export const sideLists: ReadonlySet<string> = new Set(["warnings", "messages", "links", "tags"]);
export const partMarks = ["error", "errors", "partial", "incomplete", "unreachable"];

/** @assumption A time without a zone is UTC; a number is Unix time, in seconds or, from this number on, in milliseconds. */
export const firstMillisecondStamp = 1e11;

/** @assumption `env` is a map, or a list of names, of `NAME=value` texts, or of objects with these names. */
export const envNames = { name: ["name", "key"], value: ["value"] } as const;

/** @assumption A page names the next one by a field whose name has only these words, with `next` among them; by one of these cursor fields; or by a link. */
export const nextWords: ReadonlySet<string> = new Set(
  "next page cursor token link url href marker offset start number index id key results".split(" "),
);
export const cursorNames = ["end_cursor", "cursor", "continue"];
/** @assumption The query parameter for a page is the name of the field that shows the page, without `next`; the fields listed here have another parameter, or keep their name. */
export const pageParameters: Readonly<Record<string, string>> = {
  next: "cursor",
  end_cursor: "after",
  number: "page",
  current_page: "page",
};
export const keptParameters = ["next_token"];
/** @assumption Fields about pages stand beside the records, up to three objects deep, or in headers that begin with `X-`, under these names. */
export const pageNames = {
  more: ["has_more", "has_next", "has_next_page", "more", "truncated", "is_truncated"],
  page: ["page", "page_number", "current_page", "number"],
  pages: ["total_pages", "page_count", "last_page", "pages"],
  offset: ["offset", "skip", "start"],
  limit: ["limit", "per_page", "page_size", "size", "count_per_page"],
  total: ["total", "total_count", "total_elements", "total_items", "total_results", "total_size"],
  count: ["count"],
} as const;
/** @assumption Any other field with one of these words in its name may mean that there are more pages; in a list of GPUs, fields of objects other than these do not count. */
export const pageHints: ReadonlySet<string> = new Set(
  "next cursor token continue continuation marker after bookmark scroll more remaining truncated evaluated partial unreachable".split(
    " ",
  ),
);
export const pageObjects: ReadonlySet<string> = new Set("pagination paging page_info page meta links".split(" "));
/** @assumption A list that shows nothing about its length may be the first page of a longer one if it has one of these numbers of records. */
export const pageSizes: ReadonlySet<number> = new Set([10, 20, 25, 30, 50, 100, 200, 250, 500, 1000]);

/** @assumption Replicas are a list or a map, under one of these names or another; or they are only counted; or one flag or word counts for all. */
export const replicaListNames = ["replicas", "workers", "instances", "pods", "data", "items"];
/** @assumption A replica has these field names, or conditions; one negative flag or condition outweighs every word. */
export const replicaNames = {
  id: ["id", "name", "replica", "pod", "index"],
  status: ["status", "state", "phase", "health", "health_status"],
  healthy: ["healthy", "is_healthy", "health", "health_status", "ready", "is_ready", "readiness", "liveness"],
  message: ["message", "reason", "error", "detail", "details"],
} as const;
export const healthConditions: ReadonlySet<string> = new Set(["healthy", "ready", "available"]);
/** @assumption A list under one of these names is about parts of a replica or of the cluster; a bad word anywhere in a replica means that the replica is unhealthy. */
export const partLists: ReadonlySet<string> = new Set(
  "conditions checks probes containers container_statuses gpus events volumes disks".split(" "),
);
export const sickWords: ReadonlySet<string> = new Set(
  "unhealthy not_ready critical degraded down fail failing".split(" "),
);
/** @assumption A field that counts replicas has one of these words, or a word for their state, in its name. */
export const replicaCounts = {
  /** The desired number and the present number. */
  desired: ["desired", "target", "expected"],
  total: ["total", ""],
  healthy: ["healthy", "ready", "available"],
  /** The rest is healthy. */
  unhealthy: ["unhealthy", "unready", "not_ready", "unavailable"],
  /** Says nothing about health. If such a field is present, a missing count is zero. */
  other: ["updated"],
} as const;
export const countedWords: ReadonlySet<string> = new Set(
  "replica replicas instance instances pod pods worker workers".split(" "),
);

/** The meaning of a state word for a wait; `unknown` for an unknown word, and for none. */
export type StateKind = "running" | "pending" | "failed" | "stopped" | "terminated" | "unknown";

/** @assumption A cluster that is being deleted or stopped shows one of these words for a while. */
/** A cluster with one of these words counts as deleted: its name is free. */
export const leavingWords: ReadonlySet<string> = new Set(["terminating", "deleting"]);
export const stoppingWords: ReadonlySet<string> = new Set(
  "stopping suspending pausing halting shutting_down".split(" "),
);
/** @assumption The specification names `provisioning` only; other states have these words, alone or with a word for the thing that has the state. */
export const stateWords: Record<Exclude<StateKind, "unknown">, string> = {
  running: "running ready active healthy available started ok passing",
  pending:
    "provisioning pending creating created queued waiting accepted requested scheduling scheduled allocating preparing " +
    "starting starting_up booting initializing initialising building pulling updating upgrading scaling scaling_up " +
    "scaling_down deploying redeploying rolling_out rolling_update restarting rebooting resuming reconciling in_progress " +
    "destroying removing deprovisioning pending_deletion pending_delete delete_in_progress " +
    `not_ready unhealthy degraded draining ${[...stoppingWords, ...leavingWords].join(" ")}`,
  failed: "failed failure error errored crashed dead rejected",
  stopped: "stopped suspended paused inactive",
  terminated: "terminated deleted",
};
/** Words to ignore in a state: `CLUSTER_STATUS_RUNNING` is `running`. */
export const neutralWords: ReadonlySet<string> = new Set(
  "cluster replica instance pod container node service state status phase health is".split(" "),
);

/** @assumption GPU records are the answer itself, a list or a map of types under one of these names, or lists inside a provider or a region. */
export const gpuListNames = [
  "gpus",
  "gpu",
  "gpu_types",
  "types",
  "models",
  "prices",
  "pricing",
  "availability",
  "data",
  "items",
];
/** @assumption A text under a name of one of these forms identifies a GPU; of several, the first form whose texts differ between the records. */
export const gpuNameForms: readonly (readonly [of: "gpu" | "machine" | "any" | "people", form: RegExp])[] = [
  ["gpu", /(^|_)(gpu|accelerator)(_type)?$/],
  ["gpu", /(^|_)(gpu|accelerator)(_type|_model)?_(id|slug)$/],
  ["gpu", /(^|_)(gpu|accelerator)_model$/],
  ["gpu", /(^|_)(gpu|accelerator)(_type|_model)?(_display)?_name$/],
  ["any", /^type$/],
  ["any", /^id$/],
  ["machine", /(^|_)(instance|machine|node)_type(_id|_slug|_name)?$/],
  ["machine", /^hardware(_id|_name)?$/],
  ["any", /^(slug|sku)$/],
  ["people", /^(model|name|key)$/],
];
/** Names of GPU lists inside a provider or a region. A list with another name counts only if its records have ids. */
export const innerGpuLists = ["gpus", "gpu_types", "models"];
/** @assumption A GPU record has a display name; its memory is that of the GPU if the field name says so, or if no field describes a machine. */
export const gpuNames = {
  name: ["name", "display_name", "gpu_model_name", "gpu_name", "description"],
  memory: ["memory_gb", "memory_gib", "memory"],
} as const;
export const gpuMemoryForm = /(^|_)vram(_|$)|(^|_)gpu_(memory|ram)(_|$)/;
export const machineForm = /(^|_)v?cpus?(_|$)|(^|_)(ram|storage|disk)(_|$)/;
/** @assumption A type may be listed several times, distinguished by a field with one of these words; a `type` with the same value in all records is no identifier. */
export const placeWords: ReadonlySet<string> = new Set("region location zone tier country provider cloud".split(" "));
export const kindWords: ReadonlySet<string> = new Set(["gpu", "gpus", "gpu_type", "model", "accelerator", "price"]);

/** @assumption The name of a price has only these words, with one of the first list among them: `price_per_hour_usd`. */
export const priceWords = {
  price: new Set(["price", "prices", "pricing", "cost", "hourly"]),
  hour: new Set(["hourly", "hour", "hr"]),
  /** Of several tiers, the default tier of a cluster. */
  tier: new Set(["community"]),
  neutral: new Set(["per", "gpu", "amount", "value", "on", "demand"]),
} as const;
/** @assumption A price is for one GPU and one hour unless a word in its name or beside it names another time; these times can be converted. */
export const timeWords: ReadonlyMap<string, number> = new Map([
  ["minute", 60],
  ["second", 3600],
]);
/** Names of fields for the unit: beside the price in the record, or in the price's object. */
export const priceUnitNames = {
  record: ["price_unit", "billing_unit", "billing_period", "billing_interval", "period", "interval"],
  price: ["per", "unit", "interval", "period"],
} as const;
/** @assumption A price is in whole units of its currency unless one of these words, or a field for its scale, says otherwise. */
export const scaleWords: ReadonlyMap<string, number> = new Map([["cents", 0.01]]);
/** A price beside one of these fields is not read. */
export const otherScales = ["exponent", "decimals", "nanos"];
/** @assumption The currency is a field beside the price, a word of its name, or a sign in its text. */
export const currencySigns: ReadonlyMap<string, string> = new Map([
  ["us$", "usd"],
  ["$", "usd"],
  ["€", "eur"],
]);
export const currencyNames = ["currency", "currency_code"];
export const currencyWords: ReadonlySet<string> = new Set(["usd", "eur"]);

/** @assumption The stock of a GPU type has one of these names. It is a flag, a number, a word, any of these by region, or a list of places. */
export const stockNames = {
  available: ["available", "in_stock", "availability", "stock", "stock_status", "stock_available", "status"],
  count: ["available_count", "free_gpus", "available", "count", "quantity", "stock", "availability"],
  regions: ["regions", "availability", "stock", "locations"],
} as const;
/** A list of the places that have a type in stock. */
export const stockPlacesForm =
  /^(regions|locations|zones)_.*(available|capacity)|^available_(regions|locations|zones)$/;
export const stockWords: Readonly<Record<"yes" | "no", string>> = {
  yes: "available in_stock high low",
  no: "unavailable insufficient not_available sold_out out_of_stock none no",
};

/** @assumption `/health` shows the health in one of these fields; a success without any of them is healthy. */
export const healthNames = { flag: ["healthy", "ok"], word: ["status", "state", "health"] } as const;

/** @assumption An error without the documented envelope has its text and its code under these names. */
export const errorNames = {
  message: ["message", "detail", "title", "msg", "reason", "error"],
  code: ["code", "type"],
  place: ["loc", "field", "param", "pointer", "path"],
} as const;
/** @assumption An answer is an error and no result if it has only these fields beside its `error`, or if `success` is false. */
export const besideErrors: ReadonlySet<string> = new Set(
  "id request_id trace_id code message status success ok detail timestamp path".split(" "),
);
/** @assumption The service's own id of a request is in the first of these headers that an answer has. */
export const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "x-correlation-id",
  "x-amzn-requestid",
  "x-amz-request-id",
  "x-ms-request-id",
  "x-trace-id",
  "cf-ray",
] as const;
/** @assumption If a refused update calls a field unknown or unchangeable, the service needs the body without the field; if it calls a field missing, with the field. */
export const unwantedWords = {
  before:
    "(unknown|unexpected|unrecogni[sz]ed|unsupported|extra|additional) ?(field|property|properties|key|parameter|attribute|input)s?",
  code: /(unknown|unexpected|unrecogni[sz]ed|extra|additional)_?(field|propert|key|param|attribute)/i,
  after:
    "(field )?(is |are )?(unknown|unexpected|unrecogni[sz]ed|immutable|read-?only|extra (inputs?|fields?)|" +
    "not (allowed|permitted|supported|recogni[sz]ed|updatable)|" +
    "(cannot|can't|may not|must not) be (changed|updated|modified|set|given|present))(?! to\\b)",
} as const;
export const missingField = /missing|required|must be (given|present|set)/i;
/** The service refuses a type that is not available like one that does not exist (specification, section 7). */
export const unknownTypeCode = "invalid_gpu_type";
/** @assumption A refused creation with one of these codes is refused for its GPU type: another one may be had. */
export const typeRefusals: ReadonlySet<string> = new Set([
  unknownTypeCode,
  "insufficient_capacity",
  "no_capacity",
  "out_of_stock",
  "sold_out",
]);
/** @assumption These statuses mean "not now": nothing was done, and the same request may succeed later. */
export const busyStatuses: ReadonlySet<number> = new Set([409, 423, 425]);
/** @assumption An error code with one of these words means that the cluster is changing, whatever status it shows. */
export const busyCode = /busy|in_?(progress|transition)|transitioning|locked/i;
/** @assumption An answer 403 or 503 with one of these words in its error code means the rate limit. */
export const rateLimitCode = /rate_?limit|throttl|too_many_requests/i;
