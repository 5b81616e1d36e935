import * as z from "zod";
import { invalid } from "./answers";
import type { Dialect } from "./dialectOptions";

/** The names of the main fields in the two vocabularies. */
const mainNames = {
  specification: { name: "name", gpuType: "gpu_type", replicas: "replicas", container: "container", env: "env" },
  client: { name: "name", gpuType: "gpuModelId", replicas: "replicaCount", container: "imageUrl", env: "envVars" },
};

/** A field that every service accepts in requests. */
export type MainField = keyof (typeof mainNames)["specification"];

export const mainFields: readonly string[] = Object.keys(mainNames.specification);

/** The name of a main or an extra field in requests. */
function requestName(field: string, { requestNames }: Dialect): string {
  const main = new Map<string, string>(Object.entries(mainNames[requestNames]));
  return main.get(field) ?? (requestNames === "client" ? field : snakeCase(field));
}

/** The fields of a request body by their names in this package. The dialect refuses or ignores unknown fields. */
export function parseFields(body: unknown, known: readonly string[], dialect: Dialect): Record<string, unknown> {
  if (!isRecord(body)) throw invalid("The body must be a JSON object.");
  const fields = new Map(known.map((field) => [requestName(field, dialect), field]));
  const unknown = Object.keys(body).find((name) => !fields.has(name));
  if (unknown !== undefined && dialect.unknownFields === "refused") {
    throw invalid(`Unknown field "${unknown}". Known here: ${[...fields.keys()].join(", ")}.`);
  }
  const sent = [...fields].filter(([name]) => Object.hasOwn(body, name));
  return Object.fromEntries(sent.map(([name, field]) => [field, body[name]]));
}

/** Checks the values of fields. A message of the schema completes "The field ... must be". */
export function validate<T>(schema: z.ZodType<T>, fields: Record<string, unknown>, dialect: Dialect): T {
  const { data, error } = schema.safeParse(fields);
  if (!error) return data;
  const [{ path, message } = { path: [], message: "" }] = error.issues;
  const [field = "", ...inner] = path.map(String);
  const name = [requestName(field, dialect), ...inner].join(".");
  throw invalid(
    Object.hasOwn(fields, field) ? `The field "${name}" must be ${message}.` : `The field "${name}" is missing.`,
  );
}

/** Extra fields with the names that the specification's style has in answers. */
export function withSnakeCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A schema of whole numbers. */
export function wholeNumber(min: number): z.ZodType<number> {
  const message = `a whole number of at least ${min}`;
  return z.int(message).min(min, message);
}

/** A schema of strings that match a pattern. */
export function stringLike(pattern: RegExp, message: string): z.ZodType<string> {
  return z.string(message).regex(pattern, message);
}
