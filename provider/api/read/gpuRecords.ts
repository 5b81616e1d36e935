import { isRecord } from "../../contract";
import { joinGpus, mergeRows } from "../gpuMatch";
import { gpuKey, plainName } from "../names";
import {
  errorTable,
  type GpuList,
  generalMemory,
  genericIdNames,
  gpuIdNames,
  gpuListNames,
  gpuTable,
  gpuTitleNames,
  inStock,
  pageTable,
  placeNames,
  type Reader,
  stockTable,
  verdictNames,
} from "../records";
import type { GpuType } from "../types";
import { identifier, identifiersOf, isPriceName, textsOf, toGpu } from "./gpuRow";
import { Fields, namesIn, number, UnreadableError } from "./json";
import { listsIn, type Row, unwrap } from "./lists";
import { type Answer, type GetPage, walkPages } from "./pages";

type Raw = Record<string, unknown>;

/** The subject of an answer about GPUs: gives the meaning of a value without a field name. */
export type GpuSubject = "types" | "models" | "pricing" | "availability";

/** Reads all pages of a list about GPUs. */
export async function readGpuList(subject: GpuSubject, get: GetPage): Promise<GpuList> {
  const read = ({ json, headers }: Answer) => ({ ...readGpus(json, subject), headers });
  const { items, problem, complete } = await walkPages(get, read, ({ type, raw }) => `${type} ${JSON.stringify(raw)}`);
  if (problem) throw new UnreadableError(problem);
  return { gpus: [...items], certain: complete };
}

/** Reads one page: a list or a map of GPUs. A second list in the answer adds facts to the first. */
function readGpus(json: unknown, subject: GpuSubject) {
  const [main, ...others] = tablesIn(json, subject);
  if (!main) throw new UnreadableError("it is not a list of GPU types in a form that this version knows");
  const { rows, around } = main;
  const gpus = toGpus(main);
  if (gpus.length === 0 && rows.length > 0) throw new UnreadableError("none of its records names a GPU type");
  const facts = others.map(toGpus);
  // Types that only another list has are not in this one.
  const known = new Set(gpus.flatMap(identifiersOf).map(gpuKey));
  const isMain = facts.flat().every((gpu) => identifiersOf(gpu).some((text) => known.has(gpuKey(text))));
  const isWhole = isMain && gpus.length === rows.length && gpus.length > 0 && rows.every(hasIdentifier);
  return {
    items: others.length > 0 ? joinGpus(gpus, ...facts) : gpus,
    count: gpus.length,
    isSure: isWhole && areDistinct(gpus),
    // Another list is about GPUs, not about pages.
    around: around.map(withoutLists),
  };
}

function withoutLists(raw: Raw): Raw {
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !gpuListNames.includes(plainName(name))));
}

/** Reads the availability of one type, which the answer need not repeat. */
export const readGpuType =
  (type: string): Reader<GpuType> =>
  (json) => {
    const isOwn = (text: string) => gpuKey(text) === gpuKey(type);
    const [table = { rows: [], around: [] }] = tablesIn(json, "availability");
    const listed = mergeRows(toGpus(table).filter((gpu) => identifiersOf(gpu).some(isOwn)));
    if (listed) return { ...listed, type };
    const raw = unwrap(json) ?? {};
    const named = textsOf(raw);
    // The keys of a map may be regions; the rows of a list are types.
    const isOther = table.rows.some(({ key }) => key === undefined) || (named.length > 0 && !named.some(isOwn));
    if (isOther) throw new UnreadableError("it is not about this GPU type");
    return toGpu(raw, type);
  };

/** One record about a GPU type; `key` is its name in a map. */
interface GpuRow {
  readonly key?: string;
  readonly raw: Raw;
}

/** A list or a map of GPUs, and the objects around it. */
interface GpuTable {
  readonly rows: readonly GpuRow[];
  readonly around: readonly Raw[];
}

/** The lists and maps of GPUs in an answer, in the order of their names. */
function tablesIn(json: unknown, subject: GpuSubject): GpuTable[] {
  return listsIn(json, gpuListNames, isMapOfTypes).map(({ name, rows, around }) => {
    const about = name.startsWith("pric") ? "pricing" : name === "availability" ? name : subject;
    return { around, rows: rows.map((row) => toRow(row, about)) };
  });
}

function toRow({ key, value }: Row, subject: GpuSubject): GpuRow {
  if (isRecord(value)) return { key, raw: value };
  if (key === undefined) return { raw: { name: value } };
  // A number in a list of types may be a price or a count.
  const isStock = number(value) === undefined || subject === "availability";
  return { key, raw: { [subject === "pricing" ? "price" : isStock ? "available" : "value"]: value } };
}

const fieldNames = new Set(
  [gpuTable, generalMemory, stockTable, pageTable, errorTable].flatMap(namesIn).concat(genericIdNames, verdictNames),
);

function isMapOfTypes(json: Raw): boolean {
  return Object.entries(json).every(([key, value]) => value === null || isType(plainName(key), value));
}

/** Whether an entry of a map is a type: not the name of a field, and a value with a fact about a type, or an empty record. */
function isType(name: string, value: unknown): boolean {
  if (fieldNames.has(name) || isPriceName(name.split("_"))) return false;
  if (!isRecord(value)) return number(value) !== undefined || inStock(value) !== undefined;
  const { type, raw, ...facts } = toGpu(value, name);
  return Object.keys(facts).length > 0 || Object.keys(value).length === 0;
}

/** A general name with the same value in each record may be that of a category: it counts only if no other name is there. */
function toGpus({ rows, around }: GpuTable): GpuType[] {
  const valuesOf = (name: string) => new Set(rows.map(({ raw }) => new Fields(raw).get(name)));
  const general = genericIdNames.filter((name) => rows.length === 1 || valuesOf(name).size > 1);
  return rows.flatMap(({ key, raw }) => {
    const names = [...gpuIdNames, ...general, ...gpuTitleNames, ...genericIdNames];
    const type = key ?? new Fields(raw).first(names, identifier);
    return type === undefined ? [] : [toGpu(raw, type, around)];
  });
}

function hasIdentifier({ key, raw }: GpuRow): boolean {
  return key !== undefined || new Fields(raw).has([...gpuIdNames, ...genericIdNames]);
}

/** Whether each type occurs once, or once for each place or tier. */
function areDistinct(gpus: readonly GpuType[]): boolean {
  const keys = gpus.map(({ type, raw }) =>
    [gpuKey(type), ...placeNames.map((name) => new Fields(raw).get(name))].join(" "),
  );
  return new Set(keys).size === keys.length;
}
