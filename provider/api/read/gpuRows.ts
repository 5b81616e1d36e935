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
import { readMemory, readStock } from "./gpuFacts";
import { gpuTexts, isGpuName } from "./gpuIdentity";
import { asText, isRecord, plainName } from "./json";
import { readPrice } from "./price";

/** What an answer about GPUs is about: a value without a name of its own is that. */
export type GpuSubject = "types" | "models" | "pricing" | "availability";

/** One record about a GPU type, as the answer shows it. */
export interface GpuRow {
  readonly raw: Record<string, unknown>;
  /** Its key in a map of types. */
  readonly key?: string;
  /** Whether it was a word alone. */
  readonly isWord?: boolean;
}

/** The records of an answer, with what stands in other lists of it. */
export interface GpuRows {
  readonly main: readonly GpuRow[];
  readonly beside: readonly GpuRow[];
}

const deepest = 4;

/** The records of an answer: bare, under a name for them, under any other name if it is the only one, as a map, or one. */
export function rowsIn(json: unknown, subject: GpuSubject, depth = deepest): GpuRows | undefined {
  if (Array.isArray(json)) return { main: json.flatMap(rowOf), beside: [] };
  if (!isRecord(json) || depth < 0) return undefined;
  // A map of types without stock.
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

/** What stands in an object that only holds it. */
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

/** A list of records that can be told apart; or an empty one, under a name for it. */
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

/** One record; a provider or a region that only holds records stands for these. */
function rowOf(item: unknown): GpuRow[] {
  if (typeof item === "string") return [{ raw: { type: item }, isWord: true }];
  if (!isRecord(item)) return [{ raw: {} }];
  const inner = isIdentified(item) || saysGpu(item) ? [] : innerRows(item, 2);
  return inner.length > 0 ? inner : [{ raw: item }];
}

/** The records in the lists of an object, and in the lists of these; of a list that may be of anything, those with ids. */
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

/** Whether a record has an identifier, and not only a name for people. */
function isIdentified(record: Record<string, unknown>): boolean {
  return gpuTexts(record).some(({ of, field }) => of !== "people" && !field.includes("."));
}

/** Whether a record names a GPU as such, or says what one has or costs. */
function saysGpu(record: Record<string, unknown>): boolean {
  return (
    Object.keys(record).map(plainName).some(isGpuName) ||
    readPrice(record).pricePerHour !== undefined ||
    readMemory(record) !== undefined
  );
}

/** The name that a value without one has, by what the answer is about. */
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

/** A map of types: its keys are the types, whatever its values are called. A name of ours is no type. */
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

/** What holds a list of records is none itself. */
function holdsMore(value: Record<string, unknown>): boolean {
  return gpuListNames.some((name) => holdsRows(named(value, name)));
}
