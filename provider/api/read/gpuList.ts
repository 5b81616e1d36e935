import { type GpuList, pageObjects } from "../records";
import { readGpus } from "./gpuRecords";
import type { GpuSubject } from "./gpuRows";
import { isRecord, plainName, UnreadableError } from "./json";
import { type Answer, type GetPage, walkPages } from "./pageWalk";

/** Reads a list about GPUs, all its pages. */
export async function readGpuList(subject: GpuSubject, get: GetPage): Promise<GpuList> {
  const read = ({ json, headers }: Answer) => {
    const { gpus: items, certain: sure } = readGpus(subject)(json);
    return { json: besideGpus(json), headers, items, members: new Set(), count: items.length, sure };
  };
  const { items, problem, complete } = await walkPages(get, read, ({ type, raw }) => `${type} ${JSON.stringify(raw)}`);
  if (problem) throw new UnreadableError(problem);
  return { gpus: [...items], certain: complete };
}

/** What is said of the pages: a map of types stands beside it, and what is said of one type is not about pages. */
function besideGpus(json: unknown): unknown {
  if (!isRecord(json)) return undefined;
  const entries = Object.entries(json).filter(([name, value]) => !isRecord(value) || pageObjects.has(plainName(name)));
  return Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
}
