import { ApiError } from "./answer";

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

/** A refusal of a body. */
export function invalid(message: string): ApiError {
  return new ApiError(400, "invalid_request", message);
}

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
