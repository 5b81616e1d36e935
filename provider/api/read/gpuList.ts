import type { GpuType } from "../../types";
import { pageObjects } from "../records";
import { type GpuSubject, readGpus } from "./gpuRecords";
import { isRecord, plainName, UnreadableError } from "./json";
import { type Answer, walkPages } from "./pageWalk";

/** Reads a list about GPUs, all its pages. */
export async function readGpuList(subject: GpuSubject, get: (query?: string) => Promise<Answer>): Promise<GpuType[]> {
  const read = ({ json, headers }: Answer) => {
    const items = readGpus(subject)(json);
    return { json: besideGpus(json), headers, items, members: new Set(), count: items.length, sure: true };
  };
  const { items, problem } = await walkPages(get, read, ({ raw }) => JSON.stringify(raw));
  if (problem) throw new UnreadableError(problem);
  return [...items];
}

/** What is said of the pages: a map of types stands beside it, and what is said of one type is not about pages. */
function besideGpus(json: unknown): unknown {
  if (!isRecord(json)) return undefined;
  const entries = Object.entries(json).filter(([name, value]) => !isRecord(value) || pageObjects.has(plainName(name)));
  return Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
}
