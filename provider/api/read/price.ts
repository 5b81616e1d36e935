import { currencyNames, currencySigns, currencyWords, priceWords, scaleWords, timeWords } from "../records";
import { asText, defined, Fields, isRecord, plainName } from "./json";

/** What a record says of the price of one GPU for one hour. */
export interface Price {
  readonly pricePerHour?: number;
  /** ISO 4217. */
  readonly currency?: string;
}

/**
 * Finds the price in a record: a number or a text under a name that is made of words about prices and nothing else, also
 * inside an object. The name says the time, the scale and the currency too: `price_cents_per_hour`. A price for another time
 * that cannot be converted, or with words that are not known (`spot_price`, `setup_fee`), is no price here.
 */
export function readPrice(raw: Readonly<Record<string, unknown>>): Price {
  const currency = currencyIn(raw);
  const found = pricesIn(raw, unitOf(raw, ["price_unit", "billing_unit", "billing_period"]), 0).sort(
    (a, b) => b.rank - a.rank,
  )[0];
  return defined({ pricePerHour: found?.amount, currency: currency ?? found?.currency });
}

interface Found {
  readonly amount: number;
  readonly currency: string | undefined;
  /** How surely this is the hourly price. */
  readonly rank: number;
}

function pricesIn(object: Readonly<Record<string, unknown>>, outer: readonly string[], depth: number): Found[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const words = [...outer, ...plainName(name).split("_")];
    if (!words.every((word) => isPriceWord(word))) return [];
    if (isRecord(value)) return depth < 2 ? pricesIn(value, [...words, ...unitOf(value, unitNames)], depth + 1) : [];
    const price = words.some((word) => isIn(priceWords.price, word)) ? toPrice(value, words) : undefined;
    return price ? [{ ...price, rank: rankOf(words) - depth / 10 }] : [];
  });
}

const unitNames = ["per", "unit", "interval", "period"];

/** `"per": "hour"` beside an amount says what the amount's name does not. */
function unitOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  const text = new Fields(object).first(names, asText);
  return text === undefined ? [] : plainName(text).split("_");
}

function isIn(words: readonly string[], word: string): boolean {
  return words.includes(word);
}

function isPriceWord(word: string): boolean {
  const known = [priceWords.price, priceWords.hour, priceWords.neutral].some((words) => isIn(words, word));
  return known || word in timeWords || word in scaleWords || currencyWords.has(word);
}

function rankOf(words: readonly string[]): number {
  return words.some((word) => isIn(priceWords.hour, word)) ? 1 : 0;
}

function toPrice(value: unknown, words: readonly string[]): Omit<Found, "rank"> | undefined {
  const said = typeof value === "number" ? { amount: value, words: [] } : parsePrice(value);
  const all = [...words, ...(said?.words ?? [])];
  if (!said || !(said.amount >= 0) || !Number.isFinite(said.amount) || !all.every(isPriceWord)) return undefined;
  const factor = all.reduce((product, word) => product * (timeWords[word] ?? scaleWords[word] ?? 1), 1);
  const currency = all.find((word) => currencyWords.has(word))?.toUpperCase();
  // The detour keeps 299 cents from being 2.9900000000000002.
  return { amount: Number((said.amount * factor).toPrecision(12)), currency };
}

/** `$2.99/hr`, `2.99 USD per hour`, `2,99 €`: an amount, and words like those of a name. */
function parsePrice(value: unknown): { amount: number; words: string[] } | undefined {
  const text = asText(value);
  const [, before = "", digits, after = ""] = /^([^\d.,-]*)(\d[\d.,]*)([^\d]*)$/.exec(text?.trim() ?? "") ?? [];
  if (digits === undefined) return undefined;
  // A comma with three digits behind it groups thousands, another one is the decimal mark.
  const plain = /,\d{3}(\D|$)/.test(digits) ? digits.replaceAll(",", "") : digits.replace(",", ".");
  const signs = Object.entries(currencySigns);
  const named = signs.reduce(
    (rest, [sign, code]) => rest.toLowerCase().replace(sign, ` ${code} `),
    `${before} ${after}`,
  );
  return { amount: Number(plain), words: plainName(named.replaceAll("/", " per ")).split("_").filter(Boolean) };
}

function currencyIn(raw: Readonly<Record<string, unknown>>): string | undefined {
  const inner = Object.entries(raw).flatMap(([name, value]) =>
    isRecord(value) && plainName(name).split("_").every(isPriceWord) ? [value] : [],
  );
  const said = [raw, ...inner].map((object) => new Fields(object).first(currencyNames, asText));
  return said.find((currency) => currency !== undefined);
}
