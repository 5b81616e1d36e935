import { isRecord } from "../../core";
import {
  currencyNames,
  currencySigns,
  currencyWords,
  otherScales,
  priceUnitNames,
  priceWords,
  scaleWords,
  timeWords,
} from "../records";
import { asText, defined, Fields, plainName } from "./json";

/** The price of one GPU for one hour in a record. */
export interface Price {
  readonly pricePerHour?: number;
  /** ISO 4217. */
  readonly currency?: string;
}

/**
 * Finds the price in a record: a number or a text under a name of price words only, also inside an object. The name
 * also gives the time, the scale and the currency: `price_cents_per_hour`. A price with unknown words (`spot_price`,
 * `setup_fee`), or for a time that cannot be converted, is not read.
 */
export function readPrice(raw: Readonly<Record<string, unknown>>): Price {
  const currency = currencyIn(raw);
  const [found] = pricesIn(raw, [unitOf(raw, priceUnitNames.record)], 0).sort((a, b) => b.rank - a.rank);
  return defined({ pricePerHour: found?.amount, currency: currency ?? found?.currency });
}

interface Found {
  readonly amount: number;
  readonly currency: string | undefined;
  /** The higher, the more certain it is that this is the hourly price. */
  readonly rank: number;
}

/** Words about one price, in groups: the nearest group comes first, and outweighs the others. */
type Groups = readonly (readonly string[])[];

function pricesIn(object: Readonly<Record<string, unknown>>, outer: Groups, depth: number): Found[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const groups = [plainName(name).split("_"), ...outer];
    if (!groups.flat().every(isPriceWord)) return [];
    if (isRecord(value))
      return depth < 2 ? pricesIn(value, [unitOf(value, priceUnitNames.price), ...groups], depth + 1) : [];
    const words = groups.flat();
    const isPrice = words.some((word) => priceWords.price.has(word) || scaleWords.has(word));
    const price = isPrice ? toPrice(value, groups) : undefined;
    const preference = [priceWords.hour, priceWords.tier].map((some) => (words.some((word) => some.has(word)) ? 1 : 0));
    return price ? [{ ...price, rank: (preference[0] ?? 0) + (preference[1] ?? 0) / 5 - depth / 10 }] : [];
  });
}

/** The unit in fields beside an amount, such as `"per": "hour"`, which the name of the amount does not show. */
function unitOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  const fields = new Fields(object);
  const isOtherwise = otherScales.some((name) => fields.has(name));
  return isOtherwise
    ? ["scaled"]
    : names.flatMap((name) => plainName(asText(fields.get(name)) ?? "").split("_")).filter(Boolean);
}

function isPriceWord(word: string): boolean {
  const known = [priceWords.price, priceWords.hour, priceWords.tier, priceWords.neutral, currencyWords];
  return known.some((words) => words.has(word)) || timeWords.has(word) || scaleWords.has(word);
}

function toPrice(value: unknown, outer: Groups): Omit<Found, "rank"> | undefined {
  const said = typeof value === "number" ? { amount: value, words: [] } : parsePrice(value);
  if (!said || !(said.amount >= 0) || !Number.isFinite(said.amount)) return undefined;
  const groups = [said.words, ...outer];
  if (!groups.flat().every(isPriceWord)) return undefined;
  const timeGroup =
    groups.find((group) => group.some((word) => timeWords.has(word) || priceWords.hour.has(word))) ?? [];
  const factor = factorIn(timeGroup, timeWords) * factorIn(groups.flat(), scaleWords);
  const currency = groups.flat().find((word) => currencyWords.has(word));
  // Rounded, because 299 cents would otherwise be 2.9900000000000002.
  return { amount: Number((said.amount * factor).toPrecision(12)), currency: currency?.toUpperCase() };
}

function factorIn(words: readonly string[], factors: ReadonlyMap<string, number>): number {
  const word = words.find((candidate) => factors.has(candidate));
  return factors.get(word ?? "") ?? 1;
}

const longestPrice = 64;

/** `$2.99/hr`, `2.99 USD per hour`, `2,99 €`: an amount, and words like those of a name. */
function parsePrice(value: unknown): { amount: number; words: string[] } | undefined {
  const text = asText(value)?.trim() ?? "";
  const isOne = text.length <= longestPrice && !text.includes("%");
  const [, before = "", digits, after = ""] = (isOne && /^([^\d.,-]*)(\d[\d.,]*)([^\d]*)$/.exec(text)) || [];
  if (digits === undefined) return undefined;
  // A comma groups thousands if it can; otherwise it is the decimal mark.
  const isGrouped = /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(digits);
  const amount = Number(isGrouped ? digits.replaceAll(",", "") : digits.replace(",", "."));
  const named = [...currencySigns].reduce(
    (rest, [sign, code]) => rest.replace(sign, ` ${code} `),
    `${before} ${after}`.toLowerCase(),
  );
  return { amount, words: plainName(named.replaceAll("/", " per ")).split("_").filter(Boolean) };
}

function currencyIn(raw: Readonly<Record<string, unknown>>): string | undefined {
  const inner = Object.entries(raw).flatMap(([name, value]) =>
    isRecord(value) && plainName(name).split("_").every(isPriceWord) ? [value] : [],
  );
  const said = [raw, ...inner].map((object) => new Fields(object).first(currencyNames, asText));
  return said.find((currency) => currency !== undefined)?.toUpperCase();
}
