/**
 * What the service answers, as far as it is guessed: the specification names few fields and hardly any shape. Every guess
 * about answers is a table here, every guess about requests one in endpoints.ts, each tagged in one line; the README lists
 * them. The files in read/ know kinds of things, not names.
 * Names are written as `plainName` makes them, the most specific first.
 */

import type { GpuType } from "../types";

/** Reads one answer; throws an UnreadableError for what it cannot read. Says what it needs, takes whatever more there is. */
export type Reader<T> = (json: unknown) => T;

/** A cluster as the service describes it (section 2). Only the id is certain. */
export interface ClusterRecord {
  readonly id: string;
  readonly name?: string;
  /** The service's own word. */
  readonly status?: string;
  readonly gpuType?: string;
  /** Every text by which the record identifies its GPU: its type, id, name. */
  readonly gpuIdentifiers?: readonly string[];
  readonly replicas?: number;
  /** Why it is in its state, in the service's own words; they may quote values of env. */
  readonly reason?: string;
  /** The health of its replicas, when the record itself shows that. */
  readonly health?: StatusRecord;
  readonly endpoint?: string;
  /** ISO 8601, UTC. */
  readonly createdAt?: string;
  readonly container?: string;
  /** By name; null where the service shows a name without its value. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Everything that a record read by its id shows, by plain name, also what is null; without env. */
  readonly fields?: ReadonlyMap<string, unknown>;
}

/** The clusters of the organization. */
export interface ClusterList {
  readonly clusters: readonly ClusterRecord[];
  /** False when there may be clusters that are not among `clusters`: absence then proves nothing. */
  readonly complete: boolean;
  /** Why the list could not be followed to its end, where that is not just unknown. */
  readonly problem?: string;
}

/** What a list says of GPU types. */
export interface GpuList {
  readonly gpus: GpuType[];
  /** True only where these are surely all types, each under its identifier. */
  readonly certain: boolean;
}

/** One replica, as `/status` shows it. */
export interface ReplicaRecord {
  readonly id: string;
  /** The service's own word; empty where it has none. */
  readonly status: string;
  readonly healthy: boolean;
  /** Why it is not healthy, where the service says so. */
  readonly message?: string;
}

/** What `/status` shows (section 4). */
export interface StatusRecord {
  /** The state of the whole cluster, where the service says it here. */
  readonly status?: string;
  readonly replicas: readonly ReplicaRecord[];
  /** True where replicas are only counted: then they cannot be told apart. */
  readonly isCounted?: boolean;
  /** Whether the cluster as a whole is healthy: only where the service says that and nothing of replicas. */
  readonly overall?: boolean;
  /** True where the service answers that there is none: then that it has no replicas proves nothing. */
  readonly isMissing?: true;
}

/** @assumption A name in an answer may be spelled in snake_case, camelCase or otherwise, and null means absent. */
/** @assumption A cluster is shown with the names of the create request and its answer, or with one of the others here. */
export const clusterNames = {
  id: ["id", "cluster_id"],
  name: ["name", "cluster_name", "display_name"],
  status: ["status", "state", "phase", "current_state", "endpoint_status", "actual_status"],
  replicas: ["desired_replicas", "desired_replica_count", "target_replica", "replicas", "replica_count", "pod_count"],
  endpoint: ["endpoint", "endpoint_url", "url"],
  createdAt: ["created_at", "create_time", "creation_timestamp"],
  container: ["container", "image", "image_url"],
  env: ["env", "environment", "env_vars", "environment_variables"],
  deleted: ["deleted_at"],
  reason: ["status_reason", "failure_reason", "status_message", "reason", "message", "error"],
} as const;

/** @assumption A cluster's id begins so (section 2); another form of letters, digits, `-` and `_` is taken where nothing else is. */
export const clusterIdPrefix = "cl_";
/** An id becomes part of a path: only characters that cannot leave their place in it. */
export const clusterIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** @assumption A cluster's name begins a host name (section 2), so it has to be able to stand in one. */
export const clusterNamePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;
/** @assumption One record is answered bare or inside other objects, at most two deep, of one of these names or another. */
export const wrapperNames = ["cluster", "deployment", "data", "result", "response"];
export const recordDepth = 2;
/** @assumption What stands under these names describes a failure or a request, not the thing that was asked for. */
export const notRecords: ReadonlySet<string> = new Set(
  "error errors request operation organization owner proto constructor prototype".split(" "),
);
/** @assumption Some fields of a record may stand in one of these objects inside it, and one value in an object with one of the names below. */
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

/** @assumption A list, or a map of ids to records, is bare, under one of these names, or under any other if it is the only one, at most three deep. */
export const clusterListNames = ["clusters", "data", "items"];
export const listDepth = 3;

/** @assumption Lists under these names are not the one that was asked for, and a list beside a mark that says something may lack records. */
export const sideLists: ReadonlySet<string> = new Set(["warnings", "messages", "links", "tags"]);
export const partMarks = ["error", "errors", "partial", "incomplete", "unreachable"];

/** @assumption A time without a zone is UTC; a number is Unix time, in seconds or, if it is that large, in milliseconds. */
export const firstMillisecondStamp = 1e11;

/** @assumption `env` is shown as a map, as a list of names, of `NAME=value`, or of objects with these names. */
export const envNames = { name: ["name", "key"], value: ["value"] } as const;

/** @assumption A list of several pages names the next one by a field of these words with `next` among them, by one of these names, or by a link. */
export const nextWords: ReadonlySet<string> = new Set(
  "next page cursor token link url uri href marker offset start number index id key results".split(" "),
);
export const cursorNames = ["end_cursor", "cursor", "continuation_token", "continuation", "continue"];
/** @assumption A page is asked for by the name of the field that says which, without `next`; these are asked for otherwise, or as they are. */
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
/** @assumption Another field with one of these words in its name may say that there is more, but beside a list of GPUs only in certain objects. */
export const pageHints: ReadonlySet<string> = new Set(
  "next cursor token continue continuation marker after bookmark scroll more remaining truncated evaluated partial unreachable".split(
    " ",
  ),
);
export const pageObjects: ReadonlySet<string> = new Set("pagination paging page_info page meta links".split(" "));
/** @assumption A list of exactly so many records, that says nothing of its length, may be the first page of a longer one. */
export const pageSizes: ReadonlySet<number> = new Set([10, 20, 25, 30, 50, 100, 200, 250, 500, 1000]);

/** @assumption Replicas stand in a list or a map under one of these names or another, or are counted, or a flag or a word speaks for all of them. */
export const replicaListNames = ["replicas", "workers", "instances", "pods", "data", "items"];
/** @assumption A replica is shown with these names, or with conditions, and a "no" to any flag or condition outweighs every word. */
export const replicaNames = {
  id: ["id", "name", "replica", "pod", "index"],
  status: ["status", "state", "phase", "health", "health_status"],
  healthy: ["healthy", "is_healthy", "health", "health_status", "ready", "is_ready", "readiness", "liveness"],
  message: ["message", "reason", "error", "detail", "details"],
} as const;
export const healthConditions: ReadonlySet<string> = new Set(["healthy", "ready", "available"]);
/** @assumption Lists under these names are about parts of a replica or of the cluster, and a bad word anywhere in a replica means that it is not well. */
export const partLists: ReadonlySet<string> = new Set(
  "conditions checks probes containers container_statuses gpus events volumes disks".split(" "),
);
export const sickWords: ReadonlySet<string> = new Set(
  "unhealthy not_ready critical degraded down fail failing".split(" "),
);
/** @assumption Replicas are counted under these words, or a word for their state, in names that say what is counted. */
export const replicaCounts = {
  /** How many there should be, and how many there are. */
  desired: ["desired", "target", "expected"],
  total: ["total", ""],
  healthy: ["healthy", "ready", "available"],
  /** The rest is healthy. */
  unhealthy: ["unhealthy", "unready", "not_ready", "unavailable"],
  /** Says nothing of health; beside it, a count that is missing is zero. */
  other: ["updated"],
} as const;
export const countedWords: ReadonlySet<string> = new Set(
  "replica replicas instance instances pod pods worker workers".split(" "),
);

/** What a state word means to somebody who waits; `unknown` for a word that is not known, and for none. */
export type StateKind = "running" | "pending" | "failed" | "stopped" | "terminated" | "unknown";

/** @assumption A cluster on its way out, or to be stopped, is shown for a while under one of these words. */
/** Who says one of these is as good as gone: its name is free. */
export const leavingWords: ReadonlySet<string> = new Set(["terminating", "deleting"]);
export const stoppingWords: ReadonlySet<string> = new Set(
  "stopping suspending pausing halting shutting_down".split(" "),
);
/** @assumption The specification names `provisioning` only; these words are in use for the other states, alone or with the thing they are about. */
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
/** `CLUSTER_STATUS_RUNNING` is `running`. */
export const neutralWords: ReadonlySet<string> = new Set(
  "cluster replica instance pod container node service state status phase health is".split(" "),
);

/** @assumption GPU records are a list or a map of types under one of these names, the answer itself, or in lists inside a provider or a region. */
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
/** @assumption A GPU is identified by a text under a name of one of these forms, the first that says which it is. */
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
/** Inside a provider or a region. Any other list there has to be of records with ids. */
export const innerGpuLists = ["gpus", "gpu_types", "models"];
/** @assumption A GPU record has a name for people, and its memory is the GPU's if the name says so, or if nothing says that it is a machine. */
export const gpuNames = {
  name: ["name", "display_name", "gpu_model_name", "gpu_name", "description"],
  memory: ["memory_gb", "memory_gib", "memory"],
} as const;
export const gpuMemoryForm = /(^|_)vram(_|$)|(^|_)gpu_(memory|ram)(_|$)/;
export const machineForm = /(^|_)v?cpus?(_|$)|(^|_)(ram|storage|disk)(_|$)/;
/** @assumption A type is listed several times if a name with one of these words tells them apart; a `type` that is the same in each says nothing. */
export const placeWords: ReadonlySet<string> = new Set("region location zone tier country provider cloud".split(" "));
export const kindWords: ReadonlySet<string> = new Set(["gpu", "gpus", "gpu_type", "model", "accelerator", "price"]);

/** @assumption A price stands under a name of these words only, one of the first list among them: `price_per_hour_usd`. */
export const priceWords = {
  price: new Set(["price", "prices", "pricing", "cost", "hourly"]),
  hour: new Set(["hourly", "hour", "hr"]),
  /** Of several tiers, the one that a cluster has by itself. */
  tier: new Set(["community"]),
  neutral: new Set(["per", "gpu", "amount", "value", "on", "demand"]),
} as const;
/** @assumption A price is for one GPU and one hour unless a word in its name or beside it says another time; these can be converted. */
export const timeWords: ReadonlyMap<string, number> = new Map([
  ["minute", 60],
  ["second", 3600],
]);
/** Beside it: in the record, or in the price's object. */
export const priceUnitNames = {
  record: ["price_unit", "billing_unit", "billing_period", "billing_interval", "period", "interval"],
  price: ["per", "unit", "interval", "period"],
} as const;
/** @assumption A price is in whole units of its currency unless one of these words, or a field for its scale, says otherwise. */
export const scaleWords: ReadonlyMap<string, number> = new Map([["cents", 0.01]]);
/** A price beside one of these is not read. */
export const otherScales = ["exponent", "decimals", "nanos"];
/** @assumption A currency is named beside the price, by a word of its name, or by a sign in its text. */
export const currencySigns: ReadonlyMap<string, string> = new Map([
  ["us$", "usd"],
  ["$", "usd"],
  ["€", "eur"],
]);
export const currencyNames = ["currency", "currency_code"];
export const currencyWords: ReadonlySet<string> = new Set(["usd", "eur"]);

/** @assumption The stock of a GPU type is shown under these names: by a flag, a number or a word, or by region, or as a list of places. */
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
  no: "unavailable insufficient not_available sold_out out_of_stock none no exhausted",
};

/** @assumption `/health` says how it is by one of these; a success without any is healthy. */
export const healthNames = { flag: ["healthy", "ok"], word: ["status", "state", "health"] } as const;

/** @assumption An error without the documented envelope has its text and its code under these names. */
export const errorNames = {
  message: ["message", "detail", "title", "msg", "reason", "error"],
  code: ["code", "type"],
  place: ["loc", "field", "param", "pointer", "path"],
} as const;
/** @assumption An answer is an error and no result if nothing but these stands beside its `error`, or `success` is false. */
export const besideErrors: ReadonlySet<string> = new Set(
  "id request_id trace_id code message status success ok detail timestamp path".split(" "),
);
/** @assumption A refused update that calls a field unknown or unchangeable wants the body without it, one that misses a field with it. */
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
/** @assumption These statuses mean "not now": nothing was done, and the same request may succeed later. */
export const busyStatuses: ReadonlySet<number> = new Set([409, 423, 425]);
/** @assumption A code with one of these words means that the cluster is changing, whatever it shows. */
export const busyCode = /busy|in_?progress|locked|transition/i;
/** @assumption A service that answers 403 or 503 with one of these words in its code means the rate limit. */
export const rateLimitCode = /rate_?limit|throttl|too_many_requests/i;
