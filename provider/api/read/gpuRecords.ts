import type { GpuType } from "../../types";
import { gpuListNames, gpuNames, kindWords, notRecords, type Reader, stockNames, stockWords } from "../records";
import {
  asCount,
  asFlag,
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
import { readPrice } from "./price";

/** What an answer about GPUs is about: a value without a name of its own is that. */
export type GpuSubject = "types" | "models" | "pricing" | "availability";

type Raw = Record<string, unknown>;

/**
 * Reads `/v1/gpus` and its relatives: a list or a map of records, plain words or plain values, or one record. What stands in
 * several lists of one answer is put together. A record without a type cannot be used and is left out.
 */
export const readGpus =
  (subject: GpuSubject): Reader<GpuType[]> =>
  (json) => {
    const [main, ...beside] = listsIn(json, subject, 1);
    if (!main) throw new UnreadableError("it is not a list of GPU types in any form that this version knows");
    const facts = new Map<string, GpuType>();
    for (const gpu of beside.flat().flatMap(toGpuTypes)) facts.set(gpu.type, merged(facts.get(gpu.type), gpu));
    const gpus = main.flatMap(toGpuTypes);
    if (gpus.length === 0 && main.length > 0) throw new UnreadableError("none of its records names a GPU type");
    return gpus.map((gpu) => merged(facts.get(gpu.type), gpu));
  };

/** Reads the availability of one type, which the answer need not repeat. */
export const readGpuType =
  (type: string): Reader<GpuType> =>
  (json) => {
    const sameType = (gpu: GpuType) => gpu.type.toLowerCase() === type.toLowerCase();
    const own = listsIn(json, "availability", 1).flat().flatMap(toGpuTypes).find(sameType);
    if (own) return own;
    // A map's keys may be regions; only what names a type by that word is surely about another one.
    const listed = [json, ...Object.values(Object(json))].filter(Array.isArray).flat().filter(isRecord);
    const objects = [...objectsIn(json, 2, notRecords), ...listed];
    const named = objects.map((object) => new Fields(object).first(typeWords, asName));
    const words = Array.isArray(json) ? json.filter((item) => typeof item === "string") : [];
    const types = [...named, ...words].filter((other) => other !== undefined && !kindWords.has(plainName(other)));
    if (types.length > 0 && !types.some((other) => other?.toLowerCase() === type.toLowerCase())) {
      throw new UnreadableError("it is not about this GPU type");
    }
    const inner = new Fields(json).first(["gpu", "data"], (value) => (isRecord(value) ? value : undefined));
    const raw = inner ?? (isRecord(json) ? json : bare(json));
    return { ...toGpuType(raw, type), raw: { ...raw } };
  };

/** A value without a name: stock by region, or stock. */
function bare(json: unknown): Raw {
  return { [Array.isArray(json) && json.some(isRecord) ? "regions" : "available"]: json };
}

const typeWords = ["gpu_type", "type", "model"];

function merged(facts: GpuType | undefined, gpu: GpuType): GpuType {
  return { ...facts, ...gpu, raw: { ...facts?.raw, ...gpu.raw } };
}

/** The lists of an answer, the main one first. What has a type of its own is a record, unless it holds a list of records. */
function listsIn(json: unknown, subject: GpuSubject, depth: number): Raw[][] {
  if (Array.isArray(json)) return [itemsOf(json)];
  if (!isRecord(json)) return [];
  // A map of types of which none can be had.
  if (Object.keys(json).length === 0) return [[]];
  const fields = new Fields(json);
  const isList = gpuListNames.some((name) => holdsRecords(fields.get(name)));
  if (!isList && typeOf(json) !== undefined) return [[json]];
  const named = gpuListNames.flatMap((name) => (depth > 0 ? namedLists(fields.get(name), name, subject) : []));
  if (named.length > 0) return named;
  const others = Object.values(json).filter(holdsRecords);
  if (others.length === 1) return listsIn(others[0], subject, 0);
  const map = Object.entries(json).flatMap(([type, value]) => keyed(type, value, subject));
  return map.length > 0 ? [map] : [];
}

function namedLists(value: unknown, name: string, subject: GpuSubject): Raw[][] {
  return listsIn(value, subjectOf(name) ?? subject, 0);
}

function holdsRecords(value: unknown): boolean {
  return (
    Array.isArray(value) && (value.length === 0 || value.some((item) => isRecord(item) && typeOf(item) !== undefined))
  );
}

function itemsOf(list: readonly unknown[]): Raw[] {
  return list.map((item) => (typeof item === "string" ? { type: item } : isRecord(item) ? item : {}));
}

function subjectOf(listName: string): GpuSubject | undefined {
  return listName.startsWith("pric") ? "pricing" : listName === "availability" ? "availability" : undefined;
}

const valueNames: Readonly<Record<GpuSubject, string>> = {
  types: "price",
  models: "name",
  pricing: "price",
  availability: "available",
};

/** One entry of a map of types; only what shows something of a GPU counts. A name of ours is no type. */
function keyed(type: string, value: unknown, subject: GpuSubject): Raw[] {
  const raw = isRecord(value) ? { ...value, gpu_type: type } : { gpu_type: type, [valueNames[subject]]: value };
  const gpu = toGpuType(raw, type);
  const isName = subject === "models" || isRecord(value);
  const facts = [gpu.pricePerHour, gpu.available, gpu.memoryGb, isName ? gpu.name : undefined];
  const isFact = facts.some((fact) => fact !== undefined);
  return isFact && !ownNames.has(plainName(type)) ? [raw] : [];
}

const ownNames: ReadonlySet<string> = new Set(
  [...Object.values(gpuNames), ...Object.values(stockNames), gpuListNames].flat(),
);

function typeOf(raw: Raw): string | undefined {
  return new Fields(raw).first(gpuNames.type, (value) => {
    const name = asName(value);
    return name !== undefined && kindWords.has(plainName(name)) ? undefined : name;
  });
}

function toGpuTypes(raw: Raw): GpuType[] {
  const type = typeOf(raw);
  return type === undefined ? [] : [toGpuType(raw, type)];
}

function toGpuType(raw: Raw, type: string): GpuType {
  const fields = new Fields(raw);
  return defined({
    type,
    name: fields.first(gpuNames.name, asText),
    memoryGb: gpuNames.memory.map((name) => asMemory(fields.get(name), name)).find((memory) => memory !== undefined),
    ...readPrice(raw),
    ...readStock(fields),
    raw,
  });
}

/** A number of GB by the name of its field, or a text or object with a unit. */
function asMemory(value: unknown, name: string): number | undefined {
  if (isRecord(value)) {
    const fields = new Fields(value);
    const amount = fields.first(["amount", "value", "size"], asNumber);
    return amount === undefined ? undefined : asMemory(`${amount} ${fields.first(["unit"], asText) ?? ""}`, name);
  }
  const number = asNumber(value);
  if (number !== undefined) return number > 0 && /_gi?b$/.test(name) ? number : undefined;
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([GM])(?:i?B)?\s*$/i.exec(asText(value) ?? "") ?? [];
  return amount === undefined ? undefined : Number(amount) / (unit?.toUpperCase() === "M" ? 1024 : 1);
}

interface Stock {
  readonly available?: boolean;
  readonly availableCount?: number;
}

/** A flag, a number or a word, or any of them by region. */
function readStock(fields: Fields, depth = 2): Stock {
  const availableCount = fields.first(stockNames.count, (value) =>
    typeof value === "boolean" ? undefined : asCount(value),
  );
  const available = fields.first(stockNames.available, asStockWord);
  if (available !== undefined || availableCount !== undefined)
    return defined({ available: available ?? (availableCount ?? 0) > 0, availableCount });
  return (depth > 0 && fields.first(stockNames.regions, (value) => asRegions(value, depth - 1))) || {};
}

const stockByWord = new Map([
  ...stockWords.yes.split(" ").map((word) => [word, true] as const),
  ...stockWords.no.split(" ").map((word) => [word, false] as const),
]);

function asStockWord(value: unknown): boolean | undefined {
  return asFlag(value) ?? (typeof value === "string" ? stockByWord.get(plainName(value)) : undefined);
}

/** `{"eu": 3, "us": 0}`, `[{"region": "eu", "available": true}]`, `["eu"]`: one region is enough, and numbers add up. */
function asRegions(value: unknown, depth: number): Stock | undefined {
  const places = isRecord(value) ? Object.values(value) : Array.isArray(value) ? value : undefined;
  if (!places) return undefined;
  if (isRecord(value)) {
    const own = readStock(new Fields(value), 0);
    if (own.available !== undefined) return own;
  }
  const isNames = Array.isArray(value) && value.every((place) => typeof place === "string");
  const stocks = isNames ? value.map(() => ({ available: true })) : places.map((place) => stockOf(place, depth));
  const known = stocks.filter(({ available }) => available !== undefined);
  if (known.length === 0) return places.length === 0 ? { available: false } : undefined;
  const counts = known.map(({ availableCount }: Stock) => availableCount);
  const availableCount = counts.every((count) => count !== undefined)
    ? counts.reduce((sum, count) => sum + count, 0)
    : undefined;
  return defined({ available: known.some(({ available }) => available), availableCount });
}

function stockOf(place: unknown, depth: number): Stock {
  return readStock(isRecord(place) ? new Fields(place) : new Fields({ available: place }), depth);
}

/** Every text that identifies a listed GPU, the one that requests hold first. */
export function identifiersOf({ type, name, raw }: GpuType): string[] {
  const fields = new Fields(raw);
  const others = ["id", "slug", "name", "gpu_model_id", "gpu_model_name", "gpu_model"].map((each) =>
    asText(fields.get(each)),
  );
  return [...new Set([type, ...others, name].filter((text) => text !== undefined))];
}

/** The form in which identifiers are compared: case and punctuation aside. */
export function gpuKey(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "");
}
