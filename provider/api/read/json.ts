import { isRecord } from "../../core";
import { plainName } from "../names";
/**
 * Reads JSON of unknown form: a property by its name in any spelling, a value by its kind. The meaning of the values is
 * unknown in this file.
 */

/** An answer that is JSON, but not the expected kind. The message never quotes a value. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}

/** A copy of an object; empty for any other value. */
export function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? { ...value } : {};
}

/** The properties of an object by their plain names; null counts as absent. */
export class Fields {
  readonly #values = new Map<string, unknown>();

  constructor(json: unknown) {
    for (const [name, value] of Object.entries(isRecord(json) ? json : {})) {
      const plain = plainName(name);
      if (value !== null && !this.#values.has(plain)) this.#values.set(plain, value);
    }
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  /** The value of the first name that can be read. The most specific name comes first. */
  first<T>(names: readonly string[], read: (value: unknown) => T | undefined): T | undefined {
    for (const name of names) {
      const held = this.get(name);
      const value = held === undefined ? undefined : read(held);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A text or a whole number, which some services use for ids. */
export function asName(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : asText(value);
}

export function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A whole number that is not negative. */
export function asCount(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const flagWords = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

export function asFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return typeof value === "string" ? flagWords.get(value.trim().toLowerCase()) : undefined;
}

/** The object itself, then the objects inside it, outermost first. A list of one item counts as that item. */
export function objectsIn(json: unknown, depth: number, skip: ReadonlySet<string>): Record<string, unknown>[] {
  const levels = [[json].map(theOnly).filter(isRecord)];
  for (let level = 0; level < depth; level += 1) {
    const outer = levels[level] ?? [];
    const inner = outer.flatMap((object) => {
      const names = Object.keys(object).filter((name) => typeof object[name] === "object");
      return names.filter((name) => !skip.has(plainName(name))).map((name) => theOnly(object[name]));
    });
    levels.push(inner.filter(isRecord));
  }
  return levels.flat();
}

function theOnly(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Whether a value says anything: not null, false, 0 or empty. */
export function isSaid(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** Leaves out undefined properties. */
export function defined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
