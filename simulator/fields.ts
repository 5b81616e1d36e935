import { invalid } from "./answers";
import type { Dialect, PerValue } from "./dialectOptions";

/** One field with its name and value in the request. */
interface Sent {
  name: string;
  value: unknown;
}

/** The fields of a request body, by names that do not depend on the vocabulary of the request. */
export interface Fields {
  sent: ReadonlyMap<string, Sent>;
  /** The name of a missing field in messages. */
  nameOf(field: string): string;
}

/** Reads a body. Refuses or ignores fields that are not `known`, as the dialect says. */
export function fieldsOf(body: unknown, known: readonly string[], dialect: Dialect): Fields {
  if (!isRecord(body)) throw invalid("The body must be a JSON object.");
  const fields = new Map(known.flatMap((field) => requestNames(field, dialect).map((name) => [name, field])));
  const sent = new Map<string, Sent>();
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    const other = field === undefined ? undefined : sent.get(field);
    if (other) throw invalid(`The fields "${other.name}" and "${name}" say the same.`);
    if (field !== undefined) sent.set(field, { name, value });
    else if (dialect.unknownFields === "refused") {
      throw invalid(`Unknown field "${name}". Known here: ${[...fields.keys()].join(", ")}.`);
    }
  }
  return { sent, nameOf: (field) => nameOf(field, dialect) };
}

/** Reads a required field. */
export function required<T>(fields: Fields, field: string, parse: Parser<T>): T {
  const sent = fields.sent.get(field);
  if (!sent) throw invalid(`The field "${fields.nameOf(field)}" is missing.`);
  return parse(sent.value, sent.name);
}

/** Reads an optional field. An explicit null is refused like any other wrong value. */
export function optional<T>({ sent }: Fields, field: string, parse: Parser<T>): T | undefined {
  const found = sent.get(field);
  return found && parse(found.value, found.name);
}

/** The name of a field in the specification, and its name in the official client. */
type Names = readonly [specification: string, client: string];

const mainNames = {
  name: ["name", "name"],
  gpuType: ["gpu_type", "gpuModelId"],
  replicas: ["replicas", "replicaCount"],
  container: ["container", "imageUrl"],
  env: ["env", "envVars"],
} as const;

/** A request field that every service accepts. */
export type MainField = keyof typeof mainNames;

const main = new Map<string, Names>(Object.entries(mainNames));

/** The accepted names of a request field: one of the five fields, or an extra field, by its name in camelCase. */
function requestNames(field: string, dialect: Dialect): readonly string[] {
  return vocabularies[dialect.requestNames](namesOf(field));
}

/** The name of a missing field in messages. */
function nameOf(field: string, dialect: Dialect): string {
  const [name = namesOf(field)[0]] = requestNames(field, dialect);
  return name;
}

function namesOf(field: string): Names {
  return main.get(field) ?? [snakeCase(field), field];
}

const vocabularies: PerValue<"requestNames", (names: Names) => readonly string[]> = {
  specification: ([specification]) => [specification],
  client: ([, client]) => [client],
  both: (names) => [...new Set(names)],
};

/** Extra fields as an answer in the specification's style shows them. */
export function snakeCased(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => {
    return [snakeCase(name), isRecord(value) ? snakeCased(value) : value];
  });
  return Object.fromEntries(entries);
}

/** A record with names in either style, converted to camelCase. */
export function camelCased(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** Reads one value or throws a refusal that names the field. */
export type Parser<T> = (value: unknown, field: string) => T;

/** Returns each accepted value unchanged; `what` describes the accepted values. */
export function parsedBy(accepts: (value: unknown) => boolean, what: string): Parser<unknown> {
  return (value, field) => {
    if (accepts(value)) return value;
    throw invalid(`The field "${field}" must be ${what}.`);
  };
}

// The endpoint's host label is <name>-<8 characters>, and a label has at most 63.
/** A cluster name. */
export const clusterName = text(/^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$/, "a DNS label of at most 54 characters");

/** A GPU type identifier. */
export const gpuTypeName = text(/^\S+$/, "a GPU type");

// The specification's form has a repository and a tag. Registries also have images without a repository, and a digest is
// more exact than a tag. Without a tag or a digest, the running image would be unknown.
/** A container image reference. */
export const imageReference = text(
  /^([^\s/@]+\/)*[^\s/@:]+(:[^\s/@:]+(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$/,
  "<repository>/<image>:<tag>",
);

/** A number of replicas. */
export const replicaCount: Parser<number> = (value, field) => {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw invalid(`The field "${field}" must be a whole number of at least 1.`);
};

/** Environment variables. */
export const environment = entriesOf((entry): entry is string => typeof entry === "string", "a string");

/** Changes of environment variables: a null removes one. */
export const environmentChanges = entriesOf(
  (entry): entry is string | null => typeof entry === "string" || entry === null,
  "a string or null",
);

/** A plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A plain object of strings. */
export function isTextRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === "string");
}

function entriesOf<T>(accepts: (entry: unknown) => entry is T, what: string): Parser<Record<string, T>> {
  return (value, field) => {
    if (!isRecord(value)) throw invalid(`The field "${field}" must be an object of strings.`);
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => {
        if (accepts(entry)) return [key, entry];
        throw invalid(`The field "${field}.${key}" must be ${what}.`);
      }),
    );
  };
}

function text(pattern: RegExp, what: string): Parser<string> {
  return (value, field) => {
    if (typeof value === "string" && pattern.test(value)) return value;
    throw invalid(`The field "${field}" must be a string: ${what}.`);
  };
}
