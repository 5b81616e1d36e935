import { isRecord, type Properties, UNKNOWN } from "../../core";
import { asSecret, mark, secretMark } from "../engine";

/** Values with the engine's marks: secrets, and outputs, which name the resources that they come from. */

const outputMark = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** The plain value of a marked one; any other value unchanged. An output without a value is unknown. */
export function revealed(value: unknown): unknown {
  if (!isRecord(value)) return value;
  if (value[mark] === secretMark) return value["value"];
  return value[mark] === outputMark ? (value["value"] ?? UNKNOWN) : value;
}

/** Whether a value is marked as a secret, or contains one. */
export function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isSecret = Reflect.get(value, mark) === secretMark || (isOutput(value) && value["secret"] === true);
  return isSecret || Object.values(value).some(hasSecret);
}

/** URNs of the resources that a value comes from. */
export function dependenciesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = isOutput(value) && Array.isArray(value["dependencies"]) ? value["dependencies"] : [];
  return [...own, ...Object.values(value).flatMap(dependenciesIn)];
}

/** The fields of an object; `undefined` for any other value. If the whole object is marked, each field gets its marks. */
export function fieldsOf(value: unknown): Properties | undefined {
  if (!isRecord(value) || value[mark] === undefined) return isRecord(value) ? value : undefined;
  const { value: inside, ...marks } = value;
  const fields = fieldsOf(inside);
  return (
    fields && Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...marks, value: field }]))
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

function isOutput(value: object): value is Properties {
  return Reflect.get(value, mark) === outputMark;
}
