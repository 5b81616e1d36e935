import {
  clusterNames,
  innerNames,
  type Reader,
  type ReplicaRecord,
  replicaCounts,
  replicaListNames,
  replicaNames,
  type StatusRecord,
} from "../records";
import { asCount, asFlag, asName, asText, defined, Fields, isRecord, plainName, UnreadableError } from "./json";
import { stateOf } from "./states";

/** Reads `/status`: replicas in a list, in a map or counted; where nothing is said of them, the cluster as a whole. */
export const readStatus: Reader<StatusRecord> = (json) => {
  const fields = new Fields(json);
  const status = fields.first(clusterNames.status, asWord);
  const replicas = replicasIn(json, 2);
  if (replicas) return defined({ status, replicas });
  const overall = healthOf(fields) ?? (status === undefined ? undefined : stateOf(status) === "running");
  if (isRecord(json) && overall !== undefined) return defined({ status, replicas: [], overall });
  throw new UnreadableError("it is not a list of replicas, nor anything else that shows their health");
};

/** A word, or the one inside an object; never an object that holds replicas. */
function asWord(value: unknown): string | undefined {
  return isRecord(value) ? new Fields(value).first(innerNames.word, asText) : asText(value);
}

function replicasIn(json: unknown, depth: number): ReplicaRecord[] | undefined {
  if (Array.isArray(json)) return json.map((item, index) => toReplica(item, String(index)));
  if (!isRecord(json)) return undefined;
  const fields = new Fields(json);
  for (const name of depth > 0 ? replicaListNames : []) {
    const found = replicasIn(fields.get(name), depth - 1);
    if (found) return found;
  }
  return counted(fields) ?? mapped(json);
}

/** `{"total": 3, "healthy": 2}`, `{"ready": "2/3"}`: as many replicas, numbered. */
function counted(fields: Fields): ReplicaRecord[] | undefined {
  const [healthy, whole] = fields.first(replicaCounts.healthy, asShare) ?? [];
  if (healthy === undefined) return undefined;
  const total = whole ?? fields.first(replicaCounts.total, asCount) ?? healthy;
  return Array.from({ length: Math.min(total, mostCounted) }, (_, index) => ({
    id: String(index),
    status: "",
    healthy: index < healthy,
  }));
}

/** More than any input may ask for. */
const mostCounted = 100_000;

/** `2` or `2/3`. */
function asShare(value: unknown): [number, number?] | undefined {
  const parts = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(typeof value === "string" ? value : "");
  if (parts) return [Number(parts[1]), Number(parts[2])];
  const count = typeof value === "number" ? asCount(value) : undefined;
  return count === undefined ? undefined : [count];
}

/** Names of properties, so surely no ids of replicas. */
const propertyNames: ReadonlySet<string> = new Set(
  [...Object.values(replicaNames), ...Object.values(clusterNames)].flat(),
);

/** A map of replicas by id: each value shows the health of one. An empty one shows none. */
function mapped(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const entries = Object.entries(json);
  const isMap = entries.every(([name, value]) => !propertyNames.has(plainName(name)) && showsHealth(value));
  return isMap ? entries.map(([id, value]) => toReplica(value, id)) : undefined;
}

function showsHealth(value: unknown): boolean {
  if (!isRecord(value))
    return typeof value === "boolean" || (typeof value === "string" && stateOf(value) !== "unknown");
  const fields = new Fields(value);
  return [...replicaNames.status, ...replicaNames.healthy].some((name) => fields.has(name));
}

function toReplica(json: unknown, place: string): ReplicaRecord {
  const fields = new Fields(isRecord(json) ? json : { [typeof json === "boolean" ? "healthy" : "status"]: json });
  const status = fields.first(replicaNames.status, asWord) ?? "";
  const message = fields.first(replicaNames.message, asWordOrMessage);
  return {
    id: fields.first(replicaNames.id, asName) ?? place,
    status,
    healthy: healthOf(fields) ?? stateOf(status) === "running",
    ...(message ? { message } : {}),
  };
}

function asWordOrMessage(value: unknown): string | undefined {
  return isRecord(value) ? new Fields(value).first(replicaNames.message, asText) : asText(value);
}

/** A flag, or a word about health; what says nothing of health says nothing here. */
function healthOf(fields: Fields): boolean | undefined {
  return fields.first(replicaNames.healthy, (value) => {
    const flag = asFlag(isRecord(value) ? new Fields(value).first(replicaNames.healthy, asFlag) : value);
    const word = asWord(value);
    return flag ?? (word === undefined ? undefined : stateOf(word) === "running");
  });
}
