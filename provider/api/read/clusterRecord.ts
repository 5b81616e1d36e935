import { isRecord } from "../../core";
import { cleanText, withCleanNames } from "../../text";
import { hasIdForm, plainName, sameId } from "../names";
import {
  type ClusterRecord,
  clusterIdPattern,
  clusterNamePattern,
  clusterNames,
  clusterTexts,
  envNames,
  fieldGroups,
  firstMillisecondStamp,
  innerNames,
  notRecords,
  type Reader,
  recordDepth,
  type StatusRecord,
} from "../records";
import { redactor } from "../redact/redactor";
import { clearWord, stateOf } from "../states";
import { gpuTexts } from "./gpuFacts";
import { asCount, asName, asNumber, asText, defined, Fields, isSaid, objectsIn, UnreadableError } from "./json";
import { healthOf } from "./statusRecord";

/** Reads the answer to a creation. An object with an id and no other field of a cluster may be, say, an operation. */
export const readCreated: Reader<ClusterRecord> = (json) => {
  const found = candidates(json).filter(({ object, isTop }) => traits(object) > 0 || isTop);
  const own = found.find(({ id }) => hasIdForm(id)) ?? found.find(({ object }) => traits(object) > 0);
  if (own) return toRecord(own);
  throw new UnreadableError("it holds no cluster with an id of letters, digits, '-' and '_'");
};

/** Reads the answer to a request for one cluster, which need not repeat the id. Never returns another cluster. */
export const readCluster =
  (id: string): Reader<ClusterRecord> =>
  (json) => {
    const own = ownIn(json, id);
    if (own) return own;
    throw new UnreadableError("it is not the record of this cluster");
  };

const envFields: ReadonlySet<string> = new Set(clusterNames.env);

/** Reads one cluster by its id, with all fields of the answer, including those unknown to this package. */
export const readDetail =
  (id: string): Reader<ClusterRecord> =>
  (json) => {
    const record = readCluster(id)(json);
    const fields = fieldsIn(json);
    return { ...record, ...(record.health ? { health: knownHealth(record.health, fields) } : {}), fields };
  };

/** If the health check of a cluster is off, its health says nothing: the states of its replicas count. */
function knownHealth(health: StatusRecord, fields: ReadonlyMap<string, unknown>): StatusRecord {
  if (fields.get("health_check_enabled") !== false) return health;
  const replicas = health.replicas.map((replica) => ({ ...replica, healthy: stateOf(replica.status) === "running" }));
  return { ...health, replicas };
}

/** The fields by plain name, without env; the outermost one counts. null stays: it shows that a value is absent. */
function fieldsIn(json: unknown): ReadonlyMap<string, unknown> {
  const objects = objectsIn(json, recordDepth, notRecords);
  const entries = objects.flatMap((object) =>
    Object.entries(object).map(([name, value]) => [plainName(name), value] as const),
  );
  return new Map(entries.filter(([name]) => !envFields.has(name)).reverse());
}

/** Reads the answer to a change, an action or a deletion, which may be the cluster, anything else, or empty. */
export const readClusterIfAny =
  (id: string): Reader<ClusterRecord | undefined> =>
  (json) =>
    ownIn(json, id);

/** Reads one record of a list. An object inside the record with an id of another form may be a part of the record. */
export function readListed(json: unknown): ClusterRecord | undefined {
  const found = candidates(json);
  const own = found.find(({ isTop }) => isTop) ?? found.find(({ id }) => hasIdForm(id));
  return own && toRecord(own);
}

/** Whether an entry of a map is a cluster under its id. */
export function isKeyedCluster(key: string, value: unknown): boolean {
  if (!clusterIdPattern.test(key) || notRecords.has(plainName(key))) return false;
  return hasIdForm(key) || (isRecord(value) && traits(value) > 1);
}

interface Candidate {
  readonly id: string;
  readonly object: Record<string, unknown>;
  /** True for the outermost object. */
  readonly isTop: boolean;
}

function candidates(json: unknown, expected?: string): Candidate[] {
  return objectsIn(json, recordDepth, notWhole).flatMap((object, index) => {
    const id = idOf(object, expected);
    // The outermost object comes first.
    return id === undefined ? [] : [{ id, object, isTop: index === 0 }];
  });
}

function ownIn(json: unknown, id: string): ClusterRecord | undefined {
  const found = candidates(json, id);
  const own = found.find((candidate) => sameId(candidate.id, id));
  if (own) return toRecord({ ...own, id });
  if (found.some((other) => hasIdForm(other.id))) return undefined;
  const nameless = objectsIn(json, recordDepth, notWhole).find((object) => {
    return traits(object) > 1 && !clusterNames.id.some((name) => new Fields(object).has(name));
  });
  return nameless && toRecord({ id, object: nameless, isTop: true });
}

/** Names of objects that are not a record, or only a part of one. */
const notWhole: ReadonlySet<string> = new Set([...notRecords, ...fieldGroups, "status"]);

/** If several fields could be the id: the expected id, else one in the documented form, else the first. */
function idOf(object: Record<string, unknown>, expected = ""): string | undefined {
  const sources = withParts(object).map((part) => new Fields(part));
  const values = sources.flatMap((source) => clusterNames.id.map((name) => source.get(name)));
  const ids = values.flatMap((value) => {
    const id = asName(value);
    return id !== undefined && clusterIdPattern.test(id) ? [id] : [];
  });
  return ids.find((id) => sameId(id, expected)) ?? ids.find(hasIdForm) ?? ids[0];
}

/** An object and the groups of fields inside it. */
function withParts(object: Record<string, unknown>): Record<string, unknown>[] {
  const fields = new Fields(object);
  return [object, ...fieldGroups.map((group) => fields.get(group)).filter(isRecord)];
}

/** The number of a cluster's fields that an object has besides its id. */
function traits(object: Record<string, unknown>): number {
  const { name, replicas, endpoint, status } = clusterNames;
  const parts = withParts(object);
  const sources = parts.map((part) => new Fields(part));
  const shows = (names: readonly string[]) => names.some((each) => sources.some((source) => source.has(each)));
  return [name, replicas, endpoint, status].filter(shows).length + (gpuTextsOf(parts).length > 0 ? 1 : 0);
}

const secretForm = /(^|_)(env|environment|secrets?|variables)(_|$)/;

/** The texts that identify the GPU: no value of env, and no name of anything else. */
function gpuTextsOf(parts: readonly Record<string, unknown>[]): string[] {
  const isClean = ([name]: [string, unknown]) => !secretForm.test(plainName(name));
  const clean = parts.map((part) => Object.fromEntries(Object.entries(part).filter(isClean)));
  const texts = clean.flatMap(gpuTexts).filter(({ of }) => of === "gpu" || of === "machine");
  return [...new Set(texts.map(({ text }) => text))];
}

const texts = Object.entries(clusterTexts);

function toRecord({ id, object }: Candidate): ClusterRecord {
  const parts = withParts(object);
  const own = parts.map((part) => new Fields(part));
  // An object under `status` may contain all fields that change, but never the name.
  const changing = own.map((source) => source.get("status")).filter(isRecord);
  const all = [...own, ...changing.map((inner) => new Fields(inner))];
  const take = <T>(names: readonly string[], read: (value: unknown) => T | undefined, sources = all) =>
    sources.map((source) => source.first(names, read)).find((value) => value !== undefined);
  const status = take(clusterNames.status, asText) ?? take(clusterNames.status, innerOr(asText, innerNames.word));
  const env = take(clusterNames.env, asEnv, own);
  // Beside any state, a time of deletion proves nothing: it may be a placeholder, or planned.
  const isDeleted = !all.some(saysState) && Date.parse(take(clusterNames.deleted, asStamp) ?? "") > 0;
  const redact = redactor(Object.values(env ?? {}).filter((value) => value !== null));
  const gpuIdentifiers = gpuTextsOf(parts);
  return defined({
    id,
    name: take(clusterNames.name, asClusterName, own) ?? take(clusterNames.name, asText, own),
    status: isDeleted ? "terminated" : status && clearWord(status, redact),
    gpuType: gpuIdentifiers[0],
    gpuIdentifiers: gpuIdentifiers.length > 0 ? gpuIdentifiers : undefined,
    replicas: take(clusterNames.replicas, innerOr(asCount, innerNames.count)),
    reason: take(clusterNames.reason, innerOr(asText, clusterNames.reason)),
    health: healthOf(object),
    endpoint: take(clusterNames.endpoint, innerOr(asAddress, innerNames.address)),
    createdAt: take(clusterNames.createdAt, asStamp),
    env,
    ...Object.fromEntries(texts.map(([name, names]) => [name, take(names, innerOr(asText, innerNames.image))])),
  });
}

const stateForm = /(^|_)(status|state|phase)(_|$)/;

/** Whether any field with a name for a state has a value, known or not. */
function saysState(source: Fields): boolean {
  return source.names().some((name) => stateForm.test(name) && isSaid(source.get(name)));
}

/** A text that can be the name of a cluster. Others may be paths or titles that a service derives from the name. */
function asClusterName(value: unknown): string | undefined {
  const name = asText(value);
  return name !== undefined && clusterNamePattern.test(name) ? name : undefined;
}

/** An address without the slash at its end, which a service may add in one answer and leave out in the next. */
function asAddress(value: unknown): string | undefined {
  return asText(value)?.replace(/([^/])\/+$/, "$1");
}

/** Reads a value, or the value inside an object. */
function innerOr<T>(read: (value: unknown) => T | undefined, names: readonly string[]) {
  return (value: unknown): T | undefined => (isRecord(value) ? new Fields(value).first(names, read) : read(value));
}

const documentedStamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const zone = /(Z|UTC|GMT|[+-]\d\d:?\d\d)$/i;

/** ISO 8601 in UTC; a time in the documented form stays as it is, byte for byte. */
export function asStamp(value: unknown): string | undefined {
  if (typeof value === "string" && documentedStamp.test(value)) return value;
  const number = asNumber(value);
  const text = typeof value === "string" ? value.trim() : "";
  const ms =
    number === undefined
      ? Date.parse(zone.test(text) ? text : `${text.replace(" ", "T")}Z`)
      : number * (number >= firstMillisecondStamp ? 1 : 1000);
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

type Variable = readonly [name: string, value: string | null];

function asEnv(value: unknown): Record<string, string | null> | undefined {
  const isMap = isRecord(value);
  if (!isMap && !Array.isArray(value)) return undefined;
  const variables = isMap
    ? Object.entries(value).map(([name, item]): Variable => [name, asEnvValue(item)])
    : value.map(asVariable);
  // If one variable cannot be read, env is absent: otherwise that variable would seem to be missing.
  return variables.every((variable) => variable !== undefined) ? withCleanNames(variables, cleanName) : undefined;
}

/** The longest name of a variable in a request, in characters. */
const longestName = 1_024;

/** A name is printed in previews, so it is cleaned; values stay byte for byte. */
const cleanName = (name: string) => cleanText(name, longestName);

function asEnvValue(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const inner = new Fields(value).first(envNames.value, (item) => item);
  return inner === undefined || isRecord(inner) ? null : asEnvValue(inner);
}

function asVariable(value: unknown): Variable | undefined {
  if (typeof value === "string") {
    const at = value.indexOf("=");
    return at < 0 ? [value, null] : [value.slice(0, at), value.slice(at + 1)];
  }
  const fields = new Fields(value);
  const name = fields.first(envNames.name, asText);
  return name === undefined ? undefined : [name, asEnvValue(value)];
}
