import { isRecord } from "../../core";
import type { GpuType } from "../../types";
import { gpuKey, isGpuName, plainName } from "../names";
import {
  errorNames,
  fieldGroups,
  type GpuList,
  gpuListNames,
  gpuNames,
  innerGpuLists,
  kindWords,
  notRecords,
  pageNames,
  pageObjects,
  placeWords,
  type Reader,
  stockNames,
  wrapperNames,
} from "../records";
import { gpuTexts, readMemory, readPrice, readStock } from "./gpuFacts";
import { asName, asText, defined, Fields, objectsIn, UnreadableError } from "./json";
import { type Answer, type GetPage, walkPages } from "./pages";

/**
 * Reads `/v1/gpus` and the other lists about GPUs: a list or a map of records, words or plain values, or one record.
 * Several lists in one answer are joined. A record without a type cannot be used and is left out.
 */
export const readGpus =
  (subject: GpuSubject): Reader<GpuList> =>
  (json) => {
    const rows = rowsIn(json, subject);
    if (!rows) throw new UnreadableError("it is not a list of GPU types in any form that this version knows");
    const main = typed(rows.main);
    if (main.length === 0 && rows.main.length > 0) throw new UnreadableError("none of its records names a GPU type");
    const facts = new Map<string, GpuType>();
    for (const { gpu } of typed(rows.beside)) facts.set(gpu.type, merged(facts.get(gpu.type), gpu));
    const types = new Set(main.map(({ gpu }) => gpu.type));
    const isWhole = main.length === rows.main.length && [...facts.keys()].every((type) => types.has(type));
    return {
      gpus: main.map(({ gpu }) => merged(facts.get(gpu.type), gpu)),
      certain: isWhole && main.length > 0 && main.every(({ isSure }) => isSure) && areDistinct(main),
    };
  };

/** Every text that identifies a listed GPU, its type first. */
export function identifiersOf({ type, raw }: GpuType): string[] {
  return [...new Set([type, ...gpuTexts(raw).map(({ text }) => text)])].filter((text) => !/^\d+$/.test(text));
}

/** Reads the availability of one type, which the answer need not repeat. */
export const readGpuType =
  (type: string): Reader<GpuType> =>
  (json) => {
    const listed = typed(rowsIn(json, "availability")?.main ?? []).map(({ gpu }) => gpu);
    const isOwn = (text: string) => gpuKey(text) === gpuKey(type);
    const own = listed.find((gpu) => identifiersOf(gpu).some(isOwn));
    if (own) return { ...own, type };
    // The keys of a map may be regions. Only a field with a name for types proves that the answer is about another one.
    const objects = [
      ...objectsIn(json, 2, notRecords),
      ...[json, ...Object.values(Object(json))].flat().filter(isRecord),
    ];
    const named = objects.map((object) => new Fields(object).first(typeNames, asName));
    const words = Array.isArray(json) ? json.map(asText) : [];
    const types = [...named, ...words].filter((other) => other !== undefined && !kindWords.has(plainName(other)));
    if (types.length > 0 && !types.some((other) => other !== undefined && isOwn(other))) {
      throw new UnreadableError("it is not about this GPU type");
    }
    const inner = new Fields(json).first(["gpu", "data"], (value) => (isRecord(value) ? value : undefined));
    const raw = inner ?? (isRecord(json) ? json : bare(json));
    return { ...toGpuType(raw, type), raw: { ...raw } };
  };

const typeNames = ["gpu_type", "gpu_model_id", "gpu_model", "type", "model"];

/** An answer without field names: stock by region, or stock. */
function bare(json: unknown): Record<string, unknown> {
  return { [Array.isArray(json) && json.some(isRecord) ? "regions" : "available"]: json };
}

function merged(facts: GpuType | undefined, gpu: GpuType): GpuType {
  return { ...facts, ...gpu, raw: { ...facts?.raw, ...gpu.raw } };
}

interface Typed {
  readonly gpu: GpuType;
  /** Whether the name of the field with its type is a name for identifiers. */
  readonly isSure: boolean;
}

/** Records with their types. A general field with the same value in each record is a category, not an identifier. */
function typed(rows: readonly GpuRow[]): Typed[] {
  const texts = rows.map(({ raw }) => gpuTexts(raw));
  const values = new Map<string, Set<string>>();
  for (const { field, text } of texts.flat()) values.set(field, (values.get(field) ?? new Set()).add(text));
  return rows.flatMap(({ key, raw, isWord }, index): Typed[] => {
    if (key !== undefined) return [{ gpu: toGpuType(raw, key), isSure: true }];
    const own = texts[index] ?? [];
    const telling = own.filter(
      ({ of, field }) => of === "gpu" || rows.length === 1 || (values.get(field)?.size ?? 0) > 1,
    );
    const [best] = telling.length > 0 ? telling : own;
    return best ? [{ gpu: toGpuType(raw, best.text), isSure: best.of !== "people" && !isWord }] : [];
  });
}

/** Whether each type occurs once, or once for each place or tier. */
function areDistinct(rows: readonly Typed[]): boolean {
  const keys = rows.map(({ gpu: { type, raw } }) => {
    const places = Object.entries(raw).filter(([name]) => placeWords.has(plainName(name).split("_")[0] ?? ""));
    return [gpuKey(type), ...places.map(([, place]) => JSON.stringify(place))].join(" ");
  });
  return new Set(keys).size === keys.length;
}

function toGpuType(raw: Record<string, unknown>, type: string): GpuType {
  const parts = [raw, ...partsOf(raw)];
  const first = <T extends object>(read: (part: Record<string, unknown>) => T) =>
    parts.map(read).find((found) => Object.keys(found).length > 0) ?? {};
  return defined({
    type,
    ...first((part) => defined({ name: new Fields(part).first(gpuNames.name, asText) })),
    ...first((part) => defined({ memoryGb: readMemory(part) })),
    ...first(readPrice),
    ...first((part) => readStock(part)),
    raw,
  });
}

/** The objects inside a record that describe the same thing: the machine, the GPU, its properties. */
function partsOf(raw: Record<string, unknown>): Record<string, unknown>[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    const plain = plainName(name);
    return isRecord(value) && (fieldGroups.includes(plain) || isGpuName(plain)) ? [value] : [];
  });
}

/** Reads all pages of a list about GPUs. */
export async function readGpuList(subject: GpuSubject, get: GetPage): Promise<GpuList> {
  const read = ({ json, headers }: Answer) => {
    const { gpus: items, certain: sure } = readGpus(subject)(json);
    return { json: besideGpus(json), headers, items, members: new Set(), count: items.length, sure };
  };
  const { items, problem, complete } = await walkPages(get, read, ({ type, raw }) => `${type} ${JSON.stringify(raw)}`);
  if (problem) throw new UnreadableError(problem);
  return { gpus: [...items], certain: complete };
}

/** The fields that may be about pages. A map of types may stand beside them; fields of one type are not about pages. */
function besideGpus(json: unknown): unknown {
  if (!isRecord(json)) return undefined;
  const entries = Object.entries(json).filter(([name, value]) => !isRecord(value) || pageObjects.has(plainName(name)));
  return Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
}

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
