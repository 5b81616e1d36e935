import { isRecord } from "../../core";
import { messageOf, RequestError, ResponseShapeError } from "../../errors";
import { plainName } from "../names";
import {
  cursorNames,
  keptParameters,
  nextWords,
  notRecords,
  pageHints,
  pageNames,
  pageParameters,
  pageSizes,
  partMarks,
} from "../records";
import { asCount, asFlag, asName, asText, Fields, isSaid, UnreadableError } from "./json";

/** The parts of an answer that a list needs. */
export interface Answer {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The length of its text. */
  readonly length?: number;
}

/** Requests the first page, or the page of a query; `accepts` throws for a page that cannot be read. */
export type GetPage = (query?: string, accepts?: (answer: Answer) => void) => Promise<Answer>;

/** One page that was read. */
export interface ReadPage<Item> extends Answer {
  readonly items: readonly Item[];
  /** The page's own records, as they stand in the answer. */
  readonly members: ReadonlySet<unknown>;
  /** The number of its records, including those that cannot be read. */
  readonly count: number;
  /** False if it may have more records than these. */
  readonly sure: boolean;
}

/** All pages of a list. */
export interface Walk<Item> {
  readonly items: readonly Item[];
  /** False if there may be more than `items`. */
  readonly complete: boolean;
  /** The reason why the list could not be read to its end, if it is known. */
  readonly problem?: string;
}

/**
 * The limits of a list, so that an endless list ends: far more than any organization has. The length is that of eight answers
 * of the largest readable size, which fit into the memory of any process.
 */
const longest = { pages: 1_000, records: 10_000, length: 8 * 8 * 1024 * 1024 };

/** What earlier answers have shown of a list. */
export interface PageMemory {
  /** The most records on one page so far: a page of fewer is not full. */
  longest: number;
}

/**
 * Follows a list page by page to its end. The first page has to be readable. If a later page is not available, the list is
 * incomplete, with the reason.
 */
export async function walkPages<Item>(
  get: GetPage,
  read: (answer: Answer) => ReadPage<Item>,
  keyOf: (item: Item) => string,
  memory: PageMemory = { longest: 0 },
): Promise<Walk<Item>> {
  const found = new Map<string, Item>();
  const asked = new Set<string>();
  let page = await pageOf(get, read);
  const firstNumber = pageNumber(page) ?? 1;
  let isSure = true;
  let length = 0;
  for (let soFar = 0; ; ) {
    const fresh = page.items.filter((item) => !found.has(keyOf(item)));
    for (const item of fresh) found.set(keyOf(item), item);
    isSure &&= page.sure;
    soFar += page.count;
    length += page.length ?? 0;
    const walked = (more: Partial<Walk<Item>>): Walk<Item> => ({
      items: [...found.values()],
      complete: false,
      ...more,
    });
    const next = nextPage({ ...page, soFar, firstNumber, longest: memory.longest });
    memory.longest = Math.max(memory.longest, page.count);
    // A record on two pages moved while they were read; then another record may have moved too, and be on none of them.
    if (next.kind !== "page") return walked({ complete: isSure && next.kind === "end" && found.size === soFar });
    const isRepeated = asked.has(next.query) || (page.count > 0 && fresh.length === 0);
    if (isRepeated) return walked({ problem: repeats });
    const isFull = asked.size >= longest.pages || found.size >= longest.records || length >= longest.length;
    if (isFull) return walked({ problem: tooLong });
    asked.add(next.query);
    try {
      page = await pageOf(get, read, next.query);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return walked({ problem: `${unlisted}: ${messageOf(error)}` });
    }
  }
}

async function pageOf<Item>(get: GetPage, read: (answer: Answer) => ReadPage<Item>, query?: string) {
  const held: { page?: ReadPage<Item> } = {};
  const answer = await get(query, (each) => {
    held.page = read(each);
  });
  return { ...(held.page ?? read(answer)), length: answer.length };
}

const repeats = "the service returns the same page repeatedly";
const tooLong = `it is longer than ${longest.records} records, ${longest.pages} pages or 64 MiB, the most that is read of a list`;
const unlisted = "the list has more pages, but the service does not say how to request them";

/** Whether a page will stay unavailable: the service refuses it, or it cannot be read. Other errors may pass. */
function isRefusal(error: unknown): boolean {
  const isRefused = error instanceof RequestError && error.outcome === "refused";
  return isRefused || error instanceof ResponseShapeError || error instanceof UnreadableError;
}

/** What a page says about the next one. */
export type Next =
  | { readonly kind: "end" }
  /** The query for the next page. */
  | { readonly kind: "page"; readonly query: string }
  /** There are or may be more pages, but the page does not show how to request the next one. */
  | { readonly kind: "unknown" };

/** One page, with its place in the list. */
export interface Page {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The page's own records: their fields say nothing about the list. */
  readonly members: ReadonlySet<unknown>;
  readonly count: number;
  /** The number of records on all pages so far, including this one. */
  readonly soFar: number;
  /** The number of the first page, as that page shows it: 0 or 1. */
  readonly firstNumber: number;
  /** The most records on one page of this list so far, without this page. */
  readonly longest: number;
}

/**
 * Finds the next page: by a link, a cursor, a page number or an offset, as the page itself shows. Pure. A request has
 * only parameters that the service has shown. A list is at its end only if everything on the page about pages was
 * understood.
 */
export function nextPage(page: Page): Next {
  const facts = factsOf(page);
  const more = read(facts, pageNames.more, asFlag);
  const total = most(facts, pageNames.total);
  const link = linkIn(facts, page);
  const query = more === false ? undefined : link ? queryIn(link) : (cursorIn(facts) ?? byPlace(facts, page));
  if (query !== undefined) return { kind: "page", query };
  if (more || Math.max(total ?? 0, most(facts, pageNames.count) ?? 0) > page.soFar) return { kind: "unknown" };
  if (facts.some(isPartMark)) return { kind: "unknown" };
  if (more === false || total !== undefined) return { kind: "end" };
  return link || facts.some(isHint) || mayBeCut(facts, page) ? { kind: "unknown" } : { kind: "end" };
}

/** The number of a page, if it shows one. */
export function pageNumber(page: Pick<Page, "json" | "headers" | "members">): number | undefined {
  return read(factsOf(page), pageNames.page, asCount);
}

/** One field beside the records. */
interface Fact {
  /** In the service's spelling. */
  readonly name: string;
  readonly plain: string;
  readonly value: unknown;
}

const depthOfFacts = 3;

/** The fields beside the records: in the answer, in the objects inside it, and in headers. */
function factsOf({ json, headers, members }: Pick<Page, "json" | "headers" | "members">): Fact[] {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("x-") && !name.startsWith("x-ratelimit"));
  return [...factsIn(json, members, depthOfFacts), ...own.map(([name, value]) => factOf(name.slice(2), value))];
}

function factsIn(json: unknown, members: ReadonlySet<unknown>, depth: number): Fact[] {
  if (!isRecord(json) || members.has(json)) return [];
  const facts = Object.entries(json).map(([name, value]) => factOf(name, value));
  const inner = depth > 0 ? facts.filter(({ plain, value }) => !notRecords.has(plain) && !members.has(value)) : [];
  return [...facts, ...inner.flatMap(({ value }) => factsIn(linksIn(value, members), members, depth - 1))];
}

function factOf(name: string, value: unknown): Fact {
  return { name, plain: plainName(name), value };
}

/** `[{"rel": "next", "href": "..."}]` as `{"next": "..."}`; anything else as it is. */
function linksIn(value: unknown, members: ReadonlySet<unknown>): unknown {
  if (!Array.isArray(value)) return value;
  const others = value.filter((link) => !members.has(link)).map((link) => new Fields(link));
  const links = others.filter((link) => link.has("rel"));
  return Object.fromEntries(links.map((link) => [asName(link.get("rel")) ?? "", link.get("href") ?? link.get("url")]));
}

function read<T>(facts: readonly Fact[], names: readonly string[], as: (value: unknown) => T | undefined) {
  const found = facts.filter(({ plain }) => names.includes(plain)).map(({ value }) => as(value));
  return found.find((value) => value !== undefined);
}

/** The largest number under one of the names: smaller ones may be about this page. */
function most(facts: readonly Fact[], names: readonly string[]): number | undefined {
  const numbers = facts.flatMap(({ plain, value }) => (names.includes(plain) ? (asCount(value) ?? []) : []));
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function isPartMark({ plain, value }: Fact): boolean {
  return partMarks.includes(plain) && isSaid(value);
}

/** Whether a field names the next page. */
function isNext({ plain }: Fact): boolean {
  const words = plain.split("_").filter((word) => word !== "odata");
  return cursorNames.includes(plain) || (words.includes("next") && words.every((word) => nextWords.has(word)));
}

/** Whether a field may be about pages in an unknown way. */
function isHint({ plain, value }: Fact): boolean {
  return (
    isSaid(value) && plain.split("_").some((word) => pageHints.has(word)) && !/^(prev|previous|first|self)/.test(plain)
  );
}

/**
 * Whether a page may be the first of several: it is full, or it shows nothing about its length. A page is not full if an
 * earlier one had more records.
 */
function mayBeCut(facts: readonly Fact[], { count, soFar, longest }: Page): boolean {
  const size = read(facts, pageNames.limit, asCount);
  if (size !== undefined) return count >= size && soFar > 0;
  const saysEnd = facts.some((fact) => isNext(fact) && !fact.value);
  return !saysEnd && pageSizes.has(count) && count >= longest;
}

const linkForm = /^(https?:\/\/|\/|\?)/;

function linkIn(facts: readonly Fact[], { headers }: Page): string | undefined {
  const inHeader = (headers["link"] ?? "").split(/,(?=\s*<)/).filter((link) => /;\s*rel="?next"?\s*(;|$)/i.test(link));
  const inBody = facts.filter(isNext).map(({ value }) => (isRecord(value) ? (value["href"] ?? value["url"]) : value));
  const targets = inHeader.map((link) => /<([^<>]*)>/.exec(link)?.[1]);
  return [...targets, ...inBody].flatMap((value) => asText(value) ?? []).find((text) => linkForm.test(text));
}

/** Only the query of a link is used: all pages of a list are at the same address. */
function queryIn(link: string): string | undefined {
  const at = link.indexOf("?");
  return at < 0 ? undefined : link.slice(at + 1).replace(/#.*$/, "");
}

function cursorIn(facts: readonly Fact[]): string | undefined {
  for (const { name, value } of facts.filter(isNext)) {
    const cursor = typeof value === "string" && linkForm.test(value) ? undefined : asName(value);
    if (cursor !== undefined) return queryOf(name, cursor);
  }
  return undefined;
}

function byPlace(facts: readonly Fact[], { count, soFar, firstNumber }: Page): string | undefined {
  if (count === 0) return undefined;
  const total = most(facts, [...pageNames.total, ...pageNames.count]);
  const size = read(facts, pageNames.limit, asCount);
  const goesOn = (reached: number) => (total === undefined ? size !== undefined && count >= size : reached < total);
  const offset = spelled(facts, pageNames.offset);
  if (offset) return goesOn(offset.value + count) ? queryOf(offset.name, offset.value + count) : undefined;
  const number = spelled(facts, pageNames.page);
  if (!number) return undefined;
  const pages = read(facts, pageNames.pages, asCount);
  const isMore = pages === undefined ? goesOn(soFar) : number.value - firstNumber + 1 < pages;
  return isMore ? queryOf(number.name, number.value + 1) : undefined;
}

/** A number, and its name in the service's spelling. */
function spelled(facts: readonly Fact[], names: readonly string[]): { name: string; value: number } | undefined {
  const found = facts.flatMap(({ name, plain, value }) => {
    const count = names.includes(plain) ? asCount(value) : undefined;
    return count === undefined ? [] : [{ name, value: count }];
  });
  return found[0];
}

/**
 * The query for a field: `next_page_token` becomes `page_token`, `nextPageToken` `pageToken`, `NextMarker` `Marker`.
 */
function queryOf(field: string, value: string | number): string {
  const rest = field.replace(/^next[_-]?/i, "");
  const own = field.startsWith("n") ? `${rest.slice(0, 1).toLowerCase()}${rest.slice(1)}` : rest;
  const isKept = keptParameters.includes(plainName(field));
  const name = isKept ? field : (pageParameters[plainName(field)] ?? own);
  return new URLSearchParams({ [name]: String(value) }).toString();
}
