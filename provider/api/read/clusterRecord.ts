import { sameId } from "../ids";
import {
  type ClusterRecord,
  clusterIdPattern,
  clusterIdPrefix,
  clusterNames,
  envNames,
  fieldGroups,
  firstMillisecondStamp,
  innerNames,
  notRecords,
  type Reader,
  recordDepth,
} from "../records";
import {
  asCount,
  asName,
  asNumber,
  asText,
  defined,
  Fields,
  isRecord,
  objectsIn,
  plainName,
  UnreadableError,
} from "./json";
import { stateOf } from "./states";

/** The answer to a creation. An object with an id that shows nothing of a cluster may be anything, such as an operation. */
export const readCreated: Reader<ClusterRecord> = (json) => {
  const found = candidates(json).filter(({ fields, isTop }) => traits(fields) > 0 || isTop);
  const own = found.find(({ id }) => hasIdForm(id)) ?? found.find(({ fields }) => traits(fields) > 0);
  if (own) return toRecord(own);
  throw new UnreadableError("it holds no cluster with an id of letters, digits, '-' and '_'");
};

/** The answer to a question for one cluster, which need not repeat its id; never another cluster. */
export const readCluster =
  (id: string): Reader<ClusterRecord> =>
  (json) => {
    const own = ownIn(json, id);
    if (own) return own;
    throw new UnreadableError("it is not the record of this cluster");
  };

/** The answer to a change, an action or a deletion may hold the cluster, or anything else, or nothing. */
export const readClusterIfAny =
  (id: string): Reader<ClusterRecord | undefined> =>
  (json) =>
    ownIn(json, id);

/** Whether an id has the documented form; one that has not may be the id of something else. */
export function hasIdForm(id: string): boolean {
  return id.toLowerCase().startsWith(clusterIdPrefix);
}

/** One record of a list. */
export function readListed(json: unknown): ClusterRecord | undefined {
  const [first] = candidates(json);
  return first && toRecord(first);
}

/** Whether an entry of a map is a cluster under its id. */
export function isKeyedCluster(key: string, value: unknown): boolean {
  if (!clusterIdPattern.test(key) || notRecords.has(plainName(key))) return false;
  return hasIdForm(key) || traits(new Fields(value)) > 1;
}

interface Candidate {
  readonly id: string;
  readonly fields: Fields;
  /** True for what stands in nothing else. */
  readonly isTop: boolean;
}

function candidates(json: unknown, expected?: string): Candidate[] {
  return objectsIn(json, recordDepth, notRecords).flatMap((object, index) => {
    const fields = new Fields(object);
    const id = idOf(fields, expected);
    return id === undefined ? [] : [{ id, fields, isTop: index === 0 }];
  });
}

function ownIn(json: unknown, id: string): ClusterRecord | undefined {
  const found = candidates(json, id);
  const own = found.find((candidate) => sameId(candidate.id, id));
  if (own) return toRecord({ ...own, id });
  if (found.some((other) => hasIdForm(other.id))) return undefined;
  const nameless = objectsIn(json, recordDepth, notRecords)
    .map((object) => new Fields(object))
    .find((fields) => traits(fields) > 1 && !clusterNames.id.some((name) => fields.has(name)));
  return nameless && toRecord({ id, fields: nameless, isTop: true });
}

/** Where several names could hold the id: the expected one, else one in the documented form, else the first. */
function idOf(fields: Fields, expected = ""): string | undefined {
  const ids = clusterNames.id.flatMap((name) => {
    const id = asName(fields.get(name));
    return id !== undefined && clusterIdPattern.test(id) ? [id] : [];
  });
  return ids.find((id) => sameId(id, expected)) ?? ids.find(hasIdForm) ?? ids[0];
}

/** How much an object shows of a cluster besides its id. */
function traits(fields: Fields): number {
  const { name, gpuType, replicas, endpoint, status } = clusterNames;
  return [name, gpuType, replicas, endpoint, status].filter((names) => names.some((each) => fields.has(each))).length;
}

function toRecord({ id, fields }: Candidate): ClusterRecord {
  const sources = [fields, ...fieldGroups.map((group) => new Fields(fields.get(group)))];
  const take = <T>(names: readonly string[], read: (value: unknown) => T | undefined): T | undefined => {
    const found = sources.map((source) => source.first(names, read));
    return found.find((value) => value !== undefined);
  };
  const status = take(clusterNames.status, innerOr(asText, innerNames.word));
  const isDeleted = take(clusterNames.deletedAt, asStamp) !== undefined && stateOf(status) !== "pending";
  return defined({
    id,
    name: take(clusterNames.name, asText),
    status: isDeleted ? "terminated" : status,
    gpuType: take(clusterNames.gpuType, innerOr(asText, innerNames.text)),
    replicas: take(clusterNames.replicas, innerOr(asCount, innerNames.count)),
    endpoint: take(clusterNames.endpoint, innerOr(asText, innerNames.text)),
    createdAt: take(clusterNames.createdAt, asStamp),
    container: take(clusterNames.container, innerOr(asText, innerNames.text)),
    env: take(clusterNames.env, asEnv),
  });
}

/** Reads a value, or the value inside an object. */
function innerOr<T>(read: (value: unknown) => T | undefined, names: readonly string[]) {
  return (value: unknown): T | undefined => (isRecord(value) ? new Fields(value).first(names, read) : read(value));
}

const documentedStamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const zone = /(Z|UTC|GMT|[+-]\d\d:?\d\d)$/i;

/** ISO 8601 in UTC; the documented form as it is, byte for byte. */
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
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asEnvValue(item)]));
  if (!Array.isArray(value)) return undefined;
  const variables = value.map(asVariable);
  // One that cannot be read would look as if it were not there.
  return variables.every((variable) => variable !== undefined) ? Object.fromEntries(variables) : undefined;
}

function asEnvValue(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isRecord(value) ? asEnvValue(new Fields(value).first(envNames.value, (item) => item)) : null;
}

function asVariable(value: unknown): Variable | undefined {
  if (typeof value === "string") {
    const at = value.indexOf("=");
    return at < 0 ? [value, null] : [value.slice(0, at), value.slice(at + 1)];
  }
  const fields = new Fields(value);
  const name = fields.first(envNames.name, asText);
  return name === undefined ? undefined : [name, asEnvValue(fields.first(envNames.value, (item) => item))];
}
