import { Client } from "../../../../provider/api/client";
import { type ParsedAnswer, readPages } from "../../../../provider/api/decode/lists";
import { endpoints } from "../../../../provider/api/endpoints";
import { ApiError } from "../../../../provider/base/errors";

export interface Page {
  readonly json: unknown;
  readonly headers?: Record<string, string>;
}

/** Reads a list of clusters; `get` answers the first page, or that of a query. */
export function readClusters(get: (query?: string) => Promise<ParsedAnswer>) {
  const { readPage, keyOf } = endpoints.listClusters;
  return readPages(async (query) => readPage(await get(query)), keyOf);
}

/** Reads a list with a page for each of these queries; the service refuses any other. */
export async function listOf(pages: Record<string, Page>) {
  const queries: string[] = [];
  const list = await readClusters(async (query = "") => {
    queries.push(query);
    const page = pages[query];
    if (page) return { headers: {}, ...page };
    const failure = { outcome: "refused", method: "GET", path: "/", status: 400, isApiAnswer: true } as const;
    throw new ApiError("unknown query", failure);
  });
  return { ids: list.items.map(({ id }) => id), ...list, queries };
}

/** A list of one page. */
export const one = (json: unknown) => listOf({ "": { json } });

export type GpuRead = "listGpuTypes" | "listGpuModels" | "listGpuPricing" | "listGpuAvailability";

/** A list about GPUs of one page, by default that of the types. */
export function gpusOf(json: unknown, read: GpuRead = "listGpuTypes") {
  return new Client({ send: async () => ({ status: 200, headers: {}, body: "", json }) })[read]();
}

export const record = (id: string) => ({ id, name: "web", status: "running", gpu_type: "h100", replicas: 3 });
export const records = (...ids: string[]) => ids.map(record);
