import type { Dialect, PerValue } from "./dialectOptions";
import { isRecord } from "./fields";

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
export function requestNames(field: string, dialect: Dialect): readonly string[] {
  return vocabularies[dialect.requestNames](namesOf(field));
}

/** The name of a missing field in messages. */
export function nameOf(field: string, dialect: Dialect): string {
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
  neither: ([specification, client]) => (specification === client ? [client] : []),
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
