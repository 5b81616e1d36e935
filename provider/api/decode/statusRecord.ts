import { isRecord } from "../../contract";
import { count, defined, Fields, flag, label, object, type Table, text, UnreadableError, words } from "./json";
import { listIn, type Row, unwrap } from "./lists";
import { plainName } from "./names";
import { clusterTable, type ReplicaRecord, type StatusRecord, statusWord } from "./records";
import { healthOfWord, isUnhealthyStatus, stateOf, statusOfWord } from "./states";
import type { Health, ServiceInfo } from "./types";

/** @assumption Replicas are a list or a map under one of these names, or only counted; or one flag or word is about all. */
const replicaListNames = ["replicas", "instances", "nodes", "replica_statuses", "data", "items"];
/** @assumption A replica has these fields. */
const replicaTable = {
  id: [label, "id", "name", "replica_id", "instance_id", "node", "index"],
  status: [statusWord, "status", "state", "phase", "health"],
  message: [text, "message", "reason", "error"],
} as const satisfies Table;
/** @assumption Flags and words under these names show whether a replica, or a cluster without replicas, is healthy. */
const healthNames = words("healthy is_healthy ready is_ready health health_status health_state");
/** @assumption One "no" under one of these names, even deep inside a replica, outweighs every "yes". The health of the service is read from them. */
const verdictNames = [...healthNames, ...words("ok alive live passing serving liveness readiness status state phase")];
/** @assumption Replicas are counted under these names, in the answer or in one of these objects. */
export const countTable = {
  total: [count, "total", "total_replicas", "desired", "desired_replicas", "replicas", "replica_count"],
  ready: [count, "ready", "ready_replicas", "healthy", "healthy_replicas", "running_replicas", "active_replicas"],
} as const satisfies Table;
const countObjects = ["replicas", "summary", "health"];
export const statusFieldNames = [replicaListNames, replicaTable, verdictNames, countTable, countObjects];

/** Reads `/status`: replicas in a list, in a map or counted; if nothing shows replicas, the cluster as a whole. */
export function readStatus(json: unknown): StatusRecord {
  const body = unwrap(json) ?? json;
  const fields = new Fields(body);
  const { status } = fields.read({ status: clusterTable.status });
  const list = listIn(body, replicaListNames);
  const replicas = list?.rows.every(({ value }) => isRecord(value))
    ? listedReplicas(list.rows, fields)
    : numberedReplicas(fields);
  if (replicas) return { ...replicas, status };
  // A list, a number or another object beside the words may be about unhealthy replicas.
  const isPlain = fields.entries().every(([name, value]) => {
    const inside = isRecord(value) && healthNames.includes(name) ? Object.values(value) : [value];
    return inside.every((each) => typeof each === "string" || typeof each === "boolean");
  });
  const overall = healthIn(fields, healthNames);
  if (!isPlain || (overall ?? status) === undefined)
    throw new UnreadableError("it is not a list of replicas, nor anything else that shows their health");
  return overall === undefined ? statusOfWord(status) : { status, replicas: [], overall };
}

/** The replicas in the record of a cluster. A count of healthy ones is ignored before it runs: `activeReplicas` may mean another thing. */
export function replicasIn(fields: Fields, status: string | undefined): StatusRecord | undefined {
  const mayRun = ["running", "unknown"].includes(stateOf(status));
  const list = fields.get("replicas");
  if (Array.isArray(list) && list.length > 0) {
    // Without a health check, flags that are all false mean nothing.
    const isNeverHealthy = list.every((value) => healthIn(new Fields(value), healthNames) !== true);
    const isUnchecked = fields.get("health_check_enabled") === false && isNeverHealthy;
    const rows = list.map((value) => ({ value }));
    return listedReplicas(rows, mayRun ? fields : new Fields(), isUnchecked);
  }
  const numbered = numberedReplicas(fields);
  if (!numbered || mayRun) return numbered;
  return { ...numbered, replicas: numbered.replicas.map((replica) => ({ ...replica, healthy: false })) };
}

/** Reads `/health`: a success means healthy, unless a flag or a known word says otherwise. */
export function readHealth(json: unknown): Health {
  const raw = object(json) ?? { status: json };
  const fields = new Fields(unwrap(raw));
  const { status = "" } = fields.read({ status: clusterTable.status });
  return { healthy: healthIn(fields, verdictNames) ?? true, status, raw };
}

export function readServiceInfo(json: unknown): ServiceInfo {
  const raw = object(json) ?? {};
  const table = { name: [text, "name"], version: [text, "version"], documentation: [text, "documentation"] } as const;
  const fields = new Fields(raw);
  return { ...fields.read(table), endpoints: object(fields.get("endpoints")) ?? {}, raw };
}

/** The number of ready replicas decides how many are healthy of those that show no health. Unchecked: only states count. */
function listedReplicas(rows: readonly Row[], around: Fields, isUnchecked = false): StatusRecord {
  const replicas = rows.map(({ key, value }, index): ReplicaRecord => {
    const fields = new Fields(value);
    const { id = key ?? String(index), status = "", message } = fields.read(replicaTable);
    const byWord = isRecord(value) ? healthOfWord(status) : false;
    const healthy = isUnchecked ? byWord : !showsFailure(value) && (healthIn(fields, healthNames) ?? byWord);
    return defined({ id, status, healthy, message });
  });
  const ready = countsIn(around).find((counts) => counts.ready !== undefined)?.ready;
  if (ready === undefined) return { replicas };
  const unknown = replicas.filter(({ healthy }) => healthy === undefined);
  const readyUnknown = unknown.slice(0, Math.max(0, ready - replicas.filter(({ healthy }) => healthy).length));
  return { replicas: replicas.map((each) => ({ ...each, healthy: each.healthy ?? readyUnknown.includes(each) })) };
}

function healthIn(fields: Fields, names: readonly string[]): boolean | undefined {
  const signs = names.map((name) => {
    const value = fields.get(name);
    if (isRecord(value)) return healthIn(new Fields(value), verdictNames);
    // A health of 0 means no; under another name, such as `status`, 0 may mean success.
    if (value === 0 && healthNames.includes(name)) return false;
    return flag(value) ?? (typeof value === "string" ? healthOfWord(value) : undefined);
  });
  if (signs.includes(false)) return false;
  return signs.includes(true) ? true : undefined;
}

/** Whether anything inside a replica shows that it is unhealthy: a negative flag, or a word for a failure. */
function showsFailure(value: unknown, depth = 5): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return false;
  return Object.entries(value).some(([name, item]) => {
    if (typeof item === "object") return showsFailure(item, depth - 1);
    const isFailure = flag(item) === false || (typeof item === "string" && isUnhealthyStatus(item));
    return isFailure && verdictNames.includes(plainName(name));
  });
}

/** Counts, `{"total": 3, "healthy": 2}`, as numbered replicas. */
function numberedReplicas(fields: Fields): StatusRecord | undefined {
  for (const { total, ready } of countsIn(fields)) {
    if (total === undefined || ready === undefined) continue;
    const replicas = Array.from({ length: Math.max(total, ready) }, (_, index) => {
      return { id: `#${index + 1}`, status: "", healthy: index < Math.min(ready, total) };
    });
    return replicas.length > 0 ? { replicas, isCounted: true } : { replicas };
  }
  return undefined;
}

function countsIn(fields: Fields) {
  const places = countObjects.map((name) => new Fields(fields.first([name], object)));
  return [...places, fields].map((place) => place.read(countTable));
}
