import type { SimulatedGpuType } from "./catalog";
import type { Dialect, PerValue } from "./dialectOptions";

/** One GPU type in a list. */
export type GpuFacts = { type: string } & object;

/** A list of GPU facts; `word` is its name. */
export const gpuList: PerValue<"gpuListShape", (items: GpuFacts[], word: string) => unknown> = {
  wrapped: (items, word) => ({ [word]: items }),
  bare: (items) => items,
  "by-type": byType,
};

/** Two lists beside each other, by their names; undefined if the shape allows one list only. */
export const gpuListsBeside: PerValue<
  "gpuListShape",
  ((lists: Readonly<Record<string, GpuFacts[]>>) => unknown) | undefined
> = {
  wrapped: (lists) => lists,
  bare: undefined,
  // By type alone, "pricing" would read as the name of a GPU.
  "by-type": (lists) => Object.fromEntries(Object.entries(lists).map(([word, items]) => [word, byType(items)])),
};

/** The price of a GPU type for one hour; an empty record without a price. */
export function gpuPrice({ pricePerHour }: SimulatedGpuType, { priceForm, priceText, pricePlace }: Dialect): object {
  if (pricePerHour === undefined) return {};
  return pricePlaces[pricePlace](pricePerHour, prices[priceForm](priceText));
}

interface Price {
  /** Names of the price in the record of its type, and in an object `pricing`. */
  names: { flat: string; inner: string };
  value(pricePerHour: number): number | string;
  /** Whether the value contains the currency. */
  hasCurrency?: boolean;
}

const names = { flat: "price_per_hour", inner: "hourly" };

const prices: PerValue<"priceForm", (text: Dialect["priceText"]) => Price> = {
  number: () => ({ names, value: (price) => price }),
  text: (text) => priceTexts[text],
  cents: () => ({
    names: { flat: "price_cents_per_hour", inner: "hourly_cents" },
    value: (price) => Math.round(price * 100),
  }),
};

const priceTexts: PerValue<"priceText", Price> = {
  plain: { names, value: (price) => price.toFixed(2) },
  currency: {
    names: { flat: "price", inner: "hourly" },
    value: (price) => `$${price.toFixed(2)}/hr`,
    hasCurrency: true,
  },
};

const pricePlaces: PerValue<"pricePlace", (pricePerHour: number, price: Price) => object> = {
  flat: flatPrice,
  object: (pricePerHour, { names: { inner }, ...price }) => ({
    pricing: flatPrice(pricePerHour, { ...price, names: { flat: inner, inner } }),
  }),
  // In the separate list of prices; or in the list of types if that list is bare.
  beside: flatPrice,
};

function flatPrice(pricePerHour: number, { names: { flat }, value, hasCurrency }: Price): object {
  return { [flat]: value(pricePerHour), ...(hasCurrency ? {} : { currency: "USD" }) };
}

/** How many GPUs of a type are free. */
export function gpuStock(count: number, { stockForm, stockFlag, stockPlace }: Dialect): object {
  return stockPlaces[stockPlace](count, (number) => stockForms[stockForm](number, stockFlags[stockFlag]));
}

const stockFlags: PerValue<"stockFlag", (count: number) => object> = {
  boolean: (count) => ({ available: count > 0 }),
  word: (count) => ({ availability: count > 0 ? "in_stock" : "sold_out" }),
};

const stockForms: PerValue<"stockForm", (count: number, flag: (count: number) => object) => object> = {
  "flag-and-count": (count, flag) => ({ ...flag(count), available_count: count }),
  flag: (count, flag) => flag(count),
  count: (count) => ({ available_count: count }),
};

const stockPlaces: PerValue<"stockPlace", (count: number, say: (count: number) => object) => object> = {
  flat: (count, say) => say(count),
  "by-region": (count, say) => ({
    availability: { "eu-north": alone(say(Math.ceil(count / 2))), "us-east": alone(say(Math.floor(count / 2))) },
  }),
};

/** The stock of one region: a single fact is written without its name. */
function alone(facts: object): unknown {
  const [first, ...more] = Object.values(facts);
  return more.length > 0 ? facts : first;
}

/** Whether lists of available GPUs contain a type, by the number of its free GPUs. */
export const isStockListed: PerValue<"gpuStockListed", (count: number) => boolean> = {
  all: () => true,
  "in-stock-only": (count) => count > 0,
};

/** The form of two lists if prices are beside the types; else undefined. */
export function pricesBeside({ pricePlace, gpuListShape }: Dialect) {
  return pricePlace === "beside" ? gpuListsBeside[gpuListShape] : undefined;
}

function byType(items: GpuFacts[]): object {
  return Object.fromEntries(items.map(({ type, ...facts }) => [type, facts]));
}
