import { isRecord, plainName } from "../api/read/json";
import type { ClusterRecord } from "../api/records";
import { sentNames } from "../api/requestNames";

/**
 * `extraFields`: request fields that this package does not know. They are sent as they are, and compared with what a record
 * that was read by its id shows under the same name. Pure.
 */
export type ExtraFields = Readonly<Record<string, unknown>>;

type Detail = Pick<ClusterRecord, "fields">;

/** How a record shows an extra field: `hidden` is not shown at all. */
type Showing = "same" | "other" | "hidden";

/** The names of the extra fields that a record shows in one of these ways. */
export function extrasShown(extras: ExtraFields = {}, { fields = new Map() }: Detail, ...wanted: Showing[]): string[] {
  return Object.keys(extras).filter((name) => {
    const shown = fields.get(plainName(name));
    const showing = shown === undefined ? "hidden" : isSame(extras[name], shown) ? "same" : "other";
    return wanted.includes(showing);
  });
}

/** The extra fields as the service now shows them; what it does not show, and the names in `but`, stay as they are. */
export function driftedExtras(extras: ExtraFields | undefined, record: Detail, but: readonly string[] = []) {
  const names = extrasShown(extras, record, "other").filter((name) => !but.includes(name));
  if (names.length === 0) return {};
  return {
    extraFields: { ...extras, ...Object.fromEntries(names.map((name) => [name, record.fields?.get(plainName(name))])) },
  };
}

/** What a service adds inside an object is its own; names are compared in any spelling, numbers also as texts. */
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

/** The texts inside extra fields that are long enough to be secrets: they are hidden in what people see. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The input that sets a name which this package sends itself; `undefined` for a name that is free. */
export function inputOf(name: string): string | undefined {
  return sentNames.get(plainName(name));
}

const rangeNames = {
  least: ["min_replicas", "min_replica", "min_replica_count", "minimum_replicas"],
  most: ["max_replicas", "max_replica", "max_replica_count", "maximum_replicas"],
} as const;

/** The numbers of replicas between which an autoscaler may choose, if the extra fields give them. */
export function scalingRange(extras: ExtraFields = {}): { readonly least: number; readonly most: number } | undefined {
  for (const object of [extras, ...Object.values(extras).filter(isRecord)]) {
    const numbers = new Map(Object.entries(object).map(([name, value]) => [plainName(name), value]));
    const [least, most] = [rangeNames.least, rangeNames.most].map((names) =>
      names.map((name) => numbers.get(name)).find((value) => typeof value === "number"),
    );
    if (typeof least === "number" && typeof most === "number") return { least, most };
  }
  return undefined;
}

/** The number of replicas that counts: one that an autoscaler has chosen within its range is as good as the one asked for. */
export function replicasWithin(extras: ExtraFields | undefined, asked: number, shown: number | undefined): number {
  const range = scalingRange(extras);
  return range && shown !== undefined && shown >= range.least && shown <= range.most ? shown : asked;
}

/** How many GPUs a replica has. */
export function gpusPerReplica(extras: ExtraFields = {}): number {
  const [, count] = Object.entries(extras).find(([name]) => plainName(name) === "gpus_per_replica") ?? [];
  return typeof count === "number" && count > 0 ? count : 1;
}

/** In which tier a cluster is, which may decide its price. */
export function tierOf(extras: ExtraFields = {}): string | undefined {
  return typeof extras["tier"] === "string" ? extras["tier"] : undefined;
}
