import { listDepth, notRecords, pageHints, partMarks, sideLists } from "../records";
import { asRecord, Fields, isRecord, isSaid, plainName } from "./json";

/** The records of one answer that is a list. */
export interface Listing {
  readonly records: readonly unknown[];
  /** The same as they stand in the answer: a map's records without their keys. */
  readonly members: ReadonlySet<unknown>;
  /** False when there may be more records in the answer than these. */
  readonly sure: boolean;
}

/** What a list is of. */
export interface ListKind {
  /** Names under which it may stand. */
  readonly names: readonly string[];
  /** Whether a value is one of its records. */
  readonly holds: (value: unknown) => boolean;
  /** Whether an entry of a map is one, under what tells it from the others. */
  readonly holdsKeyed: (key: string, value: unknown) => boolean;
  /** The property of a record that a map's keys are the values of. */
  readonly key: string;
}

/**
 * The records of a list: bare, under one of the names, under any other name if only one place holds records, or as a map.
 * `undefined` when there is none. An answer that reports errors anywhere beside them, or holds a second list, may lack some.
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

/** A list of nothing may be an empty map, or null, which some languages write for it and others for "not known". */
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

/** Each record under its key, which it need not repeat. An entry that is none may be a cluster in a form that is not known. */
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

/** Nothing at the only place where a list stands; what cannot be the list may be beside it. */
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
