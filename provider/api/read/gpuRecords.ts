import { mergeRows } from "../gpuMatch";
import { gpuKey } from "../names";
import {
  type GpuList,
  genericIdNames,
  gpuIdNames,
  gpuListNames,
  gpuTitleNames,
  placeNames,
  type Reader,
} from "../records";
import type { GpuType } from "../types";
import { identifier, identifiersOf, textsOf, toGpu } from "./gpuRow";
import { Fields, object, UnreadableError } from "./json";
import { type Listing, listIn, type Row, unwrap } from "./lists";
import { type Answer, type GetPage, walkPages } from "./pages";

/** Reads all pages of a list about GPUs. */
export async function readGpuList(get: GetPage): Promise<GpuList> {
  const { items, problem, complete } = await walkPages(
    get,
    readPage,
    ({ type, raw }) => `${type} ${JSON.stringify(raw)}`,
  );
  if (problem) throw new UnreadableError(problem);
  return { gpus: [...items], certain: complete };
}

function readPage({ json, headers }: Answer) {
  const list = listIn(json, gpuListNames);
  if (!list) throw new UnreadableError("it is not a list of GPU types in a form that this version knows");
  const { rows, around } = list;
  const gpus = toGpus(list);
  if (gpus.length === 0 && rows.length > 0) throw new UnreadableError("none of its records names a GPU type");
  const isWhole = list.isSure && gpus.length === rows.length && gpus.length > 0 && rows.every(hasIdentifier);
  return { items: gpus, count: gpus.length, isSure: isWhole && areDistinct(gpus), around, headers };
}

/** Reads the availability of one type, which the answer need not repeat. */
export const readGpuType =
  (type: string): Reader<GpuType> =>
  (json) => {
    const isOwn = (text: string) => gpuKey(text) === gpuKey(type);
    const list = listIn(json, gpuListNames) ?? { rows: [], around: [] };
    const listed = mergeRows(toGpus(list).filter((gpu) => identifiersOf(gpu).some(isOwn)));
    if (listed) return { ...listed, type };
    const raw = unwrap(json) ?? {};
    const named = textsOf(raw);
    if (list.rows.length > 0 || (named.length > 0 && !named.some(isOwn)))
      throw new UnreadableError("it is not about this GPU type");
    return toGpu(raw, type);
  };

/** The record of a row; a text alone is its name. */
function rawOf({ value }: Row): Record<string, unknown> {
  return object(value) ?? { name: value };
}

/** A general name with the same value in each record may be that of a category: it counts only if no other name is there. */
function toGpus({ rows, around }: Pick<Listing, "rows" | "around">): GpuType[] {
  const valuesOf = (name: string) => new Set(rows.map((row) => new Fields(rawOf(row)).get(name)));
  const general = genericIdNames.filter((name) => rows.length === 1 || valuesOf(name).size > 1);
  return rows.flatMap((row) => {
    const raw = rawOf(row);
    const names = [...gpuIdNames, ...general, ...gpuTitleNames, ...genericIdNames];
    const type = row.key ?? new Fields(raw).first(names, identifier);
    if (type === undefined) return [];
    const gpu = toGpu(raw, type, around);
    // A record under a key that says nothing of a GPU may be about anything: only an empty one is a type.
    const isGpu = row.key === undefined || Object.keys(gpu).length > 2 || Object.keys(raw).length === 0;
    return isGpu ? [gpu] : [];
  });
}

function hasIdentifier(row: Row): boolean {
  return row.key !== undefined || new Fields(rawOf(row)).has([...gpuIdNames, ...genericIdNames]);
}

/** Whether each type occurs once, or once for each place or tier. */
function areDistinct(gpus: readonly GpuType[]): boolean {
  const keys = gpus.map(({ type, raw }) =>
    [gpuKey(type), ...placeNames.map((name) => new Fields(raw).get(name))].join(" "),
  );
  return new Set(keys).size === keys.length;
}
