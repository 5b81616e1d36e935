import { Redactor } from "../../base/redact";
import { isRecord } from "../../contract";
import { hasIdForm, plainName, sameId } from "../names";
import {
  type ClusterList,
  type ClusterRecord,
  clusterIdPattern,
  clusterListNames,
  clusterTable,
  fieldGroups,
  gpuNames,
  idNames,
  pageTable,
  type Reader,
  type StatusRecord,
} from "../records";
import { redactUnknownWord } from "../states";
import { identifier } from "./gpuRow";
import { defined, Fields, label, namesIn, object, UnreadableError } from "./json";
import { listIn, type Row, unwrap } from "./lists";
import { type Answer, fieldsBeside, type GetPage, walkPages } from "./pages";
import { healthOf } from "./statusRecord";
import { valuesIn } from "./variables";

type Raw = Readonly<Record<string, unknown>>;

const envNames = namesIn({ env: clusterTable.env });

/** Reads the answer to a creation. */
export const readCreated: Reader<ClusterRecord> = (json) => {
  const record = recordIn(json);
  if (record && (hasIdForm(record.id) || traitsOf(record) > 0)) return record;
  throw new UnreadableError("it holds no cluster with an id of letters, digits, '-' and '_'");
};

/** Reads one cluster by its id, with all fields of the answer. Never returns another cluster. */
export const readDetail =
  (id: string): Reader<ClusterRecord> =>
  (json) => {
    const record = readClusterIfAny(id)(json);
    if (!record) throw new UnreadableError("it is not the record of this cluster");
    // Its own fields last: they replace those of a group.
    const all = partsOf(unwrap(json) ?? {})
      .reverse()
      .flatMap(Object.entries);
    const fields = all.map(([name, value]) => [plainName(name), value] as const);
    return { ...record, fields: new Map(fields.filter(([name]) => !envNames.includes(name))) };
  };

/** Reads the answer to a change, an action or a deletion, which may be the cluster, anything else, or empty. */
export const readClusterIfAny =
  (id: string): Reader<ClusterRecord | undefined> =>
  (json) => {
    const record = recordIn(json, id);
    if (!record || !sameId(record.id, id)) return undefined;
    const fields = new Fields(unwrap(json));
    // An answer without an id is the cluster if it has several of a cluster's fields.
    const isOurs = idOf(fields) !== undefined || (!fields.has(idNames) && traitsOf(record) > 1);
    return isOurs ? { ...record, id } : undefined;
  };

/** Reads all pages of the list of clusters. */
export async function readClusterList(get: GetPage): Promise<ClusterList> {
  const { items, ...rest } = await walkPages(get, readPage, ({ id }) => id.toLowerCase());
  return { clusters: items, ...rest };
}

function readPage({ json, headers }: Answer) {
  const found = listIn(json, clusterListNames);
  const { rows, around, isSure } = found ?? { rows: [], around: [json].filter(isRecord), isSure: false };
  // An empty list under an unknown name, or nothing in place of a list, is one of no clusters only beside a total of 0.
  const isNone = rows.length === 0 && fieldsBeside({ around, headers }).read(pageTable).total === 0;
  const hasEmpty = around.flatMap(Object.values).some((value) => Array.isArray(value) && value.length === 0);
  const items = rows.map(listed).filter((cluster) => cluster !== undefined);
  if ((!found && !(isNone && hasEmpty)) || (items.length === 0 && rows.length > 0))
    throw new UnreadableError("it is not a list of clusters in a form that this version knows");
  // A record without a name may have any name.
  const isNamed = items.every(({ name }) => name !== undefined);
  const isAll = (isSure || isNone) && isNamed && !around.some(holdsCluster);
  return { items, count: rows.length, around, headers, isSure: isAll };
}

/** Whether a value beside the list holds further clusters: by their ids, or records of a list with several of their fields. */
function holdsCluster(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => {
    const record = recordIn(item, key);
    const isCluster = record && (hasIdForm(record.id) || (Array.isArray(value) && traitsOf(record) > 1));
    return isCluster || holdsCluster(item);
  });
}

/** A record of a map need not repeat its key, which is its id, or the name of a record with an id. */
function listed({ key, value }: Row): ClusterRecord | undefined {
  const record = recordIn(value, key !== undefined && hasIdForm(key) ? key : undefined);
  const isCluster = record && (key === undefined || hasIdForm(record.id) || [record.id, record.name].includes(key));
  return isCluster ? record : undefined;
}

function idOf(fields: Fields): string | undefined {
  const id = fields.first(idNames, label);
  return id !== undefined && clusterIdPattern.test(id) ? id : undefined;
}

/** A record and the groups of fields inside it; its own fields take precedence. */
function partsOf(raw: Raw, fields = new Fields(raw)): Raw[] {
  return [raw, ...fieldGroups.map((name) => fields.first([name], object) ?? {})];
}

function recordIn(json: unknown, fallback?: string): ClusterRecord | undefined {
  const raw = unwrap(json);
  const own = new Fields(raw);
  const id = idOf(own) ?? idOf(new Fields({ id: fallback }));
  if (!raw || id === undefined) return undefined;
  const fields = new Fields(...partsOf(raw, own));
  const { status, reason, ...read } = fields.read(clusterTable);
  // The values of an env in a form that is not read are known to nobody else.
  const redactor = new Redactor(envNames.flatMap((name) => valuesIn(fields.get(name))));
  const gpus = gpuNames.flatMap((name) => gpuTexts(fields.get(name)));
  return defined({
    id,
    ...read,
    status: status && redactUnknownWord(status, redactor),
    reason: reason && redactor.hide(reason),
    gpuType: gpus[0],
    gpuIdentifiers: gpus.length > 0 ? [...new Set(gpus)] : undefined,
    health: clearHealth(healthOf(fields, status), redactor),
  });
}

function clearHealth(health: StatusRecord | undefined, redactor: Redactor): StatusRecord | undefined {
  const replicas = health?.replicas.map(({ message, ...replica }) =>
    defined({
      ...replica,
      status: replica.status && redactUnknownWord(replica.status, redactor),
      message: message && redactor.hide(message),
    }),
  );
  return health && replicas && { ...health, replicas };
}

/** The number of a cluster's fields that a record has besides its id. */
function traitsOf({ name, status, replicas, endpoint, gpuType }: ClusterRecord): number {
  return [name, status, replicas, endpoint, gpuType].filter((value) => value !== undefined).length;
}

function gpuTexts(value: unknown): string[] {
  const inside = new Fields(value);
  return [value, inside.get("id"), inside.get("name")].map(identifier).filter((each) => each !== undefined);
}
