import { type Answer, invalid } from "./answers";
import { clientRecords } from "./clientRecords";
import { type RecordForm, specifiedRecords } from "./clusterRecords";
import type { Dialect, PerValue } from "./dialectOptions";
import type { Service } from "./fleet";

/** The records in the form of a service's dialect. */
export function recordForm(service: Service): RecordForm {
  return service.dialect.form === "client" ? clientRecords(service) : specifiedRecords(service);
}

/** Answer of stop, restart, scale and redeploy. */
export const acted: PerValue<"actionAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  empty: () => ({ status: 202 }),
};

/** Clusters on one page: few, so that a few clusters make several pages. */
const pageSize = 2;

/** The query parameters of lists of clusters. The service refuses every other parameter. */
export function pageParameters({ paging }: Dialect): string[] {
  return paging === "none" ? [] : ["cursor"];
}

/** The list of clusters, or the page of it that the query of a request selects. */
export function listAnswer<T>(
  clusters: readonly T[],
  { cursor }: Readonly<Record<string, string>>,
  { listShape, paging }: Dialect,
  render: (cluster: T) => object,
): Answer {
  const start = cursor === undefined ? 0 : startOfCursor(cursor);
  if (Number.isNaN(start)) throw invalid(`There is no page "cursor=${cursor}".`);
  const end = paging === "none" ? clusters.length : start + pageSize;
  const next = end < clusters.length ? cursorOf(end) : undefined;
  const list = clusters.slice(start, end).map(render);
  const body = listShapes[listShape](list, pageFields[paging](next));
  return { status: 200, body, headers: listShape === "bare" && next !== undefined ? { "X-Next-Cursor": next } : {} };
}

/** What stands beside the list about the next page. */
const pageFields: PerValue<"paging", (next: string | undefined) => object> = {
  none: () => ({}),
  cursor: (next) => ({ next_cursor: next ?? null }),
  "next-cursor": (next) => (next === undefined ? {} : { nextCursor: next }),
};

const listShapes: PerValue<"listShape", (list: object[], fields: object) => unknown> = {
  wrapped: (list, fields) => ({ clusters: list, ...fields }),
  // A bare list has no fields beside it: a header names the next page.
  bare: (list) => list,
  data: (list, fields) => ({ data: list, ...fields }),
  items: (list, fields) => ({ items: list, ...fields }),
};

/** Opaque on purpose: a client must send the cursor back unchanged. */
function cursorOf(start: number): string {
  return Buffer.from(`from:${start}`).toString("base64");
}

function startOfCursor(cursor: string): number {
  const [, digits = ""] = /^from:(\d{1,9})$/.exec(Buffer.from(cursor, "base64").toString()) ?? [];
  const start = digits === "" ? Number.NaN : Number(digits);
  return cursorOf(start) === cursor ? start : Number.NaN;
}
