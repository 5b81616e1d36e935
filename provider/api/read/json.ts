/**
 * Reading JSON whose exact form is not known: a property by its name in any spelling, a value by what kind of thing it is.
 * Nothing here knows what the values are about.
 */

/** An answer that is JSON, but not what was asked for. The message never quotes a value. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}

const plainForm = /^[a-z0-9]+(_[a-z0-9]+)*$/;

/** The spelling in which names are compared: `gpuType`, `GPU-Type` and `gpu type` are `gpu_type`. */
export function plainName(name: string): string {
  // Most are: lists of hundreds of records are read each second.
  if (plainForm.test(name)) return name;
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy that can be kept; empty for what is no object. */
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

  /** What the first of the names holds that can be read; the most specific name comes first. */
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

/** The object itself, then the objects inside it, nearest to the top first; a list of one counts as what it holds. */
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

/** Whether a value says anything: not nothing, no, none or empty. */
export function isSaid(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** Leaves out what is undefined. */
export function defined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
