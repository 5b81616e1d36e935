import { listDepth, notRecords } from "../records";
import { asRecord, Fields, isRecord, plainName } from "./json";

/** The records of one answer that is a list. */
export interface Listing {
  readonly records: readonly unknown[];
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
 * `undefined` when there is none. An answer that reports errors beside the list may lack some.
 */
export function findRecords(json: unknown, kind: ListKind): Listing | undefined {
  const fields = new Fields(json);
  const found = search(json, kind, listDepth);
  return found && { ...found, sure: found.sure && !["error", "errors"].some((name) => isSaid(fields.get(name))) };
}

function search(json: unknown, kind: ListKind, depth: number): Listing | undefined {
  if (Array.isArray(json)) return { records: json, sure: true };
  if (!isRecord(json)) return undefined;
  return depth > 0
    ? (underItsName(json, kind, depth) ?? asMap(json, kind) ?? underAnyName(json, kind, depth))
    : asMap(json, kind);
}

function underItsName(json: Record<string, unknown>, kind: ListKind, depth: number): Listing | undefined {
  const fields = new Fields(json);
  for (const name of kind.names) {
    const value = fields.get(name);
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    const found = isEmpty ? { records: [], sure: true } : search(value, kind, depth - 1);
    if (found) return found;
  }
  return undefined;
}

/** Each record under its key, which it need not repeat. */
function asMap(json: Record<string, unknown>, { holdsKeyed, key }: ListKind): Listing | undefined {
  const entries = Object.entries(json).filter(([name, value]) => isRecord(value) && holdsKeyed(name, value));
  const records = entries.map(([name, value]) => ({ [key]: name, ...asRecord(value) }));
  return records.length > 0 ? { records, sure: true } : undefined;
}

/** An empty list under a name that is not known may be a list of something else. */
function underAnyName(json: Record<string, unknown>, kind: ListKind, depth: number): Listing | undefined {
  const entries = Object.entries(json).filter(([name]) => !notRecords.has(plainName(name)));
  const inner = entries.map(([, value]) => search(value, kind, depth - 1));
  const lists = inner.filter((listing) => listing !== undefined);
  const [found, ...others] = lists.filter(({ records }) => records.some(kind.holds));
  if (found) return { records: found.records, sure: found.sure && others.length === 0 };
  return lists.length > 0 && lists.every(({ records }) => records.length === 0)
    ? { records: [], sure: false }
    : undefined;
}

function isSaid(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
