// biome-ignore lint/style/noRestrictedImports: a type only, so that the compiler names a field that the simulator lacks
import type { CreatedName } from "../provider/cluster/model/fields";
import { invalid } from "./answers";
import type { PerValue } from "./dialectOptions";
import { camelCased, isRecord, type MainField, type Parser, parsedBy } from "./fields";

/** Extra fields of a cluster, by their names in camelCase. */
export type ExtraFields = Readonly<Record<string, unknown>>;

const flag = parsedBy((value) => typeof value === "boolean", "true or false");
const text = parsedBy((value) => typeof value === "string" && value !== "", "a string that is not empty");
const texts = parsedBy(
  (value) => Array.isArray(value) && value.every((entry) => typeof entry === "string"),
  "a list of strings",
);
const port = parsedBy((value) => isWhole(value) && value >= 1 && value <= 65_535, "a port");
const amount = parsedBy((value) => isWhole(value) && value >= 1, "a whole number of at least 1");
const count = parsedBy((value) => isWhole(value) && value >= 0, "a whole number of at least 0");

const bounds = ["minReplicas", "maxReplicas", "targetRequestsPerReplica"];

const autoscaling: Parser<unknown> = (value, field) => {
  if (!isRecord(value)) throw invalid(`The field "${field}" must be an object.`);
  const fields = camelCased(value);
  for (const [name, entry] of Object.entries(fields)) {
    if (!bounds.includes(name)) throw invalid(`Unknown field "${field}.${name}". Known here: ${bounds.join(", ")}.`);
    amount(entry, `${field}.${name}`);
  }
  return fields;
};

/** An input of the package besides the five main fields: every service takes and shows it. */
interface OwnField {
  parse: Parser<unknown>;
  /** Whether only a creation may send it. */
  isFixed: boolean;
  /** The service's own choice if a request has no value. */
  chosen?: unknown;
}

/** The compiler asks for each input that a creation sends. */
const ownFields: Readonly<Record<Exclude<CreatedName, MainField | "extraFields">, OwnField>> = {};
const own = new Map<string, OwnField>(Object.entries(ownFields));

/** Parsers of the request fields besides the five of the specification. */
const extraParsers: Readonly<Record<string, Parser<unknown>>> = {
  gpusPerReplica: count,
  resourceSize: parsedBy((value) => ["small", "medium", "large", "xl"].some((size) => size === value), "a size"),
  tier: parsedBy((value) => value === "community" || value === "verified", "community or verified"),
  preferredRegions: texts,
  allowFallback: flag,
  containerPort: port,
  healthCheckEnabled: flag,
  healthCheckPath: text,
  healthCheckPort: port,
  diskSizeGb: amount,
  containerCommand: texts,
  cloudInitRuncmd: texts,
  registryCredentialId: text,
  autoscaling,
};

/** The extra fields that requests may carry. */
export const extraFields: PerValue<"extraFields", readonly string[]> = {
  unknown: [...own.keys()],
  stored: [...own.keys(), ...Object.keys(extraParsers)],
};

/** Reads one extra field. */
export function parseExtra(extra: string, value: unknown, name: string): unknown {
  return (own.get(extra)?.parse ?? extraParsers[extra])?.(value, name);
}

/** Whether only a creation may send an extra field. */
export function isFixed(extra: string): boolean {
  return extra === "gpusPerReplica" || own.get(extra)?.isFixed === true;
}

/** The service's values for the own fields that a request omits: those of the cluster if they are fixed. */
export function omitted(extras: ExtraFields = {}): ExtraFields {
  return Object.fromEntries(
    [...own].map(([name, { isFixed, chosen }]) => [name, (isFixed ? extras[name] : undefined) ?? chosen]),
  );
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}
