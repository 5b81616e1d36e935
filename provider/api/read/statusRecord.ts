import {
  clusterNames,
  fieldGroups,
  innerNames,
  partLists,
  type Reader,
  type ReplicaRecord,
  replicaCounts,
  replicaListNames,
  replicaNames,
  type StatusRecord,
} from "../records";
import { healthIn } from "./healthSignals";
import { asCount, asName, asRecord, asText, defined, Fields, isRecord, plainName, UnreadableError } from "./json";
import { stateOf } from "./states";

/** Reads `/status`: replicas in a list, in a map or counted; where nothing is said of them, the cluster as a whole. */
export const readStatus: Reader<StatusRecord> = (json) => {
  const [only, ...others] = Object.entries(asRecord(json));
  if (only && others.length === 0 && wrapperNames.has(plainName(only[0])) && isRecord(only[1]))
    return readStatus(only[1]);
  const fields = new Fields(json);
  const status = fields.first(clusterNames.status, asWord);
  const replicas = replicasIn(json, 2);
  if (replicas) return defined({ status, replicas, isCounted: replicas.some(isNumbered) || undefined });
  const overall = isRecord(json) ? overallOf(json, status) : undefined;
  if (overall !== undefined) return defined({ status, replicas: [], overall });
  throw new UnreadableError("it is not a list of replicas, nor anything else that shows their health");
};

/** A word speaks for a cluster only where nothing else is said: a list or a number may be about replicas that are not well. */
function overallOf(json: Record<string, unknown>, status: string | undefined): boolean | undefined {
  const values = Object.values(json);
  const isPlain = !values.some((value) => Array.isArray(value) || typeof value === "number");
  const said = status !== undefined && isPlain ? stateOf(status) === "running" : undefined;
  return healthIn(json) ?? said;
}

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
  return (
    counted(json) ??
    grouped(json) ??
    theOnlyList(json) ??
    (depth > 0 ? wrapped(json, depth) : undefined) ??
    mapped(json)
  );
}

/** `{"running": [...], "starting": [...]}`: the name of a list is the state of its replicas. */
function grouped(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const entries = Object.entries(json).filter(([, value]) => Array.isArray(value));
  const isGrouped = entries.every(([name]) => stateOf(name) !== "unknown");
  if (entries.length === 0 || !isGrouped) return undefined;
  return entries
    .flatMap(([state, list]) => (Array.isArray(list) ? list : []).map((item) => ({ state, item })))
    .map(inGroup);
}

function inGroup({ state, item }: { state: string; item: unknown }, index: number): ReplicaRecord {
  const replica = isRecord(item) ? { ...item, status: state } : { id: item, status: state };
  return toReplica(replica, String(index));
}

/** A list under a name that is not known, if it is the only one whose items show their health. */
function theOnlyList(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const named = Object.entries(json).filter(([name]) => !partLists.has(plainName(name)));
  const lists = named.map(([, value]) => value).filter(isHealthList);
  return lists.length === 1 ? replicasIn(lists[0], 0) : undefined;
}

function isHealthList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(showsHealth);
}

/** What stands in an object that only holds it. */
function wrapped(json: Record<string, unknown>, depth: number): ReplicaRecord[] | undefined {
  const objects = Object.entries(json).filter(
    ([name, value]) => isRecord(value) && !propertyNames.has(plainName(name)),
  );
  const found = objects.map(([, value]) => (isRecord(value) ? listedOrCounted(value, depth) : undefined));
  return objects.length === 1 ? found[0] : undefined;
}

function listedOrCounted(json: Record<string, unknown>, depth: number): ReplicaRecord[] | undefined {
  const fields = new Fields(json);
  const lists = replicaListNames
    .map((name) => fields.get(name))
    .filter((value) => Array.isArray(value) || isRecord(value));
  if (lists.length > 0 || !showsHealth(json)) return replicasIn(json, depth - 1);
  return counted(json);
}

/** `{"total": 3, "healthy": 2}`, `{"ready": "2/3"}`: as many replicas, numbered. What is said to be sick is not healthy. */
function counted(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const counts = Object.entries(json).map(([name, value]) => ({ word: essence(name), share: asShare(value) }));
  const of = (words: readonly string[]) =>
    counts.flatMap(({ word, share }) => (share && words.includes(word) ? [share] : []));
  const healthy = of(replicaCounts.healthy);
  if (healthy.length === 0) return undefined;
  const sick = of(replicaCounts.sick).reduce((sum, { part }) => sum + part, 0);
  const least = Math.min(...healthy.map(({ part }) => part));
  const total = Math.max(least, ...[...healthy, ...of(replicaCounts.total)].map(({ part, whole }) => whole ?? part));
  const well = Math.max(0, Math.min(least, total - sick));
  return Array.from({ length: Math.min(total, mostCounted) }, (_, index) => ({
    id: `#${index + 1}`,
    status: "",
    healthy: index < well,
  }));
}

function isNumbered({ id }: ReplicaRecord): boolean {
  return id.startsWith("#");
}

/** More than any input may ask for. */
const mostCounted = 100_000;

const countingWords = new Set(["replica", "replicas", "count", "number", "num", "of", "instance", "instances"]);

/** What a number counts: `readyReplicas` and `ready_count` are `ready`; `replicas` alone is the total. */
function essence(name: string): string {
  const words = plainName(name)
    .split("_")
    .filter((word) => !countingWords.has(word));
  return words.join("_") || "total";
}

interface Share {
  readonly part: number;
  readonly whole?: number;
}

/** `2` or `2/3`. */
function asShare(value: unknown): Share | undefined {
  const [, part, whole] = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(typeof value === "string" ? value : "") ?? [];
  if (part !== undefined) return { part: Number(part), whole: Number(whole) };
  const count = typeof value === "number" ? asCount(value) : undefined;
  return count === undefined ? undefined : { part: count };
}

/** Names of properties, so surely no ids of replicas. */
const propertyNames: ReadonlySet<string> = new Set(
  [...Object.values(replicaNames), ...Object.values(clusterNames), ["ok", "success"]].flat(),
);

/** Names of what only holds something, so no ids of replicas either. */
const wrapperNames: ReadonlySet<string> = new Set(["cluster", "data", "result", "response"]);

/** A map of replicas by id: each value shows the health of one. An empty one shows none. */
function mapped(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const entries = Object.entries(json);
  const isId = (name: string) => !propertyNames.has(name) && !wrapperNames.has(name);
  const isMap = entries.every(([name, value]) => isId(plainName(name)) && showsHealth(value));
  return isMap ? entries.map(([id, value]) => toReplica(value, id)) : undefined;
}

function showsHealth(value: unknown): boolean {
  if (!isRecord(value))
    return typeof value === "boolean" || (typeof value === "string" && stateOf(value) !== "unknown");
  const fields = new Fields(withGroups(value));
  return [...replicaNames.status, ...replicaNames.healthy].some((name) => fields.has(name));
}

/** An object with what stands in its groups (`attributes`, `spec`) beside its own properties, which come first. */
function withGroups(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = new Fields(object);
  const groups = fieldGroups.map((name) => asRecord(fields.get(name)));
  return { ...Object.assign({}, ...groups.reverse()), ...object };
}

function toReplica(json: unknown, place: string): ReplicaRecord {
  const raw = isRecord(json) ? withGroups(json) : { [typeof json === "boolean" ? "healthy" : "status"]: json };
  const fields = new Fields(raw);
  const status = fields.first(replicaNames.status, asWord) ?? "";
  const message = fields.first(replicaNames.message, asWordOrMessage);
  return {
    id: fields.first(replicaNames.id, asName) ?? place,
    status,
    healthy: healthIn(raw) ?? stateOf(status) === "running",
    ...(message ? { message } : {}),
  };
}

function asWordOrMessage(value: unknown): string | undefined {
  return isRecord(value) ? new Fields(value).first(replicaNames.message, asText) : asText(value);
}
