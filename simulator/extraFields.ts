import * as z from "zod";
import type { CreatedName } from "../provider/cluster/schema/fields";
import type { Dialect } from "./dialectOptions";
import { checked, type MainField, textLike, wholeNumber } from "./fields";

/** Extra fields of a cluster, by their names in camelCase. */
export type ExtraFields = Readonly<Record<string, unknown>>;

/**
 * The inputs of the package besides the five main fields: every service takes and shows them. The compiler asks for each input
 * that a creation sends.
 */
const ownFields: Readonly<Record<Exclude<CreatedName, MainField | "extraFields">, z.ZodType>> = {
  registryCredentialId: textLike(/./, "a string that is not empty").nullable(),
};

/** The request fields of the official client besides the five main fields. The simulator stores them unchecked. */
const clientFields = [
  "resourceSize",
  "tier",
  "preferredRegions",
  "allowFallback",
  "containerPort",
  "healthCheckEnabled",
  "healthCheckPath",
  "healthCheckPort",
  "diskSizeGb",
  "containerCommand",
  "cloudInitRuncmd",
  "autoscaling",
];

/** The names of the extra fields that an update may change. */
export const changedExtras: readonly string[] = [...Object.keys(ownFields), ...clientFields];

/** The names of the extra fields that requests may carry. */
export const extraFields: readonly string[] = ["gpusPerReplica", ...changedExtras];

const schema = z.looseObject({ ...ownFields, gpusPerReplica: wholeNumber(0) }).partial();

/** The extra fields among the fields of a request. */
export function extrasOf(fields: Record<string, unknown>, dialect: Dialect): ExtraFields {
  const sent = Object.entries(fields).filter(([name]) => extraFields.includes(name));
  return checked(schema, Object.fromEntries(sent), dialect);
}
