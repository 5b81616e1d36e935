import type { GpuType } from "../types";
import { gpuKey, identifiersOf } from "./read/gpuRecords";
import { isOpaque } from "./requestNames";

/** Finding a GPU type by any of its identifiers, and joining the lists about GPUs. Pure. */

/** The listed GPU that a text names: one, none, or several between which only the user can decide. */
export type GpuMatch =
  | { readonly kind: "one"; readonly gpu: GpuType }
  | { readonly kind: "none" }
  | { readonly kind: "ambiguous"; readonly candidates: readonly GpuType[] };

/** The surest first. A model whose id says nothing to a person is also known by the first word of its name. */
const comparisons: readonly ((asked: string, gpu: GpuType) => boolean)[] = [
  (asked, gpu) => identifiersOf(gpu).includes(asked),
  (asked, gpu) => identifiersOf(gpu).some((identifier) => gpuKey(identifier) === gpuKey(asked)),
  (asked, { type, name }) => isOpaque(type) && gpuKey(name?.trim().split(/\s+/)[0] ?? "") === gpuKey(asked),
];

/** Compares a text with every identifying field of the listed GPUs; the surest comparison that finds any decides. */
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

/** What a list about all types says of one, which another list may call by another identifier. */
export function availabilityAmong(asked: string, known: readonly GpuType[], gpus: readonly GpuType[]): GpuType[] {
  const names = [asked, ...recordsOf(asked, known).flatMap(identifiersOf)];
  return names.map((name) => recordsOf(name, gpus)).find((rows) => rows.length > 0) ?? [];
}

/** The records of one GPU as one: their stock adds up, and the first of them gives the rest. */
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

/** Whether a cluster that shows these identifiers of its GPU has the type that was asked for. */
export function isSameGpu(asked: string, shown: readonly string[]): boolean {
  return shown.some((identifier) => gpuKey(identifier) === gpuKey(asked));
}

/** The GPU types of a service that has no list of them: its models, with what the other lists say of each. */
export function joinGpus(models: readonly GpuType[], ...others: readonly (readonly GpuType[])[]): GpuType[] {
  return models.map((model) => {
    const own = new Set(identifiersOf(model).map(gpuKey));
    const isOwn = (gpu: GpuType) => identifiersOf(gpu).some((identifier) => own.has(gpuKey(identifier)));
    const known = others.flatMap((gpus) => asOne(gpus.filter(isOwn)) ?? []);
    const raw = Object.assign({}, ...known.map((gpu) => gpu.raw), model.raw);
    return { ...Object.assign({}, ...known), ...model, raw };
  });
}
