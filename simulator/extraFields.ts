import * as z from "zod";
import type { CreatedName } from "../provider/cluster/schema/fields";
import type { Dialect } from "./dialectOptions";
import { type MainField, stringLike, validate, wholeNumber } from "./fields";

/** Fields of a cluster besides the main ones, with names in camelCase. */
export type ExtraFields = Readonly<Record<string, unknown>>;

/**
 * The inputs of the package besides the five main fields. The compiler reports an input that a creation sends and that this
 * table lacks.
 */
const ownFields: Readonly<Record<Exclude<CreatedName, MainField | "extraFields">, z.ZodType>> = {
  registryCredentialId: stringLike(/./, "a string that is not empty").nullable(),
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

/** The names of the extra fields that an update can change. */
export const changedExtras: readonly string[] = [...Object.keys(ownFields), ...clientFields];

/** The names of the extra fields that a creation can have. */
export const extraFields: readonly string[] = ["gpusPerReplica", ...changedExtras];

const schema = z.looseObject({ ...ownFields, gpusPerReplica: wholeNumber(0) }).partial();

/** The extra fields among the fields of a request. */
export function parseExtras(fields: Record<string, unknown>, dialect: Dialect): ExtraFields {
  const sent = Object.entries(fields).filter(([name]) => extraFields.includes(name));
  return validate(schema, Object.fromEntries(sent), dialect);
}
