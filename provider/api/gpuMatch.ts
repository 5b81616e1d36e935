import { isRecord } from "../contract";
import { gpuKey } from "./names";
import { identifiersOf, type Price, priceIn, type Stock, tierOf } from "./read/gpuRow";
import { defined } from "./read/json";
import { defaultTier } from "./records";
import { isOpaque } from "./requests";
import type { GpuType } from "./types";

/** Finds a GPU type by any of its identifiers, reads its price in a tier, and joins the lists about GPUs. Pure. */

/** The listed GPUs that match a text: one, none, or several. If several match, the user has to choose. */
export type GpuMatch =
  | { readonly kind: "one"; readonly gpu: GpuType }
  | { readonly kind: "none" }
  | { readonly kind: "ambiguous"; readonly candidates: readonly GpuType[] };

/** The most certain comparison first. A model with an opaque id (a UUID) also matches by the first word of its name. */
const comparisons: readonly ((asked: string, gpu: GpuType) => boolean)[] = [
  (asked, gpu) => identifiersOf(gpu).includes(asked),
  (asked, gpu) => identifiersOf(gpu).some((identifier) => gpuKey(identifier) === gpuKey(asked)),
  (asked, { type, name }) => isOpaque(type) && gpuKey(name?.trim().split(/\s+/)[0] ?? "") === gpuKey(asked),
];

/** Compares a text with every identifying field of the listed GPUs. The first comparison with a match decides. */
export function matchGpu(asked: string, gpus: readonly GpuType[]): GpuMatch {
  for (const isMatch of comparisons) {
    const found = new Map(gpus.filter((gpu) => isMatch(asked, gpu)).map((gpu) => [gpuKey(gpu.type), gpu]));
    const [gpu] = found.values();
    if (gpu) return found.size === 1 ? { kind: "one", gpu } : { kind: "ambiguous", candidates: [...found.values()] };
  }
  return { kind: "none" };
}

/** The records about one GPU, such as one for each region or tier. */
export function recordsOf(asked: string, gpus: readonly GpuType[]): GpuType[] {
  const match = matchGpu(asked, gpus);
  return match.kind === "one" ? gpus.filter(({ type }) => gpuKey(type) === gpuKey(match.gpu.type)) : [];
}

/** The records of one GPU type in a list of all types. The list may use another identifier than `known`. */
export function rowsOfType(asked: string, known: readonly GpuType[], gpus: readonly GpuType[]): GpuType[] {
  const names = [asked, ...recordsOf(asked, known).flatMap(identifiersOf)];
  return names.map((name) => recordsOf(name, gpus)).find((rows) => rows.length > 0) ?? [];
}

/** Merges the records of one GPU: stock is summed, and all other fields come from the first record. `raw` has all records. */
export function mergeRows(records: readonly GpuType[]): GpuType | undefined {
  const [first, ...others] = records;
  if (!first || others.length === 0) return first;
  const { pricePerHour: _price, currency: _currency, ...fields } = first;
  const raw = { ...first.raw, rows: records.flatMap(rowsIn) };
  return { ...fields, ...priceInTier(records), ...summedStock(records), raw };
}

/** The stock of several records: numbers are summed. */
function summedStock(stocks: readonly Stock[]): Stock {
  const known = stocks.filter(({ available }) => available !== undefined);
  if (known.length === 0) return {};
  const available = known.some((stock) => stock.available);
  const counts = known.map((stock) => (stock.available ? stock.availableCount : 0));
  const isCounted =
    counts.every((count) => count !== undefined) && known.some((stock) => stock.availableCount !== undefined);
  return { available, ...(isCounted ? { availableCount: counts.reduce((sum, count) => sum + count, 0) } : {}) };
}

/** The records that a merged one was made of. */
function rowsIn({ raw }: GpuType): Record<string, unknown>[] {
  const rows = raw["rows"];
  return Array.isArray(rows) ? rows.filter(isRecord) : [raw];
}

/** Whether one of the GPU identifiers that a cluster shows matches the requested type. */
export function isSameGpu(asked: string, shown: readonly string[]): boolean {
  return shown.some((identifier) => gpuKey(identifier) === gpuKey(asked));
}

/** Adds the facts of other lists about GPUs to the types of the first. */
export function joinGpus(models: readonly GpuType[], ...others: readonly (readonly GpuType[])[]): GpuType[] {
  return models.map((model) => {
    const own = new Set(identifiersOf(model).map(gpuKey));
    const isOwn = (gpu: GpuType) => identifiersOf(gpu).some((identifier) => own.has(gpuKey(identifier)));
    const known = others.flatMap((gpus) => mergeRows(gpus.filter(isOwn)) ?? []);
    const rows = [model, ...known].flatMap(rowsIn);
    const raw = Object.assign({}, ...known.map((gpu) => gpu.raw), model.raw, known.length > 0 ? { rows } : {});
    return { ...Object.assign({}, ...known), ...model, raw };
  });
}

/**
 * The price in a tier, by the records that show it. If no tier is asked for, that of the usual tier, or else the highest:
 * never the lower price of another tier, region or record.
 */
export function priceInTier(gpus: readonly GpuType[], asked?: string): Price {
  const tier = asked ?? defaultTier;
  const prices = gpus.flatMap((gpu) => {
    const rows = rowsIn(gpu);
    // A price that was not read, because the list names another unit for all its records.
    if (gpu.pricePerHour === undefined && rows.some((raw) => priceIn(raw).pricePerHour !== undefined)) return [];
    const own = rows.filter((raw) => [undefined, tier].includes(tierOf(raw)));
    return own.map((raw) => defined({ currency: gpu.currency, ...priceIn(raw, [], tier) }));
  });
  const price = highest(prices);
  return price.pricePerHour === undefined && asked === undefined ? highest(gpus) : price;
}

function highest(prices: readonly Price[]): Price {
  const amountOf = ({ pricePerHour = -1 }: Price) => pricePerHour;
  const [first = {}] = [...prices].sort((one, other) => amountOf(other) - amountOf(one));
  const { pricePerHour, currency } = first;
  return pricePerHour === undefined ? {} : defined({ pricePerHour, currency });
}
