import { isRecord } from "../../core";
import { plainName } from "../names";
import { type ClusterList, clusterListNames, listDepth, notRecords, pageHints, partMarks, sideLists } from "../records";
import { isKeyedCluster, readListed } from "./clusterRecord";
import { asRecord, Fields, isSaid, UnreadableError } from "./json";
import { type Answer, type GetPage, type PageMemory, walkPages } from "./pages";

const clusters: ListKind = {
  names: clusterListNames,
  holds: (value) => readListed(value) !== undefined,
  holdsKeyed: isKeyedCluster,
  key: "id",
};

/** Reads all pages of the list of clusters. */
export async function readClusterList(get: GetPage, memory?: PageMemory): Promise<ClusterList> {
  const { items, ...rest } = await walkPages(get, readPage, ({ id }) => id.toLowerCase(), memory);
  return { clusters: items, ...rest };
}

function readPage({ json, headers }: Answer) {
  const { records, members, sure: isWhole } = findRecords(json, clusters) ?? nothingIn(json);
  const items = records.map(readListed).filter((cluster) => cluster !== undefined);
  // If the answer says that there are no clusters, an empty list under any name is the list.
  const isNone = records.length === 0 && new Fields(json).get("total") === 0;
  return {
    json,
    headers,
    members,
    items,
    count: records.length,
    sure: isNone || (isWhole && items.length === records.length),
  };
}

/** `{}` may be a map without clusters, or an answer that says nothing. */
function nothingIn(json: unknown): Listing {
  const isNothing = isRecord(json) && new Fields(json).names().length === 0;
  if (isNothing) return { records: [], members: new Set(), sure: false };
  throw new UnreadableError("it is not a list of records in any form that this version knows");
}

/** The records of one answer that is a list. */
export interface Listing {
  readonly records: readonly unknown[];
  /** The same records as they stand in the answer; those of a map without their keys. */
  readonly members: ReadonlySet<unknown>;
  /** False if the answer may contain more records than these. */
  readonly sure: boolean;
}

/** A kind of list. */
export interface ListKind {
  /** The known names of the list. */
  readonly names: readonly string[];
  /** Whether a value is one of its records. */
  readonly holds: (value: unknown) => boolean;
  /** Whether an entry of a map is one of its records, by the entry's key and value. */
  readonly holdsKeyed: (key: string, value: unknown) => boolean;
  /** The property of a record that the keys of a map stand for. */
  readonly key: string;
}

/**
 * The records of a list: a bare list, a list under a known name, the only list of records under other names, or a map.
 * `undefined` if there is none. If the answer reports errors beside the records, or has a second list, it may be
 * incomplete.
 */
export function findRecords(json: unknown, kind: ListKind): Listing | undefined {
  return search(json, kind, listDepth);
}

function search(json: unknown, kind: ListKind, depth: number): Listing | undefined {
  if (Array.isArray(json)) return { records: json, members: new Set(json), sure: true };
  if (!isRecord(json)) return undefined;
  const deeper = depth > 0 ? (underItsName(json, kind, depth) ?? underAnyName(json, kind, depth)) : undefined;
  const found = deeper ?? asMap(json, kind) ?? (depth > 0 ? emptyUnderAnyName(json, kind, depth) : undefined);
  const fields = new Fields(json);
  return found && { ...found, sure: found.sure && !partMarks.some((name) => isSaid(fields.get(name))) };
}

function underItsName(json: Record<string, unknown>, kind: ListKind, depth: number): Listing | undefined {
  const entries = Object.entries(json).map(([name, value]) => ({ plain: plainName(name), value }));
  for (const name of kind.names) {
    const entry = entries.find(({ plain }) => plain === name);
    const found = entry && (emptyIn(entry.value) ?? search(entry.value, kind, depth - 1));
    if (!found) continue;
    const others = entries.filter(({ plain, value }) => {
      return plain !== name && (search(value, kind, depth - 1)?.records ?? []).some(kind.holds);
    });
    return { ...found, sure: found.sure && others.length === 0 };
  }
  return undefined;
}

/** An empty list may be an empty map, or null. null is an empty list in some languages, and unknown in others. */
function emptyIn(value: unknown): Listing | undefined {
  const isEmpty = value === null || (isRecord(value) && Object.keys(value).length === 0);
  return isEmpty ? { ...nothing, sure: value !== null } : undefined;
}

const nothing = { records: [], members: new Set<unknown>() };

function underAnyName(json: Record<string, unknown>, kind: ListKind, depth: number): Listing | undefined {
  const entries = Object.entries(json).filter(([name]) => !notRecords.has(plainName(name)));
  const found = entries.map(([, value]) =>
    Array.isArray(value) || isRecord(value) ? search(value, kind, depth - 1) : undefined,
  );
  const lists = found.filter((listing) => listing !== undefined).filter(({ records }) => records.length > 0);
  const [main, ...others] = lists.filter(({ records }) => records.some(kind.holds));
  return main && { ...main, sure: main.sure && others.length === 0 && lists.length === 1 };
}

/** A map of records, which need not repeat their keys. Any other object in it may be a record of an unknown form. */
function asMap(json: Record<string, unknown>, { holdsKeyed, key }: ListKind): Listing | undefined {
  const all = Object.entries(json);
  const entries = all.filter(([name, value]) => isRecord(value) && holdsKeyed(name, value));
  const others = all.filter(([name, value]) => {
    const isNothing =
      value === null &&
      !plainName(name)
        .split("_")
        .some((word) => pageHints.has(word));
    return isRecord(value) || isNothing || holdsKeyed(name, {});
  });
  const records = entries.map(([name, value]) => ({ [key]: name, ...asRecord(value) }));
  const members = new Set(entries.map(([, value]) => value));
  return records.length > 0 ? { records, members, sure: others.length === entries.length } : undefined;
}

/** The empty list, if only one place has a list. Lists that cannot be the requested one may stand beside it. */
function emptyUnderAnyName(json: Record<string, unknown>, kind: ListKind, depth: number): Listing | undefined {
  const entries = Object.entries(json).filter(([name]) => !notRecords.has(plainName(name)));
  const places = entries.flatMap(([name, value]) => {
    const found = Array.isArray(value) || isRecord(value) ? search(value, kind, depth - 1) : undefined;
    return found?.records.length === 0 ? [{ isAside: sideLists.has(plainName(name)), found }] : [];
  });
  const [place, ...others] = places.filter(({ isAside }) => !isAside);
  if (place) return { ...nothing, sure: place.found.sure && others.length === 0 };
  return places.length > 0 ? { ...nothing, sure: false } : undefined;
}
