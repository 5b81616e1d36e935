import { messageOf, RequestError, ResponseShapeError } from "../../base/errors";
import { isRecord } from "../../contract";
import { nextName, pageHint, pageSizes, pageTable, partMarks } from "../records";
import { Fields, inner, label, UnreadableError } from "./json";

/** The parts of an answer that a list needs. */
export interface Answer {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests the first page, or the page of a query; `accepts` throws for a page that cannot be read. */
export type GetPage = (query?: string, accepts?: (answer: Answer) => void) => Promise<Answer>;

/** One page that was read. */
export interface ReadPage<Item> extends Beside {
  readonly items: readonly Item[];
  /** The number of its records, including those that cannot be read. */
  readonly count: number;
  /** False if it may have more records than these. */
  readonly isSure: boolean;
}

/** What stands beside the records of a page: the objects around the list, outermost first, and the headers. */
interface Beside {
  readonly around: readonly Readonly<Record<string, unknown>>[];
  readonly headers: Readonly<Record<string, string>>;
}

/** All pages of a list. */
interface Walk<Item> {
  readonly items: readonly Item[];
  /** False if there may be more than `items`. */
  readonly complete: boolean;
  /** The reason why the list could not be read to its end, if it is known. */
  readonly problem?: string;
}

/** An endless list ends here: far more than any organization has. */
const longest = { pages: 1_000, records: 10_000 };

/**
 * Reads a list page by page to its end. The first page has to be readable. If a later page is not available, the list is
 * incomplete, with the reason.
 */
export async function walkPages<Item>(
  get: GetPage,
  read: (answer: Answer) => ReadPage<Item>,
  keyOf: (item: Item) => string,
): Promise<Walk<Item>> {
  const found = new Map<string, Item>();
  const asked = new Set<string>();
  const walked = (complete: boolean, problem?: string) => ({ items: [...found.values()], complete, problem });
  let page = await pageOf(get, read);
  const firstNumber = fieldsBeside(page).read(pageTable).page ?? 1;
  let isSure = true;
  for (let soFar = 0; ; ) {
    const fresh = page.items.filter((item) => !found.has(keyOf(item)));
    for (const item of fresh) found.set(keyOf(item), item);
    isSure &&= page.isSure;
    soFar += page.count;
    const next = nextPage({ ...page, soFar, pagesSoFar: asked.size + 1, firstNumber });
    // A record on two pages moved while they were read; then another record may be on none of them.
    if (next.query === undefined) return walked(isSure && next.isEnd === true && found.size === soFar);
    const isRepeated = asked.has(next.query) || (page.count > 0 && fresh.length === 0);
    if (isRepeated) return walked(false, "the service returns the same page repeatedly");
    if (asked.size >= longest.pages || found.size >= longest.records)
      return walked(false, `it is longer than ${longest.records} records or ${longest.pages} pages`);
    asked.add(next.query);
    try {
      page = await pageOf(get, read, next.query);
    } catch (error) {
      if (!isFinal(error)) throw error;
      return walked(false, `the next page of the list could not be read: ${messageOf(error)}`);
    }
  }
}

async function pageOf<Item>(get: GetPage, read: (answer: Answer) => ReadPage<Item>, query?: string) {
  const held: { page?: ReadPage<Item> } = {};
  const answer = await get(query, (each) => {
    held.page = read(each);
  });
  return held.page ?? read(answer);
}

/** Whether a page will stay unavailable: the service refuses it, or it cannot be read. */
function isFinal(error: unknown): boolean {
  const isRefused = error instanceof RequestError && error.outcome === "refused";
  return isRefused || error instanceof ResponseShapeError || error instanceof UnreadableError;
}

/** A page, with its place in the list. */
interface Page extends Beside {
  readonly count: number;
  /** The number of records on all pages so far, including this one. */
  readonly soFar: number;
  readonly pagesSoFar: number;
  /** The number of the first page: 0 or 1. */
  readonly firstNumber: number;
}

/** The query for the next page; or whether the list certainly ends here. */
interface Next {
  readonly query?: string;
  readonly isEnd?: boolean;
}

/**
 * Finds the next page as the page itself shows it. Pure. A list is at its end only if everything beside its records that may
 * be about pages was understood.
 */
export function nextPage(page: Page): Next {
  const beside = fieldsBeside(page);
  const { hasMore, total, seen, size, ...at } = beside.read(pageTable);
  const link = nextLink(page);
  const query = hasMore === false ? undefined : (link?.query ?? nextIn(page) ?? byNumber(beside, page));
  if (query !== undefined) return { query };
  const isShort = Math.max(total ?? 0, seen ?? 0) > page.soFar || (at.pages ?? 0) > page.pagesSoFar;
  const saysMore = hasMore || link !== undefined || isShort || beside.entries().some(isPartMark);
  if (saysMore || hasMore === false || total !== undefined) return { isEnd: !saysMore };
  if (saysEnd(page)) return { isEnd: !beside.entries().some(isHint) };
  // A page with a number, and without the number of pages, may be followed by another one.
  const isNumbered = page.count > 0 && (at.page ?? at.offset) !== undefined && (at.pages ?? size) === undefined;
  const isFull = size === undefined ? pageSizes.has(page.count) : page.count >= size && page.soFar > 0;
  return { isEnd: !isNumbered && !isFull && !beside.entries().some(isHint) };
}

/** The objects beside the records, and those inside them: each may be about pages. */
function objectsBeside({ around }: Beside): Record<string, unknown>[] {
  const inside = (each: object) => Object.values(each).filter(isRecord);
  return around.flatMap((each) => [each, ...inside(each), ...inside(each).flatMap(inside)]);
}

/** Headers about pages: `X-Total-Count`, `X-Next-Page`. Others have words of pages too: `X-CSRF-Token`, `X-RateLimit-Remaining`. */
const pageHeader = /^x-(?!rate-?limit).*(page|next|cursor|continuation|total|count|more|offset|limit)/;

function headersBeside({ headers }: Beside): Record<string, unknown> {
  const own = Object.entries(headers).filter(([name]) => pageHeader.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(2), value]));
}

/** The fields beside the records, and those in headers. */
export function fieldsBeside(page: Beside): Fields {
  return new Fields(...objectsBeside(page), headersBeside(page));
}

/** The link to the next page in the header `Link`; without a query, the next page cannot be requested. */
function nextLink({ headers }: Beside): { query?: string } | undefined {
  const links = (headers["link"] ?? "").split(/,(?=\s*<)/);
  const link = links.find((each) => /;\s*rel\s*=\s*["']?([^"';]*\s)?next\b/i.test(each));
  const query = link && /<[^<>?]*\?([^<>#]+)[^<>]*>/.exec(link)?.[1];
  return link === undefined ? undefined : query === undefined ? {} : { query };
}

/** A link to the next page may stand in an object. */
const target = inner(label, "href", "url");

/** The query of a field that names the next page: `nextCursor` is requested by `cursor`. All pages have the same address. */
function nextIn(page: Beside): string | undefined {
  const fields = [...objectsBeside(page), headersBeside(page)].flatMap(Object.entries);
  for (const [name, value] of fields.filter(([name]) => nextName.test(name))) {
    const next = target(value);
    const parameter = name.replace(/^next[_-]?/i, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    const isValue = /cursor|token|marker|key$/i.test(parameter) || !/^(https?:\/\/|\/|\?)/.test(next ?? "");
    if (next !== undefined && !isValue) return /\?([^#]+)/.exec(next)?.[1];
    if (next !== undefined) return String(new URLSearchParams({ [parameter || "cursor"]: next }));
  }
  return undefined;
}

function byNumber(beside: Fields, { count, soFar, firstNumber }: Page): string | undefined {
  const { page, pages, offset, size, total } = beside.read(pageTable);
  const goesOn = (reached: number) => (total === undefined ? size !== undefined && count >= size : reached < total);
  if (offset !== undefined) return count > 0 && goesOn(offset + count) ? `offset=${offset + count}` : undefined;
  if (page === undefined || count === 0) return undefined;
  return (pages === undefined ? goesOn(soFar) : page - firstNumber + 1 < pages) ? `page=${page + 1}` : undefined;
}

function isPartMark([name, value]: [string, unknown]): boolean {
  return (
    partMarks.includes(name) && (typeof value === "object" ? Object.keys(Object(value)).length > 0 : Boolean(value))
  );
}

/** Whether a field for the next page is there, but empty. */
function saysEnd(page: Beside): boolean {
  return objectsBeside(page)
    .flatMap(Object.entries)
    .some(([name, value]) => nextName.test(name) && !value);
}

/** Whether a field may be about pages in an unknown way. */
function isHint([name, value]: [string, unknown]): boolean {
  return Boolean(value) && pageHint.test(name) && !/^(prev|previous|first|self)/.test(name);
}
