import {
  address,
  count,
  type FieldsOf,
  flag,
  gigabytes,
  inner,
  type Kind,
  label,
  number,
  type Table,
  text,
  timestamp,
  variables,
} from "./json";
import { plainName } from "./names";
import type { GpuType } from "./types";

/**
 * The records of the service, and the guesses about its answers: the specification names few fields and hardly any shape.
 * Each guess is one tagged line (docs/services.md). Names are in the form of `plainName`.
 */

function words(list: string): string[] {
  return list.split(" ");
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(words(list));
}

const word: Kind<string> = inner(text, "state", "status", "phase");

/** @assumption A field may be in snake_case, camelCase or another spelling, and null means absent. A cluster has the names of the create request and its answer, those of the official client, or plain variations of them. */
export const clusterTable = {
  name: [text, "name", "cluster_name"],
  status: [word, "status", "state", "phase"],
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
/** @assumption A record may stand in objects with these names; some of its fields may stand in one of these objects inside it. */
export const wrapperNames = ["data", "cluster", "result"];
export const fieldGroups = ["config", "spec", "attributes"];
/** @assumption The list of clusters, or a map of them by id, is the answer itself or stands under these names, at most three deep. */
export const clusterListNames = ["clusters", "data", "items", "result"];
/** @assumption A list may lack records if one of these fields beside it is set. */
export const incompleteNames = ["error", "errors", "partial", "incomplete", "unreachable"];

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

export interface ClusterList {
  readonly clusters: readonly ClusterRecord[];
  /** False if there may be clusters that are not in `clusters`: then a missing cluster proves nothing. */
  readonly complete: boolean;
  /** True if it is not complete only because it shows nothing about its end. */
  readonly isUnproven?: boolean;
  readonly problem?: string;
}

/** @assumption Pages have these fields beside the list, in objects beside it, or in headers that begin with `X-`. The query for a next page is the name of its field without `next`, or the query of its link. */
export const pageTable = {
  hasMore: [flag, "has_more", "has_next", "has_next_page", "truncated", "is_truncated"],
  page: [count, "page", "current_page", "page_number", "page_index"],
  pages: [count, "total_pages", "page_count", "pages", "num_pages", "last_page"],
  offset: [count, "offset"],
  size: [count, "limit", "per_page", "page_size", "items_per_page"],
  total: [count, ...words("total total_count total_items total_results total_records total_elements total_size")],
  seen: [count, "count"],
} as const satisfies Table;
/** Headers about pages: `X-Total-Count`, `X-Next-Page`. Others have words of pages too: `X-RateLimit-Remaining`. */
export const pageHeader = /^x-(?!rate-?limit).*(page|next|cursor|continuation|total|count|more|offset|limit)/;
/** @assumption A field with such a name leads to the next page; an empty one means that there is none. */
export const nextName =
  /^next([_-]?(page|cursor|token|link|url|uri|href|marker|offset|key|start|id|continuation|after))*$/i;
/** @assumption Any other field with one of these words in its name may mean that there are more pages. */
export const pageHint =
  /(^|_)(next|cursor|token|continue|continuation|marker|after|more|remaining|truncated|evaluated|scroll|bookmark)(_|$)/;
/** @assumption A service with numbered pages knows this query, even if its answers show nothing about pages. Any other service refuses or ignores it. */
export const secondPage = "page=2";

/** @assumption Replicas are a list or a map under one of these names, or only counted; or one flag or word is about all. */
export const replicaListNames = ["replicas", "instances", "nodes", "replica_statuses", "data", "items"];
/** @assumption A replica has these fields. */
export const replicaTable = {
  id: [label, "id", "name", "replica_id", "instance_id", "node", "index"],
  status: [word, "status", "state", "phase", "health"],
  message: [text, "message", "reason", "error"],
} as const satisfies Table;
/** @assumption Flags and words under these names show whether a replica, or a cluster without replicas, is healthy. */
export const healthNames = words("healthy is_healthy ready is_ready health health_status health_state");
/** @assumption One "no" under one of these names, even deep inside a replica, outweighs every "yes". The health of the service is read from them. */
export const verdictNames = [
  ...healthNames,
  ...words("ok alive live passing serving liveness readiness status state phase"),
];
/** @assumption Replicas are counted under these names, in the answer or in one of these objects. */
export const countTable = {
  total: [count, "total", "total_replicas", "desired", "desired_replicas", "replicas", "replica_count"],
  ready: [count, "ready", "ready_replicas", "healthy", "healthy_replicas", "running_replicas", "active_replicas"],
} as const satisfies Table;
export const countObjects = ["replicas", "summary", "health"];

export interface ReplicaRecord {
  readonly id: string;
  /** The service's status word; empty if there is none. */
  readonly status: string;
  readonly healthy?: boolean;
  readonly message?: string;
}

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

/** @assumption GPUs are a list or a map by type, bare or under one of these names. */
export const gpuListNames = words("gpus gpu gpu_types types models availability pricing prices data result items");
/** @assumption A string under one of these names identifies a GPU in requests; the names after them are for people. */
export const gpuIdNames = ["gpu_type", "gpu_model_id", "gpu_model"];
export const genericIdNames = ["type", "id", "sku"];
export const gpuTitleNames = ["gpu_model_name", "name", "display_name", "label"];
/** A string that names the category of all records in a list, not one of them. */
export const categoryForm = /^(gpu|cpu|accelerator|accelerated|instance|machine)s?([ _-](type|model|instance)s?)?$/i;
/** @assumption A type is listed once, or once for each value of these fields. */
export const placeNames = ["tier", "region", "location", "country"];
/** @assumption A GPU type has these fields; memory is in GB. Memory under a general name is that of the GPU unless a field beside it is about a machine. */
export const gpuTable = {
  name: [text, "name", ...gpuTitleNames],
  memoryGb: [gigabytes, ...words("gpu_memory_gb gpu_memory_gib gpu_memory gpu_vram vram_gb vram_gib vram")],
} as const satisfies Table;
export const generalMemory = { memoryGb: [gigabytes, "memory_gb", "memory_gib", "memory"] } as const satisfies Table;
export const machineWord = /(^|_)(v?cpus?|cores|ram|disk|storage)(_|$)|^(gpu_count|num_gpus)$/;
/** @assumption The name of a price has only these words, at least one of `price`; with `cents`, it is in cents. It is for one GPU and one hour unless a field beside it names another unit. */
export const priceWords = {
  price: wordSet("price prices pricing cost rate hourly usd dollars cents"),
  hour: wordSet("hour hours hourly hr"),
  beside: wordSet("per gpu eur amount value on demand"),
};
/** @assumption A field with such a name is the unit of a price. */
export const priceUnit =
  /^((billing|price|pricing|rate|cost)_)?(unit|per|period|interval|frequency|granularity|increment|cycle|basis)$/;
export const scaleNames = words("exponent decimals nanos micros scale multiplier term commitment");
/** @assumption A record with one of these words, or a flag of this name, has the price of GPUs that can be taken away, or of a contract. */
export const conditionalOffer = /^(is_)?(spot|preemptible|interruptible|reserved|committed)$/;
/** @assumption If a GPU has several prices by tier, this tier counts unless another one is requested. */
export const defaultTier = "community";

/** @assumption Stock is a flag or a word, or a number of free GPUs, under these names; in the record, or in its part `cluster`. */
const inStockWords =
  "available in_stock yes free high medium good plenty ample abundant limited low scarce few low_stock limited_stock";
const soldOutWords =
  "unavailable not_available sold_out out_of_stock no_stock none no exhausted depleted insufficient no_capacity " +
  "out_of_capacity insufficient_capacity at_capacity full fully_booked waitlist waitlisted coming_soon";
const stockWords = new Map([
  ...words(inStockWords).map((each) => [each, true] as const),
  ...words(soldOutWords).map((each) => [each, false] as const),
]);
const inStock: Kind<boolean> = (value) => flag(value) ?? stockWords.get(plainName(text(value) ?? ""));
/** A count, which a flag such as `available: true` is not. */
const quantity: Kind<number> = (value) => (typeof value === "boolean" ? undefined : count(value));
export const stockTable = {
  available: [
    inStock,
    ...words("available is_available in_stock availability stock stock_status stock_level capacity status"),
  ],
  soldOut: [flag, "sold_out", "out_of_stock", "unavailable"],
  availableCount: [
    quantity,
    ...words("available_count free_gpus available_gpus free available count qty quantity stock remaining"),
  ],
} as const satisfies Table;

/** The field that a plain value is in a map by GPU type, and its kind. */
export type ValueField = readonly [name: string, kind: Kind<unknown>];
/** @assumption In a map by GPU type, a plain value is what the endpoint is about: the name of a model, the price of an hour, or the stock. In `/v1/gpus`, it may be anything. */
export const valueFields = {
  models: ["name", (value) => (number(value) === undefined ? text(value) : undefined)],
  pricing: ["price", (value) => ((number(value) ?? -1) >= 0 ? value : undefined)],
  availability: ["available", (value) => inStock(value) ?? quantity(value)],
} as const satisfies Readonly<Record<string, ValueField>>;

export interface GpuList {
  readonly gpus: GpuType[];
  /** True only if these are certainly all types, each with its identifier. */
  readonly certain: boolean;
}

/** @assumption An error without the documented envelope has its message and its code under these names. A refusal may name the missing permission and the policy that denied it. */
export const errorTable = {
  message: [text, "message", "error", "detail", "title", "description", "error_description", "error_message", "msg"],
  code: [text, "code", "error_code", "type"],
  requestId: [label, "request_id"],
  permission: [text, "permission"],
  deniedBy: [text, "denied_by"],
} as const satisfies Table;
/** Words of the fields beside GPU types in a map. No GPU type has one. */
const otherFieldWords = words(
  "at time timestamp date updated version currency unit request object success ok meta metadata link links self first last " +
    "previous prev next cursor token sum spot preemptible interruptible reserved committed",
);
const gpuTables: readonly Table[] = [gpuTable, generalMemory, stockTable, pageTable, countTable, errorTable];
const gpuFieldNames = [
  ...gpuTables.flatMap((table) => Object.values(table).flatMap(([_kind, ...names]) => names)),
  ...[
    gpuListNames,
    wrapperNames,
    gpuIdNames,
    genericIdNames,
    gpuTitleNames,
    placeNames,
    incompleteNames,
    scaleNames,
  ].flat(),
  ...[...priceWords.price, ...priceWords.hour, ...otherFieldWords],
];
/** @assumption A GPU type has no word of a known field, besides these. */
const gpuTypeWords = wordSet("gpu gb gib memory vram");
const gpuFieldWords = new Set(
  gpuFieldNames.flatMap((name) => name.split("_")).filter((each) => !gpuTypeWords.has(each)),
);
/** @assumption A key with one of these words names a place, not a GPU type. */
const placeWord = /^(us|eu|ap|ca|sa|me|af|asia|europe|global)$|^(north|south|east|west|central)/;

export function isFieldOrPlace(key: string): boolean {
  return plainName(key)
    .split("_")
    .some((word) => gpuFieldWords.has(word) || placeWord.test(word));
}

/** Whether the keys of a map may be GPU types: each has a word that begins with a letter, none is a field or a place, and one has a digit. */
export function mayBeGpuTypes(keys: readonly string[]): boolean {
  const isType = (key: string) => /(^|[^a-z0-9])[a-z]/i.test(key) && !isFieldOrPlace(key);
  return keys.every(isType) && keys.some((key) => /\d/.test(key));
}

/** @assumption The service's own id of a request is in the first of these headers that an answer has. */
export const requestIdHeaders = ["x-request-id", "request-id", "x-correlation-id", "cf-ray"];
/** @assumption A request with one of these codes, and a status 4xx or 503, is refused for lack of GPUs: nothing was done. The first is that of the specification (section 7), which refuses a type that is not available like one that does not exist. */
export const capacityCodes = wordSet(
  "invalid_gpu_type unknown_gpu_type insufficient_capacity no_capacity capacity_exceeded out_of_stock sold_out insufficient_gpu_capacity " +
    "insufficient_cpu_capacity insufficient_host_capacity insufficient_ip_capacity node_at_capacity vm_node_busy " +
    "pod_node_busy gpu_count_not_allocatable",
);
/** @assumption After this code a wait is useless: no node can hold so many GPUs. */
export const countCode = "gpu_count_not_allocatable";
/** @assumption If a refusal calls a field unknown or unchangeable, the service accepts the update without it; if it calls a field missing, with it. */
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
/** @assumption This status means that a rate limit is used up, unless the answer names another reason: nothing was done. */
export const rateLimitStatus = 429;
/** @assumption These statuses mean "not now": nothing was done, and the same request may succeed later. */
export const busyStatuses: ReadonlySet<number> = new Set([409, 423, 425]);
/** @assumption An error code with one of these words means that the cluster is changing, whatever its status is. */
export const busyCode = /busy|in_?(progress|transition)|transitioning/i;
/** @assumption A refusal is about one of these if it has such words, in the form of `plainName`. A rate recovers by itself; an account and a lock do not, so no wait helps. The rate of a price is no rate of requests. */
export const refusalWords = {
  rate: /(^|_)((?<!(hourly|daily|price)_)rates?|rate_?limit\w*|too_many_(requests|calls)|throttl\w*|slow_?down|requests?_per)(_|$)/,
  account:
    /(^|_)(quotas?|capacity|plans?|billing|payments?|balance|credits?|funds?|subscriptions?|budgets?|upgrade|(gpu|cluster|replica|instance|resource)s?_limit)(_|$)/,
  lock: /(^|_)(scope_?locked|admin\w*|owner|policy|protected|protection)(_|$)/,
} as const;
/** @assumption A 403 with a code of these words is about the permissions of the key. */
export const permissionCode = /permission|forbidden|denied|access|authori[sz]|scope|role|policy|not_allowed|api_?key/i;
