import { isRecord } from "../../contract";
import { plainName } from "../names";
import {
  clusterTable,
  countObjects,
  countTable,
  healthNames,
  type Reader,
  type ReplicaRecord,
  replicaListNames,
  replicaTable,
  type StatusRecord,
  verdictNames,
} from "../records";
import { healthOfWord, isSick, stateOf, statusOfWord } from "../states";
import { Fields, flag, object, UnreadableError } from "./json";
import { listIn, type Row, unwrap } from "./lists";

/** Reads `/status`: replicas in a list, in a map or counted; if nothing shows replicas, the cluster as a whole. */
export const readStatus: Reader<StatusRecord> = (json) => {
  const body = unwrap(json) ?? json;
  const fields = new Fields(body);
  const { status } = fields.read({ status: clusterTable.status });
  const list = listIn(body, replicaListNames);
  const found = list?.rows.every(({ value }) => isRecord(value)) ? listed(list.rows, fields) : counted(fields);
  if (found) return { ...found, status };
  // A list, a number or another object beside a word may be about sick replicas.
  const isPlain = fields.entries().every(([name, value]) => {
    const inside = isRecord(value) && healthNames.includes(name) ? Object.values(value) : [value];
    return inside.every((each) => typeof each === "string" || typeof each === "boolean");
  });
  const overall = healthIn(fields, healthNames);
  if (!isPlain || (overall ?? status) === undefined)
    throw new UnreadableError("it is not a list of replicas, nor anything else that shows their health");
  return overall === undefined ? statusOfWord(status) : { status, replicas: [], overall };
};

/** The replicas in the record of a cluster. Numbers do not count before it runs: the meaning of `activeReplicas` is not known. */
export function healthOf(fields: Fields, status: string | undefined): StatusRecord | undefined {
  const list = fields.first(["replicas"], (value) => (Array.isArray(value) && value.length > 0 ? value : undefined));
  const numbers = stateOf(status) === "running" || stateOf(status) === "unknown" ? fields : undefined;
  if (list) {
    const rows = list.map((value) => ({ value }));
    // Without a health check, flags that are all false say nothing.
    const hasNoFlag = ({ value }: Row) => healthIn(new Fields(value), healthNames) !== true;
    return listed(rows, numbers, fields.get("health_check_enabled") === false && rows.every(hasNoFlag));
  }
  const shown = counted(fields);
  if (!shown || numbers) return shown;
  return { ...shown, replicas: shown.replicas.map((replica) => ({ ...replica, healthy: false })) };
}

/**
 * The replicas of a list. A count of the ready ones decides about those that show nothing that is known.
 * @param numbers The fields that may hold the count.
 * @param isUnchecked Whether there is no health check, so that only the state of a replica says something.
 */
function listed(rows: readonly Row[], numbers = new Fields(), isUnchecked = false): StatusRecord {
  const replicas = rows.map((row, index) => replicaOf(row, index, isUnchecked));
  const ready = countsIn(numbers).find((counts) => counts.ready !== undefined)?.ready;
  if (ready === undefined) return { replicas };
  let left = ready - replicas.filter(({ healthy }) => healthy).length;
  return { replicas: replicas.map((replica) => ({ ...replica, healthy: replica.healthy ?? left-- > 0 })) };
}

function replicaOf({ key, value }: Row, index: number, isUnchecked: boolean): ReplicaRecord {
  const fields = new Fields(value);
  const { id = key ?? String(index), status = "", message } = fields.read(replicaTable);
  const own = isRecord(value) ? healthOfWord(status) : false;
  const healthy = isUnchecked ? own : !isDenied(value) && (healthIn(fields, healthNames) ?? own);
  return { id, status, ...(healthy === undefined ? {} : { healthy }), ...(message === undefined ? {} : { message }) };
}

/** The health that flags and words under these names show; `undefined` if nothing known shows it. */
export function healthIn(fields: Fields, names: readonly string[]): boolean | undefined {
  const signs = names.map((name) => (fields.get(name) === 0 && isFlag(name) ? false : signOf(fields.get(name))));
  return signs.includes(false) ? false : signs.includes(true) ? true : undefined;
}

/** Whether a number under a name counts as a flag: a status of 0 may mean success. */
function isFlag(name: string): boolean {
  return healthNames.includes(name);
}

function signOf(value: unknown): boolean | undefined {
  if (isRecord(value)) return healthIn(new Fields(value), verdictNames);
  return flag(value) ?? (typeof value === "string" ? healthOfWord(value) : undefined);
}

/** Whether anything inside a replica says that it is not well: a negative flag about its health, or a word for a failure. */
function isDenied(value: unknown, depth = 5): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return false;
  return Object.entries(value).some(([name, item]) => {
    if (typeof item === "object") return isDenied(item, depth - 1);
    return (
      verdictNames.includes(plainName(name)) && (flag(item) === false || (typeof item === "string" && isSick(item)))
    );
  });
}

/** Counts, `{"total": 3, "healthy": 2}`, as numbered replicas. */
function counted(fields: Fields): StatusRecord | undefined {
  for (const { total, ready } of countsIn(fields)) {
    if (total === undefined || ready === undefined) continue;
    const replicas = Array.from({ length: Math.max(total, ready) }, (_, index) => {
      return { id: `#${index + 1}`, status: "", healthy: index < Math.min(ready, total) };
    });
    return { replicas, ...(replicas.length > 0 ? { isCounted: true } : {}) };
  }
  return undefined;
}

function countsIn(fields: Fields) {
  const places = countObjects.map((name) => new Fields(fields.first([name], object)));
  return [...places, fields].map((place) => place.read(countTable));
}
