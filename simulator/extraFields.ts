import * as z from "zod";
// biome-ignore lint/style/noRestrictedImports: a type only, so that the compiler names a field that the simulator lacks
import type { CreatedName } from "../provider/cluster/model/fields";
import type { Dialect } from "./dialectOptions";
import { camelCased, checked, isRecord, type MainField, textLike, wholeNumber } from "./fields";

/** Extra fields of a cluster, by their names in camelCase. */
export type ExtraFields = Readonly<Record<string, unknown>>;

const flag = z.boolean("true or false");
const text = textLike(/./, "a string that is not empty");
const texts = z.array(z.string("a string"), "a list of strings");
const port = wholeNumber(1, 65_535);
const amount = wholeNumber(1);

const autoscaling = z.preprocess(
  (value) => (isRecord(value) ? camelCased(value) : value),
  z
    .strictObject(
      { minReplicas: amount, maxReplicas: amount, targetRequestsPerReplica: amount },
      "an object of minReplicas, maxReplicas and targetRequestsPerReplica",
    )
    .partial(),
);

/** An input of the package besides the five main fields: every service takes and shows it. */
interface OwnField {
  schema: z.ZodType;
  /** Whether only a creation may send it. */
  isFixed: boolean;
  /** The service's own choice if a request has no value. */
  chosen?: unknown;
}

/** The compiler asks for each input that a creation sends. */
const ownFields: Readonly<Record<Exclude<CreatedName, MainField | "extraFields">, OwnField>> = {
  registryCredentialId: { schema: text.nullable(), isFixed: false },
};
const own = new Map<string, OwnField>(Object.entries(ownFields));

/** The request fields besides the five of the specification. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries([...own].map(([name, { schema }]) => [name, schema])),
  gpusPerReplica: wholeNumber(0),
  resourceSize: text,
  tier: text,
  preferredRegions: texts,
  allowFallback: flag,
  containerPort: port,
  healthCheckEnabled: flag,
  healthCheckPath: text,
  healthCheckPort: port,
  diskSizeGb: amount,
  containerCommand: texts,
  cloudInitRuncmd: texts,
  autoscaling,
};
const schema = z.object(schemas).partial();

/** The names of the extra fields that requests may carry. */
export const extraFields: readonly string[] = Object.keys(schemas);

/** The names of those that an update may change. */
export const changedExtras: readonly string[] = extraFields.filter(
  (name) => name !== "gpusPerReplica" && !own.get(name)?.isFixed,
);

/** The extra fields among the fields of a request. */
export function extrasOf(fields: Record<string, unknown>, dialect: Dialect): ExtraFields {
  return checked(schema, fields, dialect);
}

/** The service's values for the own fields that a request omits: those of the cluster if they are fixed. */
export function omitted(extras: ExtraFields = {}): ExtraFields {
  return Object.fromEntries(
    [...own].map(([name, { isFixed, chosen }]) => [name, (isFixed ? extras[name] : undefined) ?? chosen]),
  );
}
