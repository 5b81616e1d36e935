import { isRecord } from "../../core";
import type { GpuType } from "../../types";
import {
  fieldGroups,
  type GpuList,
  gpuNames,
  kindWords,
  notRecords,
  pageObjects,
  placeWords,
  type Reader,
} from "../records";
import { gpuKey, gpuTexts, isGpuName, readMemory, readStock } from "./gpuFacts";
import { type GpuRow, type GpuSubject, rowsIn } from "./gpuRows";
import { asName, asText, defined, Fields, objectsIn, plainName, UnreadableError } from "./json";
import { type Answer, type GetPage, walkPages } from "./pages";
import { readPrice } from "./price";

export { gpuKey } from "./gpuFacts";

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
