import { plainName } from "../../api/decode/names";
import type { ClusterRecord } from "../../api/decode/records";
import { sentNames } from "../../api/requests";
import { isRecord } from "../../contract";

/**
 * `extraFields`: request fields that this package does not know. They are sent unchanged, and compared with the fields
 * of the same name in a record that was read by its id.
 */
export type ExtraFields = Readonly<Record<string, unknown>>;

type Detail = Pick<ClusterRecord, "fields">;

/** How a record shows an extra field; `hidden`: not at all. */
type Showing = "same" | "other" | "hidden";

/** The names of the extra fields that a record shows in one of these ways. */
export function extrasObserved(
  extras: ExtraFields = {},
  { fields = new Map() }: Detail,
  ...wanted: Showing[]
): string[] {
  return Object.keys(extras).filter((name) => {
    const shown = fields.get(plainName(name));
    const showing = shown === undefined ? "hidden" : isSame(extras[name], shown) ? "same" : "other";
    return wanted.includes(showing);
  });
}

/**
 * The extra fields with the values that the service now shows. Fields that it does not show, and the names in `except`,
 * stay unchanged.
 */
export function driftedExtras(extras: ExtraFields | undefined, record: Detail, except: readonly string[] = []) {
  const names = extrasObserved(extras, record, "other").filter((name) => !except.includes(name));
  if (names.length === 0) return {};
  return {
    extraFields: { ...extras, ...Object.fromEntries(names.map((name) => [name, record.fields?.get(plainName(name))])) },
  };
}

/**
 * Names that the service adds inside an object are ignored. Names are compared in any spelling, numbers also as texts.
 */
function isSame(asked: unknown, shown: unknown): boolean {
  if (isRecord(asked) && isRecord(shown)) {
    const others = new Map(Object.entries(shown).map(([name, value]) => [plainName(name), value]));
    return Object.entries(asked).every(([name, value]) => isSame(value ?? null, others.get(plainName(name)) ?? null));
  }
  if (Array.isArray(asked) && Array.isArray(shown))
    return asked.length === shown.length && asked.every((item, index) => isSame(item, shown[index]));
  return asked === shown || (!isObject(asked) && !isObject(shown) && String(asked) === String(shown));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** All texts inside a value, at any depth. Those of extra fields may be secrets, which messages must not show. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The input that sets a request field which this package sends itself; `undefined` for any other field. */
export function inputOf(name: string): string | undefined {
  return sentNames.get(plainName(name));
}

const rangeNames = {
  min: ["min_replicas", "min_replica", "min_replica_count", "minimum_replicas"],
  max: ["max_replicas", "max_replica", "max_replica_count", "maximum_replicas"],
} as const;

/** Whether an autoscaler may choose this number of replicas, by the range in the extra fields. */
export function mayScaleTo(extras: ExtraFields | undefined, count: number | undefined): count is number {
  const range = scalingRange(extras);
  return range !== undefined && count !== undefined && count >= range.min && count <= range.max;
}

/** The range of replicas from which an autoscaler may choose, if the extra fields give one. */
export function scalingRange(extras: ExtraFields = {}): { readonly min: number; readonly max: number } | undefined {
  for (const object of [extras, ...Object.values(extras).filter(isRecord)]) {
    const numbers = new Map(Object.entries(object).map(([name, value]) => [plainName(name), value]));
    const [min, max] = [rangeNames.min, rangeNames.max].map((names) =>
      names.map((name) => numbers.get(name)).find((value) => typeof value === "number"),
    );
    if (typeof min === "number" && typeof max === "number") return { min, max };
  }
  return undefined;
}

/** The number of GPUs of a replica; 1 if the extra fields give none. */
export function gpusPerReplica(extras: ExtraFields = {}): number {
  const [, count] = Object.entries(extras).find(([name]) => plainName(name) === "gpus_per_replica") ?? [];
  return typeof count === "number" && count > 0 ? count : 1;
}

/** The number of GPUs of all replicas. */
export function gpusOf({
  replicas,
  extraFields,
}: {
  readonly replicas: number;
  readonly extraFields?: ExtraFields;
}): number {
  return replicas * gpusPerReplica(extraFields);
}

/** The tier of a cluster, which may decide its price. */
export function tierOf(extras: ExtraFields = {}): string | undefined {
  return typeof extras["tier"] === "string" ? extras["tier"] : undefined;
}
