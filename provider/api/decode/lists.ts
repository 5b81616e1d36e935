import { messageOf, RequestError, ResponseShapeError } from "../../base/errors";
import { plainName } from "../../base/text";
import { isRecord } from "../../contract";
import { count, Fields, flag, inner, label, object, type Raw, type Table, UnreadableError, words } from "./json";
import { type Extent, idNames, wrapperNames } from "./records";

/** @assumption A list may lack records if one of these fields beside it is set. */
export const incompleteNames = ["error", "errors", "partial", "incomplete", "unreachable"];
/** @assumption Pages have these fields beside the list, in objects beside it, or in headers that begin with `X-`. The query for a next page is the name of its field without `next`, or the query of its link. */
export const pageTable = {
  hasMore: [flag, "has_more", "has_next", "has_next_page", "truncated", "is_truncated"],
  page: [count, "page", "current_page", "page_number", "page_index"],
  pages: [count, "total_pages", "page_count", "pages", "num_pages", "last_page"],
  offset: [count, "offset"],
  size: [count, "limit", "per_page", "page_size", "items_per_page"],
  total: [count, ...words("total total_count total_items total_results total_records total_elements total_size")],
  seen: [count, "count"],
} as const satisfies Table;
/** Headers about pages: `X-Total-Count`, `X-Next-Page`. Others have words of pages too: `X-RateLimit-Remaining`. */
const pageHeader = /^x-(?!rate-?limit).*(page|next|cursor|continuation|total|count|more|offset|limit)/;
/** @assumption A field with such a name leads to the next page; an empty one means that there is none. */
const nextName = /^next([_-]?(page|cursor|token|link|url|uri|href|marker|offset|key|start|id|continuation|after))*$/i;
/** @assumption Any other field with one of these words in its name may mean that there are more pages. */
const pageHint =
  /(^|_)(next|cursor|token|continue|continuation|marker|after|more|remaining|truncated|evaluated|scroll|bookmark)(_|$)/;
/** @assumption A service with numbered pages knows this query, even if its answers show nothing about pages. Any other service refuses or ignores it. */
export const secondPage = "page=2";

/** The record of an answer: the answer itself, or the object in it under a wrapper's name. */
export function unwrap(json: unknown): Raw | undefined {
  if (!isRecord(json)) return undefined;
  const fields = new Fields(json);
  const within = fields.first(idNames, label) === undefined ? fields.first(wrapperNames, object) : undefined;
  return within ? unwrap(within) : json;
}

/** Whether an answer holds no record at all: nothing, `null`, or an empty object or list, whole or under a wrapper's name. */
export function isNoRecord(json: unknown): boolean {
  if (!isRecord(json)) return json === undefined || json === null || (Array.isArray(json) && json.length === 0);
  const fields = new Fields(json);
  if (fields.entries().some(marksIncomplete) || fields.has(idNames)) return false;
  const within = Object.entries(json).filter(([name]) => wrapperNames.includes(plainName(name)));
  return Object.keys(json).length === 0 || (within.length > 0 && within.every(([, value]) => isNoRecord(value)));
}

/** One entry of a list; `key` is its name in a map. */
export interface Row {
  readonly key?: string;
  readonly value: unknown;
}

export interface Listing {
  readonly rows: readonly Row[];
  /** The objects around the list, outermost first, without the list itself. */
  readonly around: readonly Raw[];
  /** What is known of its end by its form, without the fields about pages. */
  readonly extent: Extent;
}

/**
 * The answer itself, or the first list or map of records under one of these names. It is a part if another list has rows too.
 * A list under another name does not count: an empty one would prove that nothing exists.
 * @param isMap Whether an object is a map of rows even without such a name, or with values that are not records.
 */
export function listIn(
  json: unknown,
  names: readonly string[],
  isMap: (json: Raw) => boolean = () => false,
): (Listing & { readonly others: readonly Row[] }) | undefined {
  const lists = listsIn(json, names, isMap);
  const main = lists[0];
  const others = lists.slice(1).flatMap(({ rows }) => rows);
  return main && { ...main, others, extent: others.length > 0 ? "part" : main.extent };
}

function listsIn(
  json: unknown,
  names: readonly string[],
  isMap: (json: Raw) => boolean,
  around: readonly Raw[] = [],
  name = "",
): Listing[] {
  if (Array.isArray(json)) return [{ rows: json.map((value) => ({ value })), around, extent: "whole" }];
  // null in place of a list means an empty list in some languages, and an unknown one in others.
  if (json === null && name !== "") return [{ rows: [], around, extent: "part" }];
  if (!isRecord(json)) return [];
  const named = names.flatMap((each) => Object.keys(json).filter((key) => plainName(key) === each));
  const lists = (around.length < 3 ? named : []).flatMap((each) => {
    const { [each]: list, ...beside } = json;
    return listsIn(list, names, isMap, [...around, beside], plainName(each));
  });
  const isNamed = name !== "" && Object.values(json).every(isRecord);
  if (lists.length > 0 || !(isNamed || isMap(json))) return lists;
  const rows = Object.entries(json).map(([key, value]) => ({ key, value }));
  return [{ rows, around, extent: rows.length > 0 || !wrapperNames.includes(name) ? "whole" : "part" }];
}

export interface ParsedAnswer {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Page<Item> extends Pick<Listing, "around" | "extent">, Pick<ParsedAnswer, "headers"> {
  readonly items: readonly Item[];
  /** The number of its records, including those that cannot be read. */
  readonly count: number;
}

/** An endless list ends here: far more than any organization has. */
const maxListPages = 1_000;
const maxRecords = 10_000;

/** If a later page than the first is not available, the list is a part, with the reason. */
export async function readPages<Item>(
  get: (query?: string) => Promise<Page<Item>>,
  keyOf: (item: Item) => string,
): Promise<{ readonly items: Item[]; readonly extent: Extent; readonly problem?: string | undefined }> {
  const found = new Map<string, Item>();
  const queries = new Set<string>();
  const list = (extent: Extent, problem?: string) => ({ items: [...found.values()], extent, problem });
  let page = await get();
  let records = 0;
  let isPart = false;
  for (;;) {
    const sizeBefore = found.size;
    for (const item of page.items) if (!found.has(keyOf(item))) found.set(keyOf(item), item);
    records += page.count;
    isPart ||= page.extent === "part";
    const { query, extent } = nextPage(page, records, queries.size + 1);
    // A record on two pages moved while they were read, so another record may have been on neither.
    if (query === undefined) return list(isPart || found.size !== records ? "part" : extent);
    if (queries.has(query) || (page.count > 0 && found.size === sizeBefore))
      return list("part", "the service returns the same page repeatedly");
    if (queries.size >= maxListPages || found.size >= maxRecords)
      return list("part", `it is longer than ${maxRecords} records or ${maxListPages} pages`);
    queries.add(query);
    try {
      page = await get(query);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      return list("part", `the next page of the list could not be read: ${messageOf(error)}`);
    }
  }
}

/** Whether another try is useless: the service refuses the request, or its answer cannot be read. */
export function isPermanent(error: unknown): boolean {
  const isRefused = error instanceof RequestError && error.outcome === "refused" && !error.details.isBlocked;
  return isRefused || error instanceof ResponseShapeError || error instanceof UnreadableError;
}

/**
 * The query for the next page, if the page shows it by a link, by a field for the next page, or by numbers. Otherwise what is
 * known of the end of the list: any unknown field about pages makes it a part, and it is unproven if nothing is about pages.
 * @param records The number of records on all pages so far, including this one.
 */
function nextPage(
  { around, headers, count }: Omit<Page<unknown>, "items" | "extent">,
  records: number,
  pagesSoFar: number,
):
  | ({ readonly query: string } & { readonly extent?: undefined })
  | { readonly query?: undefined; readonly extent: Extent } {
  const inside = (each: object) => Object.values(each).filter(isRecord);
  const pageHeaders = Object.entries(headers).filter(([name]) => pageHeader.test(name));
  const beside: readonly Raw[] = [
    ...around.flatMap((each) => [each, ...inside(each), ...inside(each).flatMap(inside)]),
    Object.fromEntries(pageHeaders.map(([name, value]) => [name.slice(2), value])),
  ];
  const fields = new Fields(...beside);
  const { hasMore, page, pages, offset, size, total, seen = 0 } = fields.read(pageTable);
  const link = /<([^<>]*)>\s*;[^,<]*\brel\s*=\s*["']?([^"';,]*\s)?next\b/i.exec(headers["link"] ?? "")?.[1];
  const named = beside.flatMap(Object.entries).filter(([name]) => nextName.test(name));
  const isBeforeTotal = total === undefined ? undefined : records < total;
  const goesOn = pages === undefined ? isBeforeTotal : pagesSoFar < pages;
  const isFull = size !== undefined && count > 0 && count >= size;
  if (hasMore !== false) {
    let numbered = page === undefined ? undefined : `page=${page + 1}`;
    if (offset !== undefined) numbered = `offset=${offset + count}`;
    if (count === 0 || !(goesOn ?? isFull)) numbered = undefined;
    const query = queryIn(link) ?? named.map(queryOf).find(Boolean) ?? numbered;
    if (query) return { query };
  }
  const isShort = goesOn || Math.max(seen, total ?? 0) > records;
  if (hasMore || link !== undefined || isShort || fields.entries().some(marksIncomplete)) return { extent: "part" };
  if (hasMore === false || total !== undefined) return { extent: "whole" };
  const mayBeAboutPages = (name: string) => pageHint.test(name) && !/^(prev|previous|first|self)/.test(name);
  if (fields.entries().some(([name, value]) => value && mayBeAboutPages(name))) return { extent: "part" };
  // If nothing shows the end, another page may follow a full page or a numbered one.
  const isEndless = (page ?? offset) !== undefined && (pages ?? size) === undefined && count > 0;
  if (named.length === 0 && (isFull || isEndless)) return { extent: "part" };
  const isAboutPages = [...named, page, offset, pages, size].some((each) => each !== undefined);
  return { extent: pagesSoFar > 1 || count === 0 || isAboutPages ? "whole" : "unproven" };
}

/** The query of a link to a page: all pages have the same path. */
function queryIn(link: string | undefined): string | undefined {
  return /\?([^#]+)/.exec(link ?? "")?.[1];
}

/** The query of a field for the next page: that of its link, or a parameter: the value of `nextCursor` is sent as `cursor`. */
function queryOf([name, value]: [string, unknown]): string | undefined {
  const next = inner(label, "href", "url")(value);
  const parameter = name.replace(/^next[_-]?/i, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase()) || "cursor";
  const isLink = /^(https?:\/\/|\/|\?)/.test(next ?? "") && !/cursor|token|marker|key$/i.test(name);
  if (next === undefined || isLink) return queryIn(next);
  return String(new URLSearchParams({ [parameter]: next }));
}

function marksIncomplete([name, value]: [string, unknown]): boolean {
  const isSet = typeof value === "object" ? Object.keys(Object(value)).length > 0 : Boolean(value);
  return incompleteNames.includes(name) && isSet;
}
