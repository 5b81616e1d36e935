import { isRecord, type Properties } from "../contract";
import { asSecret, mark, secretMark } from "./engine";

/** Values with the engine's marks of secrets. */

/** The plain value of a marked one; any other value unchanged. */
export function revealed(value: unknown): unknown {
  return isRecord(value) && value[mark] === secretMark ? value["value"] : value;
}

/** Whether a value is marked as a secret, or contains one. */
function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Reflect.get(value, mark) === secretMark || Object.values(value).some(hasSecret);
}

/** The paths of the marked values in properties: what the program marks as secret. */
export function markedPaths(properties: Properties): string[] {
  return [...new Set(Object.entries(properties).flatMap(([name, value]) => markedIn(value, name)))];
}

/** The path of a value in a list is that of the list. */
function markedIn(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Reflect.get(value, mark) === secretMark) return [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    markedIn(inner, Array.isArray(value) ? path : `${path}.${name}`),
  );
}

/**
 * Marks each value as a secret whose namesake in the given values contains one. The engine does the same for plugins that
 * accept no marks.
 */
export function withSecretsOf(properties: Properties, given: Properties): Properties {
  const entries = Object.entries(properties).map(([name, value]) => [name, markedLike(value, given[name])]);
  return Object.fromEntries(entries);
}

function markedLike(value: unknown, given: unknown): unknown {
  if (value === undefined || !hasSecret(given)) return value;
  if (isPlainObject(value) && isPlainObject(given)) return withSecretsOf(value, given);
  return isRecord(value) && value[mark] === secretMark ? value : asSecret(value);
}

function isPlainObject(value: unknown): value is Properties {
  return isRecord(value) && value[mark] === undefined;
}
