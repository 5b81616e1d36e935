import { cleanText, cut, plainName } from "../../base/text";
import { isRecord } from "../../contract";

export type Raw = Readonly<Record<string, unknown>>;

/** An answer that is JSON, but not the requested record or list. The message never quotes a value. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}

/** The answer to a read by id holds no record: the service has no such thing, like a 404. */
export class NoRecordError extends UnreadableError {}

const maxStringLength = 8_192;
/** More levels than any record has. Without a limit, a recursive function would run out of stack. */
const maxLevels = 100;

/**
 * A JSON value with every string cleaned, including the names of properties.
 * @param keeps Whether the value of a property stays byte for byte.
 * @throws UnreadableError
 */
export function cleanJson(
  value: unknown,
  hide = (text: string) => text,
  keeps = (_name: string) => false,
  level = 0,
): unknown {
  const clean = (text: string) => cut(hide(cleanText(text, Number.POSITIVE_INFINITY)), maxStringLength);
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (level >= maxLevels) throw new UnreadableError(`it is nested more than ${maxLevels} levels deep`);
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, hide, keeps, level + 1));
  const entries = Object.entries(value).map(
    ([name, item]) => [name, keeps(name) ? item : cleanJson(item, hide, keeps, level + 1)] as const,
  );
  return withCleanNames(entries, clean);
}

/** An object of these entries, with clean names. If two names become equal, the name that was clean before keeps its value. */
function withCleanNames<T>(
  entries: readonly (readonly [name: string, item: T])[],
  clean: (name: string) => string,
): Record<string, T> {
  const isClean = ([name]: readonly [string, T]) => clean(name) === name;
  const others = entries.filter((entry) => !isClean(entry)).map(([name, item]) => [clean(name), item] as const);
  return Object.fromEntries([...others, ...entries.filter(isClean)]);
}

export type Kind<T> = (value: unknown) => T | undefined;

/** The kind of each field, and its names by `plainName`, the preferred one first. */
export type Table = Readonly<Record<string, readonly [kind: Kind<unknown>, ...names: readonly string[]]>>;

export type FieldsOf<T extends Table> = { [Name in keyof T]?: T[Name][0] extends Kind<infer V> ? V : never };

/** The properties of objects by plain name. null means absent; earlier objects take precedence. */
export class Fields {
  readonly #values = new Map<string, unknown>();

  constructor(...objects: readonly unknown[]) {
    for (const object of objects.filter(isRecord))
      for (const [name, value] of Object.entries(object)) {
        const plain = plainName(name);
        if (value !== null && !this.#values.has(plain)) this.#values.set(plain, value);
      }
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  entries(): [plain: string, value: unknown][] {
    return [...this.#values];
  }

  has(names: readonly string[]): boolean {
    return names.some((name) => this.#values.has(name));
  }

  first<T>(names: readonly string[], kind: Kind<T>): T | undefined {
    for (const name of names) {
      const value = kind(this.#values.get(name));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  read<T extends Table>(table: T): FieldsOf<T> {
    const found = Object.entries(table).map(([field, [kind, ...names]]) => [field, this.first(names, kind)] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as FieldsOf<T>;
  }
}

export const text: Kind<string> = (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined);

/** A string, or a whole number, which some services use for ids. */
export const label: Kind<string> = (value) => (Number.isSafeInteger(value) ? String(value) : text(value));

export const object: Kind<Record<string, unknown>> = (value) => (isRecord(value) ? value : undefined);

/** A number, or a string with one, even with a dollar sign. */
export const number: Kind<number> = (value) => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value.replace(/^\s*\$/, "")) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
};

export const count: Kind<number> = (value) => {
  const read = number(value);
  return read !== undefined && Number.isSafeInteger(read) && read >= 0 ? read : undefined;
};

export const flag: Kind<boolean> = (value) => {
  if (typeof value === "boolean") return value;
  const word = text(value)?.trim().toLowerCase();
  return word === "true" || word === "false" ? word === "true" : undefined;
};

/** A value, or the value in an object under one of the names. */
export function inner<T>(kind: Kind<T>, ...names: readonly string[]): Kind<T> {
  return (value) => (isRecord(value) ? new Fields(value).first(names, kind) : kind(value));
}

const maxVariableName = 1_024;

/** Variables by name; null for a hidden value. Names are cleaned for previews, values keep every byte. */
export const variables: Kind<Record<string, string | null>> = (value) => {
  if (!isRecord(value) || Object.values(value).some((item) => typeof item === "object" && item !== null))
    return undefined;
  const entries = Object.entries(value).map(([name, item]) => [name, item === null ? null : String(item)] as const);
  return withCleanNames(entries, (name) => cleanText(name, maxVariableName));
};

export function defined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}

export const words = (list: string) => list.split(" ");
