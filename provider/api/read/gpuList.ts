import { type GpuList, pageObjects } from "../records";
import { readGpus } from "./gpuRecords";
import type { GpuSubject } from "./gpuRows";
import { isRecord, plainName, UnreadableError } from "./json";
import { type Answer, type GetPage, walkPages } from "./pageWalk";

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
