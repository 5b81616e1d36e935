import { looksSecret } from "../../base/credentials";
import { Redactor } from "../../base/redact";
import { plainName } from "../../base/text";
import { isRecord } from "../../contract";
import {
  count,
  defined,
  Fields,
  flag,
  inner,
  label,
  NoRecordError,
  object,
  type Raw,
  type Table,
  text,
  UnreadableError,
  words,
} from "./json";
import { isNoRecord, listIn, type Page, type ParsedAnswer, type Row, unwrap } from "./lists";
import {
  type ClusterRecord,
  clusterIdPattern,
  clusterTable,
  gpuIdentifier,
  gpuNames,
  hasIdPrefix,
  idNames,
  type ReplicaRecord,
  type StatusRecord,
  sameId,
  statusWord,
} from "./records";
import { healthOfWord, hideInStatus, isUnhealthyStatus, stateOf, statusOfWord } from "./states";
import type { Health, ServiceInfo } from "./types";

/** @assumption Some fields of a cluster may stand in one of these objects inside its record. */
const fieldGroups = ["config", "spec", "attributes"];
/** @assumption The list of clusters, or a map of them by id, is the answer itself or stands under these names, at most three deep. */
const clusterListNames = ["clusters", "data", "items", "result"];
const [_kind, ...envNames] = clusterTable.env;
const gpuKinds = [inner(gpuIdentifier, "id"), inner(gpuIdentifier, "name")];

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
export const clusterFieldNames = [
  fieldGroups,
  clusterListNames,
  replicaListNames,
  replicaTable,
  verdictNames,
  countTable,
  countObjects,
];

export function readCreated(json: unknown): ClusterRecord {
  const record = recordIn(json);
  if (record && (hasIdPrefix(record.id) || countTraits(record) > 0)) return record;
  throw new UnreadableError("it holds no cluster with an id of letters, digits, '-' and '_'");
}

/** Reads one cluster by its id, with all fields of the answer. Never returns another cluster. @throws NoRecordError */
export function readDetail(json: unknown, id: string): ClusterRecord {
  if (isNoRecord(json)) throw new NoRecordError("it holds no record");
  const record = readClusterIfAny(json, id);
  if (!record) throw new UnreadableError("it is not the record of this cluster");
  const fields = new Map<string, unknown>();
  // The fields of the record replace those of its groups.
  for (const part of withGroups(unwrap(json) ?? {}).reverse())
    for (const [name, value] of Object.entries(part)) fields.set(plainName(name), value);
  for (const name of envNames) fields.delete(name);
  return { ...record, fields };
}

export function readClusterIfAny(json: unknown, id: string): ClusterRecord | undefined {
  const record = recordIn(json, id);
  if (!record || !sameId(record.id, id)) return undefined;
  const fields = new Fields(unwrap(json));
  // An answer without an id is the cluster if it has several of a cluster's fields.
  const isCluster = clusterIdIn(fields) !== undefined || (!fields.has(idNames) && countTraits(record) > 1);
  return isCluster ? { ...record, id } : undefined;
}

export function readClusterPage({ json, headers }: ParsedAnswer): Page<ClusterRecord> {
  const list = listIn(json, clusterListNames);
  const items = list?.rows.map(readRow).filter((cluster) => cluster !== undefined) ?? [];
  if (!list || (items.length === 0 && list.rows.length > 0))
    throw new UnreadableError("it is not a list of clusters in a form that this version knows");
  const { rows, around } = list;
  // A record without a name may have any name.
  const isPart = items.some(({ name }) => name === undefined) || around.some(holdsCluster);
  return { items, count: rows.length, around, headers, extent: isPart ? "part" : list.extent };
}

/** A record of a map need not repeat its key, which is its id, or the name of a record with an id. */
function readRow({ key, value }: Row): ClusterRecord | undefined {
  const record = recordIn(value, key !== undefined && hasIdPrefix(key) ? key : undefined);
  const isCluster = record && (key === undefined || hasIdPrefix(record.id) || [record.id, record.name].includes(key));
  return isCluster ? record : undefined;
}

/** Whether a value beside the list contains clusters: by their ids, or by several of their fields in a list of records. */
function holdsCluster(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const items = Object.values(value);
  const records = Object.entries(value).flatMap(([key, item]) => readRow({ key, value: item }) ?? recordIn(item) ?? []);
  const isList = Array.isArray(value);
  return records.some((each) => hasIdPrefix(each.id) || (isList && countTraits(each) > 1)) || items.some(holdsCluster);
}

function clusterIdIn(fields: Fields): string | undefined {
  const id = fields.first(idNames, label);
  return id !== undefined && clusterIdPattern.test(id) ? id : undefined;
}

function withGroups(raw: Raw): Raw[] {
  const fields = new Fields(raw);
  return [raw, ...fieldGroups.map((name) => fields.first([name], object) ?? {})];
}

function recordIn(json: unknown, fallbackId?: string): ClusterRecord | undefined {
  const raw = unwrap(json);
  const id = clusterIdIn(new Fields(raw)) ?? clusterIdIn(new Fields({ id: fallbackId }));
  if (!raw || id === undefined) return undefined;
  const fields = new Fields(...withGroups(raw));
  const { status: word, env, reason, ...read } = fields.read(clusterTable);
  const identifiers = gpuNames.flatMap((name) => gpuKinds.map((kind) => kind(fields.get(name))));
  const gpus = [...new Set(identifiers)].filter((each) => each !== undefined);
  const record = { id, ...read, env, gpuType: gpus[0], gpuIdentifiers: gpus.length > 0 ? gpus : undefined };
  const health = replicasIn(fields, word);
  // Messages of the service may quote an env that cannot be read, whose values cannot be hidden.
  if (env === undefined && envNames.some((name) => typeof fields.get(name) === "object")) {
    const known = (status = "") => hideInStatus(status, () => "");
    const replicas = health?.replicas.map(({ message: _message, ...each }) => ({
      ...each,
      status: known(each.status),
    }));
    return defined({
      ...record,
      status: known(word) || undefined,
      health: health && replicas && { ...health, replicas },
    });
  }
  // The values to hide of a cluster whose program, and so its secrets, are not known.
  const variables = Object.entries(env ?? {});
  const secrets = variables.flatMap(([name, value]) => (value !== null && looksSecret(name, value) ? [value] : []));
  const status = word && hideInStatus(word, (text) => new Redactor().learn(secrets).incoming(text));
  return defined({ ...record, reason, status, health });
}

function countTraits({ name, status, replicas, endpoint, gpuType }: ClusterRecord): number {
  return [name, status, replicas, endpoint, gpuType].filter((value) => value !== undefined).length;
}

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
  const values = fields
    .entries()
    .flatMap(([name, value]) => (isRecord(value) && healthNames.includes(name) ? Object.values(value) : [value]));
  const isPlain = values.every((each) => typeof each === "string" || typeof each === "boolean");
  const overall = healthIn(fields, healthNames);
  if (!isPlain || (overall ?? status) === undefined)
    throw new UnreadableError("it is not a list of replicas, nor anything else that shows their health");
  return overall === undefined ? statusOfWord(status) : { status, replicas: [], overall };
}

/** The replicas in the record of a cluster. A count of healthy ones is ignored before it runs: `activeReplicas` may mean another thing. */
function replicasIn(fields: Fields, status: string | undefined): StatusRecord | undefined {
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
    const replicas = Array.from({ length: Math.max(total, ready) }, (_, index) => ({
      id: `#${index + 1}`,
      status: "",
      healthy: index < Math.min(ready, total),
    }));
    return replicas.length > 0 ? { replicas, isCounted: true } : { replicas };
  }
  return undefined;
}

function countsIn(fields: Fields) {
  const places = countObjects.map((name) => new Fields(fields.first([name], object)));
  return [...places, fields].map((place) => place.read(countTable));
}
