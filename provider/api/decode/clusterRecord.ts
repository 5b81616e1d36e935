import { looksSecret } from "../../base/credentials";
import { Redactor } from "../../base/redact";
import { identifier } from "./gpuRecords";
import { defined, Fields, label, NoRecordError, object, type Raw, UnreadableError } from "./json";
import { isNoRecord, listIn, type Page, type ParsedAnswer, type Row, unwrap } from "./lists";
import { hasIdPrefix, plainName, sameId } from "./names";
import { type ClusterRecord, clusterIdPattern, clusterTable, gpuNames, idNames } from "./records";
import { hideInStatus } from "./states";
import { replicasIn } from "./statusRecord";

/** @assumption Some fields of a cluster may stand in one of these objects inside its record. */
export const fieldGroups = ["config", "spec", "attributes"];
/** @assumption The list of clusters, or a map of them by id, is the answer itself or stands under these names, at most three deep. */
export const clusterListNames = ["clusters", "data", "items", "result"];
const [_kind, ...envNames] = clusterTable.env;

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
  const isAll = items.every(({ name }) => name !== undefined) && !around.some(holdsCluster);
  return { items, count: rows.length, around, headers, isComplete: list.isComplete && isAll };
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
  const { status: word, env, ...read } = fields.read(clusterTable);
  // The values to hide of a cluster whose program, and so its secrets, are not known.
  const variables = Object.entries(env ?? {});
  const secrets = variables.flatMap(([name, value]) => (value !== null && looksSecret(name, value) ? [value] : []));
  const gpus = [...new Set(gpuNames.flatMap((name) => gpuIdentifiersIn(fields.get(name))))];
  const record = {
    id,
    ...read,
    env,
    status: word && hideInStatus(word, (text) => new Redactor().learn(secrets).incoming(text)),
    health: replicasIn(fields, word),
    gpuType: gpus[0],
    gpuIdentifiers: gpus.length > 0 ? gpus : undefined,
  };
  const isUnreadEnv = env === undefined && envNames.some((name) => typeof fields.get(name) === "object");
  return defined(isUnreadEnv ? withoutMessages(record) : record);
}

/** Without messages of the service: they may quote an env that cannot be read, whose values cannot be hidden. */
function withoutMessages({ reason: _reason, status, health, ...record }: ClusterRecord): ClusterRecord {
  const known = (word = "") => hideInStatus(word, () => "");
  const replicas = health?.replicas.map(({ message: _message, ...replica }) => {
    return { ...replica, status: known(replica.status) };
  });
  return { ...record, status: known(status) || undefined, health: health && replicas && { ...health, replicas } };
}

function countTraits({ name, status, replicas, endpoint, gpuType }: ClusterRecord): number {
  return [name, status, replicas, endpoint, gpuType].filter((value) => value !== undefined).length;
}

function gpuIdentifiersIn(value: unknown): string[] {
  const inside = new Fields(value);
  return [value, inside.get("id"), inside.get("name")].map(identifier).filter((each) => each !== undefined);
}
