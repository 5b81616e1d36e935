import { z } from "zod";
import type { GpuType, Health, ServiceInfo } from "../types";
import { fromWire, snakeCase } from "./wire";

/**
 * What the service answers, read tolerantly: only what nothing can go on without is required, everything else may be
 * missing, null or of another type, and is then absent. The specification leaves most shapes open; every guess that this
 * file makes about them is tagged, and made nowhere else but here and in endpoints.ts.
 */

/** Reads one answer; throws a `z.ZodError` for what it cannot read. */
export type Reader<T> = (json: unknown) => T;

/** An optional field: absent where the service says nothing, says null, or says something of another type. */
function field<T>(schema: z.ZodType<T>) {
  return schema.optional().catch(undefined);
}

/** An id becomes part of a path: only characters that cannot leave their place in it. */
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;
export const clusterId = z.string().regex(idPattern, "is not an id of letters, digits, '-' and '_'");

const clusterSchema = z.object({
  id: clusterId,
  name: field(z.string()),
  status: field(z.string()),
  gpuType: field(z.string()),
  replicas: field(z.int().nonnegative()),
  endpoint: field(z.string()),
  createdAt: field(z.string()),
  container: field(z.string()),
  env: field(z.record(z.string(), z.string())),
});

/** A cluster as the service describes it (section 2). Only the id is certain. */
export type ClusterRecord = z.output<typeof clusterSchema>;

/** @assumption One record is answered bare, or under `cluster` or `data`. */
export const readCluster: Reader<ClusterRecord> = (json) => read(clusterSchema, unwrapped(json, ["cluster", "data"]));

/** @assumption An action or a deletion is answered with a cluster record, or with anything else, or with nothing. */
export const readClusterIfAny: Reader<ClusterRecord | undefined> = (json) =>
  clusterSchema.safeParse(fromWire(clusterSchema, unwrapped(json, ["cluster", "data"]))).data;

/** The clusters of the organization. */
export interface ClusterList {
  readonly clusters: readonly ClusterRecord[];
  /** False when there may be clusters that are not among `clusters`: absence then proves nothing. */
  readonly complete: boolean;
}

/** @assumption The list is answered bare, or under `clusters`, `data`, `items` or `results`. */
export const readClusterList: Reader<ClusterList> = (json) => {
  const records = listOf(json, ["clusters", "data", "items", "results"]);
  const clusters = records.flatMap((record) => clusterSchema.safeParse(fromWire(clusterSchema, record)).data ?? []);
  return { clusters, complete: clusters.length === records.length && !hasMorePages(json, records.length) };
};

/** @assumption A list of several pages names the next one in one of these fields, or says that there is one. */
const nextFields = [
  "next",
  "next_cursor",
  "next_page",
  "next_page_token",
  "next_url",
  "cursor",
  "has_more",
  "has_next_page",
];
/** @assumption Such fields stand beside the list, or in one of these, up to two deep; a list of links names `next` by `rel`. */
const pageGroups = ["pagination", "paging", "page_info", "meta", "links", "_links"];
/** @assumption A list may say how many records, or pages, there are in all. */
const totalFields = ["total", "total_count"];

function hasMorePages(json: unknown, count: number, depth = 0): boolean {
  if (Array.isArray(json)) return depth > 0 && json.some((link) => asObject(link)["rel"] === "next");
  const fields = new Map(Object.entries(asObject(json)).map(([name, value]) => [snakeCase(name), value]));
  const has = (names: readonly string[], test: (value: unknown) => boolean) =>
    names.some((name) => test(fields.get(name)));
  if (has(nextFields, Boolean) || has(totalFields, (value) => (asNumber(value) ?? 0) > count)) return true;
  if ((asNumber(fields.get("total_pages")) ?? 1) > (asNumber(fields.get("page")) ?? 1)) return true;
  return depth < 2 && has(pageGroups, (group) => hasMorePages(group, count, depth + 1));
}

const replicaSchema = z.object({
  id: field(z.union([z.string(), z.number().transform(String)])),
  status: field(z.string()),
  healthy: field(z.boolean()),
  message: field(z.string()),
});
const statusSchema = z.object({ status: field(z.string()) });

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
}

/** @assumption Replicas are answered as a bare list, or under `replicas`, `replica_statuses`, `statuses` or `data`. */
export const readStatus: Reader<StatusRecord> = (json) => ({
  status: read(statusSchema, Array.isArray(json) ? {} : json).status,
  replicas: listOf(json, ["replicas", "replica_statuses", "statuses", "data"]).map(toReplica),
});

/** @assumption A replica without a boolean `healthy` is healthy when its word says that it runs. */
function toReplica(json: unknown, index: number): ReplicaRecord {
  const { id, status, healthy, message } = read(replicaSchema, asObject(json));
  return {
    id: id ?? String(index),
    status: status ?? "",
    healthy: healthy ?? stateOf(status) === "running",
    ...(message ? { message } : {}),
  };
}

/** What a state word means to somebody who waits; `unknown` for a word that is not known, and for none. */
export type StateKind = "running" | "pending" | "failed" | "stopped" | "terminated" | "unknown";

/** @assumption The specification names `provisioning` only; these are the words in use for the other states. */
const stateWords: Record<Exclude<StateKind, "unknown">, string> = {
  running: "running ready active healthy available up online live started serving ok",
  pending:
    "provisioning pending creating queued starting initializing building pulling updating scaling deploying redeploying " +
    "restarting resuming stopping degraded terminating deleting destroying removing",
  failed: "failed error errored crashed dead",
  stopped: "stopped suspended paused off halted",
  terminated: "terminated deleted destroyed removed gone",
};

const stateByWord = new Map(
  Object.entries(stateWords).flatMap(([state, words]) =>
    words.split(" ").map((word) => [word, state as StateKind] as const),
  ),
);

export function stateOf(word: string | undefined): StateKind {
  return stateByWord.get(word?.toLowerCase() ?? "") ?? "unknown";
}

/** @assumption A cluster on its way out is listed for a while under one of these words. */
const leavingWords = new Set(["terminating", "deleting", "destroying", "removing"]);

/** True when the cluster is gone or going: its name is free, and nothing more is asked of it. */
export function isLeaving(word: string | undefined): boolean {
  return stateOf(word) === "terminated" || leavingWords.has(word?.toLowerCase() ?? "");
}

/** @assumption Names under which a GPU record may hold each of its values, most specific first. */
const gpuFields = {
  type: ["type", "gpu_type", "id", "model", "name"],
  name: ["name", "display_name", "description"],
  memoryGb: ["memory_gb", "vram_gb", "gpu_memory_gb"],
  pricePerHour: ["price_per_hour", "hourly_price", "price_hourly", "price"],
  currency: ["currency"],
  available: ["available", "in_stock"],
  availableCount: ["available_count", "count", "stock"],
} as const;

/** @assumption GPU records are answered as a bare list, or under one of these names, or as one bare record. */
const gpuListNames = ["gpus", "gpu_types", "types", "models", "prices", "pricing", "availability", "data"];

/** Reads `/v1/gpus` and its relatives; records without a type cannot be used and are left out. */
export const readGpuTypes: Reader<GpuType[]> = (json) => {
  const top = asObject(json);
  const isList = Array.isArray(json) || gpuListNames.some((name) => Array.isArray(top[name]));
  const single = isList ? undefined : toGpuType(top);
  return single ? [single] : listOf(json, gpuListNames).flatMap((record) => toGpuType(asObject(record)) ?? []);
};
/** Reads the availability of one type, which the record itself need not repeat. */
export const readGpuType =
  (type: string): Reader<GpuType> =>
  (json) => {
    const record = asObject(unwrapped(json, ["gpu", "availability", "data"]));
    return toGpuType({ type, ...record }) ?? { type, raw: record };
  };

function toGpuType(raw: Record<string, unknown>): GpuType | undefined {
  const first = <T>(names: readonly string[], take: (value: unknown) => T | undefined): T | undefined =>
    names.map((name) => take(raw[name])).find((value) => value !== undefined);
  const type = first(gpuFields.type, asText);
  if (type === undefined) return undefined;
  const availableCount = first(gpuFields.availableCount, asCount);
  return withoutUndefined({
    type,
    name: first(gpuFields.name, asText),
    memoryGb: first(gpuFields.memoryGb, asNumber),
    pricePerHour: first(gpuFields.pricePerHour, asNumber),
    currency: first(gpuFields.currency, asText),
    available: first(gpuFields.available, asBoolean) ?? (availableCount === undefined ? undefined : availableCount > 0),
    availableCount,
    raw,
  });
}

/** @assumption `/health` says how it is by `status` or `healthy`; a success without either is healthy. */
export const readHealth: Reader<Health> = (json) => {
  const raw = typeof json === "string" ? { status: json } : asObject(json);
  const status = asText(raw["status"]) ?? "";
  const healthy =
    asBoolean(raw["healthy"]) ?? (status === "" ? true : stateOf(status) === "running" || status === "pass");
  return { healthy, status, raw };
};

export const readServiceInfo: Reader<ServiceInfo> = (json) => {
  const raw = asObject(json);
  return withoutUndefined({
    name: asText(raw["name"]),
    version: asText(raw["version"]),
    documentation: asText(raw["documentation"]),
    endpoints: asObject(raw["endpoints"]),
    raw,
  });
};

function read<T>(schema: z.ZodType<T>, json: unknown): T {
  return schema.parse(fromWire(schema, json));
}

/** The object under the first of the names that holds one, or the value itself. */
function unwrapped(json: unknown, names: readonly string[]): unknown {
  const top = asObject(json);
  const name = names.find((candidate) => Object.keys(asObject(top[candidate])).length > 0);
  return name === undefined ? json : top[name];
}

const anyList = z.array(z.unknown(), "is not a list of records in any form that this version knows");

function listOf(json: unknown, names: readonly string[]): unknown[] {
  if (Array.isArray(json)) return json;
  const top = asObject(json);
  return anyList.parse(names.map((name) => top[name]).find(Array.isArray));
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function asBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function withoutUndefined<T extends object>(record: T): T {
  for (const name of Object.keys(record))
    if (Reflect.get(record, name) === undefined) Reflect.deleteProperty(record, name);
  return record;
}
