import { gpuMemoryForm, gpuNames, machineForm, stockNames, stockPlacesForm, stockWords } from "../records";
import { asCount, asFlag, asNumber, asText, defined, Fields, isRecord, plainName } from "./json";

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
