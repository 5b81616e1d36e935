import { isRecord } from "../core";
import type { GpuType } from "../types";
import { gpuKey, plainName } from "./names";
import { readPrice } from "./read/gpuFacts";
import { identifiersOf } from "./read/gpuRecords";
import { Fields } from "./read/json";
import { isOpaque } from "./requestNames";

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
export function availabilityAmong(asked: string, known: readonly GpuType[], gpus: readonly GpuType[]): GpuType[] {
  const names = [asked, ...recordsOf(asked, known).flatMap(identifiersOf)];
  return names.map((name) => recordsOf(name, gpus)).find((rows) => rows.length > 0) ?? [];
}

/** Merges the records of one GPU: stock is summed, and all other fields come from the first record. */
export function asOne(records: readonly GpuType[]): GpuType | undefined {
  const [first, ...others] = records;
  if (!first || others.length === 0) return first;
  const known = records.filter(({ available }) => available !== undefined);
  const counts = known.map(({ available, availableCount }) => (available ? availableCount : 0));
  const isCounted = known.length > 0 && counts.every((count) => count !== undefined);
  return {
    ...first,
    ...(known.length > 0 ? { available: known.some(({ available }) => available) } : {}),
    ...(isCounted ? { availableCount: counts.reduce((sum, count) => sum + count, 0) } : {}),
    raw: { ...first.raw, rows: records.map(({ raw }) => raw) },
  };
}

/** Whether one of the GPU identifiers that a cluster shows matches the requested type. */
export function isSameGpu(asked: string, shown: readonly string[]): boolean {
  return shown.some((identifier) => gpuKey(identifier) === gpuKey(asked));
}

/** The GPU types of a service without a list of them: its models, joined with the other lists. */
export function joinGpus(models: readonly GpuType[], ...others: readonly (readonly GpuType[])[]): GpuType[] {
  return models.map((model) => {
    const own = new Set(identifiersOf(model).map(gpuKey));
    const isOwn = (gpu: GpuType) => identifiersOf(gpu).some((identifier) => own.has(gpuKey(identifier)));
    const known = others.flatMap((gpus) => asOne(gpus.filter(isOwn)) ?? []);
    const raw = Object.assign({}, ...known.map((gpu) => gpu.raw), model.raw);
    return { ...Object.assign({}, ...known), ...model, raw };
  });
}

/** The price of a record for a tier: its own, or that of the tier's entry in its prices. */
export function priceInTier(gpu: GpuType, tier: string): Pick<GpuType, "pricePerHour" | "currency"> {
  const fields = new Fields(gpu.raw);
  if (fields.get("tier") === tier) return gpu;
  const tiers = new Fields(fields.get("pricing") ?? fields.get("price") ?? fields.get("prices"));
  const own = tiers.get(plainName(tier));
  const { pricePerHour, currency = gpu.currency } = readPrice(isRecord(own) ? own : { price_per_hour: own });
  return { pricePerHour, currency };
}
