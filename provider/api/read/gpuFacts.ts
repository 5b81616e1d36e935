import { isRecord } from "../../core";
import { gpuNameForm, plainName } from "../names";
import {
  currencyNames,
  currencySigns,
  currencyWords,
  gpuMemoryForm,
  gpuNameForms,
  gpuNames,
  kindWords,
  machineForm,
  otherScales,
  priceUnitNames,
  priceWords,
  scaleWords,
  stockNames,
  stockPlacesForm,
  stockWords,
  timeWords,
} from "../records";
import { asCount, asFlag, asNumber, asText, defined, Fields } from "./json";

/** A text by which a record identifies a GPU, or a machine with GPUs. */
export interface GpuText {
  readonly text: string;
  /** The field that holds it: `gpu_type`, `gpu_model.id`. */
  readonly field: string;
  /** The lower, the more certain it is that requests accept this text. */
  readonly rank: number;
  /** What the field name means: a GPU, a machine, any kind of thing, or only a display name. */
  readonly of: "gpu" | "machine" | "any" | "people";
}

/** All texts that identify the GPU of a record, also in the objects inside it, the best first. */
export function gpuTexts(record: Readonly<Record<string, unknown>>): GpuText[] {
  const found = Object.entries(record).flatMap(([name, value]) => {
    const plain = plainName(name);
    return isRecord(value) ? innerTexts(plain, value) : textOf(plain, plain, value);
  });
  return found.sort((a, b) => a.rank - b.rank);
}

/** In an object that is a GPU or a machine, any name may hold the id; in another one, only a name for either does. */
function innerTexts(outer: string, object: Record<string, unknown>): GpuText[] {
  const of = gpuNameForm(outer)?.of;
  const prefix = of === "gpu" ? "gpu_" : of === "machine" ? "instance_type_" : "";
  return Object.entries(object).flatMap(([name, value]) => {
    const inner = plainName(name);
    const texts = textOf(`${outer}.${inner}`, `${prefix}${inner}`, value);
    if (prefix !== "") return texts.map((text) => (inner.endsWith("name") ? afterPlain(text) : text));
    return texts.filter((text) => text.of === "gpu" || text.of === "machine").map(afterPlain);
  });
}

/** A deeper text ranks after the record's own id, and before its name. */
function afterPlain(text: GpuText): GpuText {
  return { ...text, rank: text.rank / gpuNameForms.length + firstWeak - 1 };
}

function textOf(field: string, plain: string, value: unknown): GpuText[] {
  const text = asText(value)?.trim();
  const form = gpuNameForm(plain);
  // A number is a count, or the key of a database table.
  const isIdentifier = text !== undefined && !/^\d+$/.test(text) && !kindWords.has(plainName(text));
  if (!form || !isIdentifier) return [];
  const isOpaque = form.of === "any" && /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text);
  return [{ field, text, of: form.of, rank: isOpaque ? firstWeak - 0.5 : form.rank }];
}

const firstWeak = gpuNameForms.findIndex(([of]) => of === "people");

type Raw = Readonly<Record<string, unknown>>;

/** The memory of a GPU in GB. If the record describes a machine, a name that may mean any memory is the machine's. */
export function readMemory(raw: Raw): number | undefined {
  const fields = new Fields(raw);
  const own = fields.names().filter((name) => gpuMemoryForm.test(name));
  const isMachine = fields.names().some((name) => machineForm.test(name));
  const names = isMachine ? own : [...own, ...gpuNames.memory];
  return names.map((name) => asMemory(fields.get(name), name)).find((memory) => memory !== undefined);
}

/** A number with a unit in its name, or in the range of GPU memory; or a text with a unit. */
function asMemory(value: unknown, name: string): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) {
    const isGb = /_gi?b$/.test(name) || (number >= smallestGpu && number <= largestGpu);
    return number > 0 && isGb ? number : undefined;
  }
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([GM])(?:i?B)?\s*$/i.exec(asText(value) ?? "") ?? [];
  return amount === undefined ? undefined : Number(amount) / (unit?.toUpperCase() === "M" ? 1024 : 1);
}

/** The range of GPU memory in GB; a number in MB is larger. */
const smallestGpu = 4;
const largestGpu = 512;

export interface Stock {
  readonly available?: boolean;
  readonly availableCount?: number;
}

/** Reads the stock: a flag, a number or a word, or any of these by region. */
export function readStock(raw: Raw, depth = 2): Stock {
  const fields = new Fields(raw);
  const availableCount = fields.first(stockNames.count, (value) =>
    typeof value === "boolean" ? undefined : asCount(value),
  );
  const available = fields.first(stockNames.available, asStockWord);
  if (available !== undefined || availableCount !== undefined)
    return defined({ available: available ?? (availableCount ?? 0) > 0, availableCount });
  const places = fields
    .names()
    .filter((name) => stockPlacesForm.test(name))
    .map((name) => fields.get(name));
  const listed = places.find((value) => Array.isArray(value));
  if (Array.isArray(listed)) return { available: listed.length > 0 };
  return (depth > 0 && fields.first(stockNames.regions, (value) => asRegions(value, depth - 1))) || {};
}

const stockByWord = new Map([
  ...stockWords.yes.split(" ").map((word) => [word, true] as const),
  ...stockWords.no.split(" ").map((word) => [word, false] as const),
]);

function asStockWord(value: unknown): boolean | undefined {
  return asFlag(value) ?? (typeof value === "string" ? stockByWord.get(plainName(value)) : undefined);
}

const countForm = /(^|_)(gpus?|nodes?|count|total)(_|$)/;

/**
 * `{"eu": 3, "us": 0}`, `[{"region": "eu", "available": true}]`, `["eu"]`: one region is enough; numbers are summed.
 */
function asRegions(value: unknown, depth: number): Stock | undefined {
  const places = isRecord(value) ? Object.values(value) : Array.isArray(value) ? value : undefined;
  if (!places) return undefined;
  if (isRecord(value)) {
    const own = readStock(value, 0);
    if (own.available !== undefined) return own;
    // Total numbers of GPUs and machines say nothing about the free ones.
    if (Object.keys(value).some((name) => countForm.test(plainName(name)))) return undefined;
  }
  const isNames = Array.isArray(value) && value.every((place) => typeof place === "string");
  const stocks = isNames ? value.map(() => ({ available: true })) : places.map((place) => stockOf(place, depth));
  const known = stocks.filter(({ available }) => available !== undefined);
  if (known.length === 0) return places.length === 0 ? { available: false } : undefined;
  const counts = known.map(({ availableCount }: Stock) => availableCount);
  const availableCount = counts.every((count) => count !== undefined)
    ? counts.reduce((sum, count) => sum + count, 0)
    : undefined;
  return defined({ available: known.some(({ available }) => available), availableCount });
}

function stockOf(place: unknown, depth: number): Stock {
  return readStock(isRecord(place) ? place : { available: place }, depth);
}

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
