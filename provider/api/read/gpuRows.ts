import { isRecord } from "../../core";
import {
  errorNames,
  gpuListNames,
  gpuNames,
  innerGpuLists,
  notRecords,
  pageNames,
  pageObjects,
  stockNames,
  wrapperNames,
} from "../records";
import { gpuTexts, isGpuName, readMemory, readStock } from "./gpuFacts";
import { asText, plainName } from "./json";
import { readPrice } from "./price";

/** The subject of an answer about GPUs: gives the meaning of a value without a field name. */
export type GpuSubject = "types" | "models" | "pricing" | "availability";

/** One record about a GPU type, as the answer shows it. */
export interface GpuRow {
  readonly raw: Record<string, unknown>;
  /** Its key in a map of types. */
  readonly key?: string;
  /** Whether the record was only a word. */
  readonly isWord?: boolean;
}

/** The records of an answer, and those of its other lists. */
export interface GpuRows {
  readonly main: readonly GpuRow[];
  readonly beside: readonly GpuRow[];
}

const deepest = 4;

/** The records of an answer: a bare list, a list under a known name, the only list under other names, a map, or one. */
export function rowsIn(json: unknown, subject: GpuSubject, depth = deepest): GpuRows | undefined {
  if (Array.isArray(json)) return { main: json.flatMap(rowOf), beside: [] };
  if (!isRecord(json) || depth < 0) return undefined;
  // A map of types that is empty, because nothing is in stock.
  if (Object.keys(json).length === 0) return { main: [], beside: [] };
  if (!gpuListNames.some((name) => holdsRows(named(json, name))) && isGpu(json))
    return { main: [{ raw: json }], beside: [] };
  const lists = gpuListNames.flatMap((name) => {
    const value = named(json, name);
    return (
      (isRecord(value) || Array.isArray(value) ? rowsIn(value, subjectOf(name) ?? subject, depth - 1) : undefined) ?? []
    );
  });
  const [first, ...others] = lists;
  if (first) return { main: first.main, beside: [...first.beside, ...others.flatMap(({ main }) => main)] };
  const [only, ...more] = Object.values(json).filter(holdsRows);
  if (only && more.length === 0) return rowsIn(only, subject, depth - 1);
  return mapIn(json, subject) ?? wrapped(json, subject, depth);
}

function named(json: Record<string, unknown>, name: string): unknown {
  return Object.entries(json).find(([each]) => plainName(each) === name)?.[1];
}

/** The records inside an object that is only a wrapper. */
function wrapped(json: Record<string, unknown>, subject: GpuSubject, depth: number): GpuRows | undefined {
  const inner = Object.entries(json).filter(
    ([name, value]) => isRecord(value) && Object.keys(value).length > 0 && !isAside(plainName(name)),
  );
  const [only, ...others] = inner;
  return only && others.length === 0 ? rowsIn(only[1], subject, depth - 1) : undefined;
}

function subjectOf(listName: string): GpuSubject | undefined {
  return listName.startsWith("pric") ? "pricing" : listName === "availability" ? "availability" : undefined;
}

/** Whether a value is a list of records that can be distinguished, or an empty list. */
function holdsRows(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    (value.length === 0 || value.some((item) => isRecord(item) && (isGpu(item) || innerRows(item, 2).length > 0)))
  );
}

function isGpu(raw: Record<string, unknown>): boolean {
  return gpuTexts(raw).some(({ field }) => !field.includes("."));
}

function isAside(plain: string): boolean {
  return notRecords.has(plain) || pageObjects.has(plain);
}

/** One record. A provider or a region that is only a container is replaced by its records. */
function rowOf(item: unknown): GpuRow[] {
  if (typeof item === "string") return [{ raw: { type: item }, isWord: true }];
  if (!isRecord(item)) return [{ raw: {} }];
  const inner = isIdentified(item) || saysGpu(item) ? [] : innerRows(item, 2);
  return inner.length > 0 ? inner : [{ raw: item }];
}

/** The records in the lists of an object, and in their lists. In a list with an unknown name, a record needs an id. */
function innerRows(item: Record<string, unknown>, depth: number): GpuRow[] {
  return Object.entries(item).flatMap(([name, list]) => {
    const isNamed = innerGpuLists.includes(plainName(name));
    const records = Array.isArray(list) ? list.filter(isRecord) : [];
    return records.flatMap((raw) => {
      const deeper = depth > 0 ? innerRows(raw, depth - 1) : [];
      if (deeper.length > 0) return deeper;
      return isNamed ? (isGpu(raw) ? [{ raw }] : []) : isIdentified(raw) && saysGpu(raw) ? [{ raw }] : [];
    });
  });
}

/** Whether a record has an identifier, and not only a display name. */
function isIdentified(record: Record<string, unknown>): boolean {
  return gpuTexts(record).some(({ of, field }) => of !== "people" && !field.includes("."));
}

/** Whether a record has a field with a name for GPUs, a price, or the memory of a GPU. */
function saysGpu(record: Record<string, unknown>): boolean {
  return (
    Object.keys(record).map(plainName).some(isGpuName) ||
    readPrice(record).pricePerHour !== undefined ||
    readMemory(record) !== undefined
  );
}

/** The field name for a value without one, by the subject of the answer. */
const valueNames: Readonly<Record<GpuSubject, string>> = {
  types: "price",
  models: "name",
  pricing: "price",
  availability: "available",
};

const isPrice = (value: unknown) => readPrice({ price: value }).pricePerHour !== undefined;
const isValue: Readonly<Record<GpuSubject, (value: unknown) => boolean>> = {
  types: isPrice,
  models: (value) => asText(value) !== undefined,
  pricing: isPrice,
  availability: (value) => readStock({ available: value }).available !== undefined,
};

/**
 * A map of types: its keys are the types, whatever names its values have. A name that this package knows is no type.
 */
function mapIn(json: Record<string, unknown>, subject: GpuSubject): GpuRows | undefined {
  const entries = Object.entries(json).filter(([name]) => !isAside(plainName(name)) && !ownNames.has(plainName(name)));
  const records = entries.flatMap(([key, raw]) =>
    isRecord(raw) && Object.keys(raw).length > 0 && !holdsMore(raw) ? [{ key, raw }] : [],
  );
  const values = entries.flatMap(([key, value]) => {
    return !isRecord(value) && isValue[subject](value) ? [{ key, raw: { [valueNames[subject]]: value } }] : [];
  });
  const main = records.length > 0 ? records : values;
  return main.length > 0 ? { main, beside: [] } : undefined;
}

const ownNames: ReadonlySet<string> = new Set(
  [
    ...Object.values(gpuNames),
    ...Object.values(stockNames),
    ...Object.values(pageNames),
    ...Object.values(errorNames),
    gpuListNames,
    wrapperNames,
  ].flat(),
);

/** An object with a list of records is not a record itself. */
function holdsMore(value: Record<string, unknown>): boolean {
  return gpuListNames.some((name) => holdsRows(named(value, name)));
}
