import { readClusterList } from "../../../../provider/api/read/clusterRecord";
import { readGpuList } from "../../../../provider/api/read/gpuRecords";
import { ApiError } from "../../../../provider/base/errors";

export interface Page {
  readonly json: unknown;
  readonly headers?: Record<string, string>;
}

/** A service whose list has a page for each query; one that it does not know is refused. */
export async function listOf(pages: Record<string, Page>) {
  const asked: string[] = [];
  const list = await readClusterList(async (query = "") => {
    asked.push(query);
    const page = pages[query];
    if (page) return { headers: {}, ...page };
    const failure = { outcome: "refused", method: "GET", path: "/", status: 400, isApiAnswer: true } as const;
    throw new ApiError("unknown query", failure);
  });
  return { ids: list.clusters.map(({ id }) => id), ...list, asked };
}

/** A list of one page. */
export const one = (json: unknown) => listOf({ "": { json } });

/** A list about GPUs of one page. */
export const gpusOf = (json: unknown) => readGpuList(async () => ({ json, headers: {} }));

export const record = (id: string) => ({ id, name: "web", status: "running", gpu_type: "h100", replicas: 3 });
export const records = (...ids: string[]) => ids.map(record);
