import { isRecord } from "../../contract";
import { plainName } from "../names";
import {
  categoryForm,
  defaultTier,
  generalMemory,
  genericIdNames,
  gpuIdNames,
  gpuTable,
  gpuTitleNames,
  machineWord,
  otherOffer,
  otherScales,
  priceUnit,
  priceWords,
  stockTable,
} from "../records";
import type { GpuType } from "../types";
import { defined, Fields, type Kind, number, text } from "./json";

/** Reads one record about a GPU type: its identifiers, memory, price and stock. */

type Raw = Readonly<Record<string, unknown>>;

/** @param around The fields beside the list: they may name a unit of all its prices. */
export function toGpu(raw: Raw, type: string, around: readonly Raw[] = []): GpuType {
  const fields = new Fields(raw);
  const isMachine = fields.entries().some(([name]) => machineWord.test(name));
  const memory = isMachine ? {} : fields.read(generalMemory);
  return defined({
    type,
    ...memory,
    ...fields.read(gpuTable),
    ...priceIn(raw, around),
    ...stockIn(fields),
    raw: { ...raw },
  });
}

/** A text that is no number, which would be a count or the key of a database table, and no word for what all records are. */
export const identifier: Kind<string> = (value) => {
  const found = text(value)?.trim();
  return found === undefined || /^\d+$/.test(found) || categoryForm.test(found) ? undefined : found;
};

/** Every text in a record that identifies its GPU. */
export function textsOf(raw: Raw): string[] {
  const fields = new Fields(raw);
  const found = [...gpuIdNames, ...genericIdNames, ...gpuTitleNames].map((name) => identifier(fields.get(name)));
  return found.filter((each) => each !== undefined);
}

/** Every text that identifies a listed GPU, its type first. */
export function identifiersOf({ type, raw }: Pick<GpuType, "type" | "raw">): string[] {
  return [...new Set([type, ...textsOf(raw)])];
}

export type Price = Pick<GpuType, "pricePerHour" | "currency">;

/** The tier of a record, if it shows one. */
export function tierOf(raw: Raw): string | undefined {
  return text(new Fields(raw).get("tier"));
}

/**
 * The price of one GPU for one hour in a record. A name with unknown words (`spot_price`, `setup_fee`) is not read. The price
 * of the tier counts before others, then one that is said to be for an hour; of several, the highest: no cluster may cost more
 * than its preview says.
 * @param around The objects around the list: they may name the unit of all its prices.
 */
export function priceIn(raw: Raw, around: readonly Raw[] = [], tier = tierOf(raw) ?? defaultTier): Price {
  const tierWords = plainName(tier).split("_");
  const isPrice = (words: readonly string[]) => isPriceName(words, tierWords);
  const own = fieldsIn(raw, isPrice);
  const all = [...own, ...around.flatMap((each) => fieldsIn(each, () => false))];
  if (all.some(isConditional)) return {};
  const hasOtherUnit = all.some(namesOtherUnit);
  const prices = own.flatMap(({ words, value }) => {
    const amount = number(value);
    const isHourly = words.some((word) => priceWords.hour.has(word));
    const isNamed = isPrice(words) && words.some((word) => priceWords.price.has(word));
    if (amount === undefined || amount < 0 || !isNamed || (hasOtherUnit && !isHourly)) return [];
    const rank = (tierWords.every((word) => words.includes(word)) ? 2 : 0) + (isHourly ? 1 : 0);
    // Rounded, because 299 cents would otherwise be 2.9900000000000002.
    return { rank, words, value, amount: Number((amount * (words.includes("cents") ? 0.01 : 1)).toPrecision(12)) };
  });
  const [best] = prices.sort((one, other) => other.rank - one.rank || other.amount - one.amount);
  if (!best) return {};
  const named = best.words.find((word) => word === "usd" || word === "eur");
  const said = all.flatMap(({ name, value }) => (name === "currency" ? (text(value) ?? []) : []))[0];
  const currency = said ?? named ?? (String(best.value).trim().startsWith("$") ? "usd" : undefined);
  return defined({ pricePerHour: best.amount, currency: currency?.toUpperCase() });
}

interface PriceField {
  readonly name: string;
  /** The words of its name, and of the names of the objects around it. */
  readonly words: readonly string[];
  readonly value: unknown;
}

/** The fields of a record, and of the prices in objects inside it. */
function fieldsIn(raw: Raw, isPrice: (words: readonly string[]) => boolean, outer: string[] = []): PriceField[] {
  return new Fields(raw).entries().flatMap(([name, value]) => {
    const words = [...outer, ...name.split("_")];
    return isRecord(value) && isPrice(words) ? fieldsIn(value, isPrice, words) : [{ name, words, value }];
  });
}

/** Whether a name has only words of a price. */
function isPriceName(words: readonly string[], tierWords: readonly string[] = []): boolean {
  const { price, hour, beside } = priceWords;
  return words.every((word) => price.has(word) || hour.has(word) || beside.has(word) || tierWords.includes(word));
}

/** Whether a price beside this field has a scale that is not read, or is for GPUs that can be taken away, or for a contract. */
function isConditional({ name, value }: PriceField): boolean {
  const isOffer = value === true ? otherOffer.test(name) : otherOffer.test(plainName(text(value) ?? ""));
  return isOffer || otherScales.includes(name);
}

/** Whether a field names another unit than an hour: `minute`, `24 hours`, `cents`, a number. */
function namesOtherUnit({ name, value }: PriceField): boolean {
  const words = plainName(text(value) ?? "").split("_");
  return priceUnit.test(name) && (!isPriceName(words) || words.includes("cents"));
}

export type Stock = Pick<GpuType, "available" | "availableCount">;

/** The stock in a record: a flag, a word or a number; or that of its part about clusters. */
function stockIn(fields: Fields): Stock {
  const own = ownStock(fields);
  return own.available === undefined ? ownStock(new Fields(fields.get("cluster"))) : own;
}

function ownStock(fields: Fields): Stock {
  const { available, soldOut, availableCount } = fields.read(stockTable);
  const isCounted = availableCount === undefined ? undefined : availableCount > 0;
  return defined({ available: soldOut === undefined ? (available ?? isCounted) : !soldOut, availableCount });
}
