import { cursorNames, pageGroups, pageNames, pageParameters, pageSizes } from "../records";
import { asCount, asFlag, asName, asText, Fields, isRecord, plainName } from "./json";

/** What a page says of the one after it. */
export type Next =
  | { readonly kind: "end" }
  /** The query that asks for it. */
  | { readonly kind: "page"; readonly query: string }
  /** There is more, or may be, and no telling how to ask for it. */
  | { readonly kind: "unknown" };

/** One page, as far as its place in the list matters. */
export interface Page {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Records on this page. */
  readonly count: number;
  /** Records on all pages so far, this one included. */
  readonly soFar: number;
  /** The number of the first page, as that said it: 0 or 1. */
  readonly firstNumber: number;
}

/**
 * How a list goes on after a page: by a link, by a cursor, by its number or by its offset, as the page itself says. Pure.
 * Nothing is asked for that the service has not shown first.
 */
export function nextPage(page: Page): Next {
  const facts = factsOf(page);
  const total = numberIn(facts, pageNames.total);
  const size = numberIn(facts, pageNames.limit);
  const more = first(facts, pageNames.more, asFlag);
  const link = linkIn(facts, page);
  const query =
    more === false ? undefined : link === undefined ? (cursorIn(facts) ?? byPlace(facts, page)) : queryIn(link);
  if (query !== undefined) return { kind: "page", query };
  const isNamed = more === undefined && link !== undefined;
  if (more || isNamed || (total ?? 0) > page.soFar) return { kind: "unknown" };
  const isSilent = total === undefined && more === undefined && !facts.some(saysEnd);
  const isFull = size === undefined ? pageSizes.has(page.count) : page.count >= size && page.count > 0;
  return isSilent && isFull ? { kind: "unknown" } : { kind: "end" };
}

/** The number of a page, where it says one. */
export function pageNumber(page: Pick<Page, "json" | "headers">): number | undefined {
  return numberIn(factsOf(page), pageNames.page);
}

type Facts = Readonly<Record<string, unknown>>;

/** The objects that say where a list stands: headers, the answer itself, and its groups. */
function factsOf({ json, headers }: Pick<Page, "json" | "headers">): Facts[] {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("x-") && !name.startsWith("x-ratelimit"));
  const inHeaders = Object.fromEntries(own.map(([name, value]) => [name.slice(2), value]));
  return [...groupsOf(json, 2), inHeaders];
}

function groupsOf(json: unknown, depth: number): Facts[] {
  if (!isRecord(json)) return [];
  const inner = Object.entries(json).filter(([name]) => depth > 0 && pageGroups.includes(plainName(name)));
  return [json, ...inner.flatMap(([, value]) => groupsOf(Array.isArray(value) ? asLinks(value) : value, depth - 1))];
}

/** `[{"rel": "next", "href": "..."}]` as `{"next": "..."}`. */
function asLinks(links: readonly unknown[]): Facts {
  const all = links.map((link) => new Fields(link));
  return Object.fromEntries(all.map((link) => [asName(link.get("rel")) ?? "", link.get("href") ?? link.get("url")]));
}

function first<T>(facts: readonly Facts[], names: readonly string[], read: (value: unknown) => T | undefined) {
  const found = facts.map((group) => new Fields(group).first(names, read));
  return found.find((value) => value !== undefined);
}

function numberIn(facts: readonly Facts[], names: readonly string[]): number | undefined {
  return first(facts, names, asCount);
}

/** The fields that name what comes next, as the service spells them. */
function nextFields(group: Facts): [name: string, value: unknown][] {
  return Object.entries(group).filter(([name]) => {
    const plain = plainName(name);
    return plain === "next" || plain.startsWith("next_") || cursorNames.includes(plain);
  });
}

function saysEnd(group: Facts): boolean {
  return nextFields(group).some(([, value]) => value === null || value === "" || value === false);
}

const linkForm = /^(https?:\/\/|\/|\?)/;

function linkIn(facts: readonly Facts[], { headers }: Page): string | undefined {
  const inHeader = /<([^<>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers["link"] ?? "")?.[1];
  const inBody = facts
    .flatMap(nextFields)
    .map(([, value]) => (isRecord(value) ? (value["href"] ?? value["url"]) : value));
  return [inHeader, ...inBody].flatMap((value) => asText(value) ?? []).find((text) => linkForm.test(text));
}

/** Only the query of a link is taken: the pages of a list are all at its own address. */
function queryIn(link: string): string | undefined {
  const at = link.indexOf("?");
  return at < 0 ? undefined : link.slice(at + 1).replace(/#.*$/, "");
}

function cursorIn(facts: readonly Facts[]): string | undefined {
  for (const [name, value] of facts.flatMap(nextFields)) {
    const cursor = typeof value === "string" && linkForm.test(value) ? undefined : asName(value);
    if (cursor !== undefined) return queryOf(name, cursor);
  }
  return undefined;
}

function byPlace(facts: readonly Facts[], { count, soFar, firstNumber }: Page): string | undefined {
  if (count === 0) return undefined;
  const total = numberIn(facts, pageNames.total);
  const size = numberIn(facts, pageNames.limit);
  const goesOn = (reached: number) => (total === undefined ? size !== undefined && count >= size : reached < total);
  const offset = spelled(facts, pageNames.offset);
  if (offset) return goesOn(offset.value + count) ? queryOf(offset.name, offset.value + count) : undefined;
  const number = spelled(facts, pageNames.page);
  if (!number) return undefined;
  const pages = numberIn(facts, pageNames.pages);
  const isMore = pages === undefined ? goesOn(soFar) : number.value - firstNumber + 1 < pages;
  return isMore ? queryOf(number.name, number.value + 1) : undefined;
}

/** A number, and the name under which the service says it. */
function spelled(facts: readonly Facts[], names: readonly string[]): { name: string; value: number } | undefined {
  const all = facts.flatMap((group) => Object.entries(group));
  const found = all.flatMap(([name, value]) => {
    const count = asCount(value);
    return names.includes(plainName(name)) && count !== undefined ? [{ name, value: count }] : [];
  });
  return found[0];
}

/** `next_page_token` is asked for as `page_token`, `nextPageToken` as `pageToken`. */
function queryOf(field: string, value: string | number): string {
  const rest = field.replace(/^next[_-]?/i, "");
  const name = pageParameters[plainName(field)] ?? `${rest.slice(0, 1).toLowerCase()}${rest.slice(1)}`;
  return new URLSearchParams({ [name]: String(value) }).toString();
}
