import { type Answer, invalid } from "./answers";
import type { Dialect, PerValue } from "./dialectOptions";

/** Clusters on one page: two, so that a few clusters fill several pages. */
const pageSize = 2;

/** The query parameters of lists of clusters. The service refuses every other parameter. */
export function pageParameters({ paging }: Dialect): string[] {
  return paging === "none" ? [] : ["cursor"];
}

/** The list of clusters, or the page that the query of the request selects. */
export function listAnswer<T>(
  clusters: readonly T[],
  { cursor }: Readonly<Record<string, string>>,
  { listShape, paging }: Dialect,
  render: (cluster: T) => object,
): Answer {
  const [, start = ""] = /^from-(\d{1,9})$/.exec(cursor ?? "from-0") ?? [];
  if (start === "") throw invalid(`There is no page "cursor=${cursor}".`);
  const end = paging === "none" ? clusters.length : Number(start) + pageSize;
  const next = end < clusters.length ? `from-${end}` : undefined;
  const list = clusters.slice(Number(start), end).map(render);
  const body = listShapes[listShape](list, pageFields[paging](next));
  return { status: 200, body, headers: listShape === "bare" && next !== undefined ? { "X-Next-Cursor": next } : {} };
}

/** The fields beside the list that name the next page. */
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
