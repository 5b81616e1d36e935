import { plainName } from "../../api/decode/names";
import type { ClusterRecord } from "../../api/decode/records";
import { isRecord } from "../../contract";

/** Request fields that this package does not know: sent unchanged, and compared with those of a record that was read by its id. */
export type ExtraFields = Readonly<Record<string, unknown>>;

type ReportedFields = Pick<ClusterRecord, "fields">;

export function differingExtras(extras: ExtraFields = {}, { fields }: ReportedFields): string[] {
  return Object.keys(extras).filter((name) => {
    const observed = fields?.get(plainName(name));
    return observed !== undefined && !isSame(extras[name], observed);
  });
}

export function unreportedExtras(extras: ExtraFields = {}, { fields }: ReportedFields): string[] {
  return Object.keys(extras).filter((name) => fields?.get(plainName(name)) === undefined);
}

/** The extra fields with the values of the record. Fields that it does not report, and those of `except`, stay unchanged. */
export function driftedExtras(extras: ExtraFields | undefined, record: ReportedFields, except: readonly string[] = []) {
  const names = differingExtras(extras, record).filter((name) => !except.includes(name));
  if (names.length === 0) return {};
  const observed = Object.fromEntries(names.map((name) => [name, record.fields?.get(plainName(name))]));
  return { extraFields: { ...extras, ...observed } };
}

/** Names are compared in any spelling; those that the service adds inside an object are ignored. A number equals its digits. */
function isSame(requested: unknown, observed: unknown): boolean {
  if (isRecord(requested) && isRecord(observed)) {
    const values = new Map(Object.entries(observed).map(([name, value]) => [plainName(name), value]));
    return Object.entries(requested).every(([name, value]) =>
      isSame(value ?? null, values.get(plainName(name)) ?? null),
    );
  }
  if (Array.isArray(requested) && Array.isArray(observed))
    return requested.length === observed.length && requested.every((item, index) => isSame(item, observed[index]));
  return requested === observed || (!isObject(requested) && !isObject(observed) && `${requested}` === `${observed}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

const rangeNames = {
  min: ["min_replicas", "min_replica", "min_replica_count", "minimum_replicas"],
  max: ["max_replicas", "max_replica", "max_replica_count", "maximum_replicas"],
} as const;

/** Whether the extra fields have a range in which an autoscaler can choose this number of replicas. */
export function mayScaleTo(extras: ExtraFields = {}, count?: number): count is number {
  for (const object of [extras, ...Object.values(extras).filter(isRecord)]) {
    const numbers = new Map(Object.entries(object).map(([name, value]) => [plainName(name), value]));
    const firstOf = (names: readonly string[]) =>
      names.map((name) => numbers.get(name)).find((value) => typeof value === "number");
    const min = firstOf(rangeNames.min);
    const max = firstOf(rangeNames.max);
    if (min !== undefined && max !== undefined) return count !== undefined && count >= min && count <= max;
  }
  return false;
}
