import { inspect } from "node:util";

/** Texts: those from the API made safe to print, small parts of our own, and a secret, which shows in no text. */

// Control characters (escape among them), invisible and bidirectional format characters, separators that break lines.
const control = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const controls = new RegExp(control, "gu");

/** Strips terminal sequences and control characters; a line break becomes a space; cut at `max` characters. */
export function cleanText(text: string, max = 500): string {
  return cut(cleanWholeText(text), max);
}

/** As `cleanText`, but not cut, for a caller that searches the whole text. Lone surrogates are replaced: gRPC refuses them. */
export function cleanWholeText(text: string): string {
  if (!control.test(text)) return text.trim().toWellFormed();
  return withoutSequences(text)
    .replace(/[\r\n\t]+/g, " ")
    .replace(controls, "")
    .trim()
    .toWellFormed();
}

export function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
}

/** The resource's own name; empty if the engine has not sent the URN. */
export function resourceNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

const longestText = 8_192;

export interface Cleaning {
  /** Hides secrets in every text. */
  readonly hide?: (text: string) => string;
  /** Whether the values under a property keep every byte. The names inside them are cleaned all the same. */
  readonly keeps?: (name: string) => boolean;
}

/**
 * Cleans every text of a JSON value, the names of properties too. Works in place if no name changes.
 * @throws NestingError
 */
export function cleanJson(value: unknown, { hide = (text) => text, keeps = () => false }: Cleaning = {}): unknown {
  const clean = (text: string) => cut(hide(cleanWholeText(text)), longestText);
  return cleanValue(value, { clean, keeps });
}

/** JSON that is nested deeper than any record of a cluster: a recursive function would run out of stack. */
export class NestingError extends Error {
  override readonly name = "NestingError";
}

/** The largest depth of an answer. */
const mostLevels = 100;

function cleanValue(
  value: unknown,
  cleaner: { readonly clean: (text: string) => string; readonly keeps: (name: string) => boolean },
  isKept = false,
  level = 0,
): unknown {
  const { clean, keeps } = cleaner;
  if (typeof value === "string") return isKept ? value : clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (level >= mostLevels) throw new NestingError(`it is nested more than ${mostLevels} levels deep`);
  // Lists of hundreds of records are read each second, so unchanged values are not copied.
  for (const name of Object.keys(value)) {
    const item: unknown = Reflect.get(value, name);
    const cleaned = cleanValue(item, cleaner, isKept || keeps(name), level + 1);
    if (cleaned !== item) Reflect.set(value, name, cleaned);
  }
  if (Array.isArray(value) || Object.keys(value).every((name) => clean(name) === name)) return value;
  return withCleanNames(Object.entries(value), clean);
}

/** An object of these entries, with clean names. If two names become equal, the one that was clean before keeps its value. */
export function withCleanNames<T>(
  entries: readonly (readonly [name: string, item: T])[],
  clean: (name: string) => string,
): Record<string, T> {
  const isClean = ([name]: readonly [string, T]) => clean(name) === name;
  const others = entries.filter((entry) => !isClean(entry)).map(([name, item]) => [clean(name), item] as const);
  return Object.fromEntries([...others, ...entries.filter(isClean)]);
}

/** Removes escape sequences of terminals (ECMA-48): foreign texts must not control the terminal that prints them. */

/**
 * No alternative ever backtracks: no class contains a character that may follow it, and the end of a sequence may be
 * missing. The body of a string ends before the next introducer, so that each character is read twice at most.
 */
const sequences = new RegExp(
  [
    // OSC, DCS, SOS, PM and APC: a string up to its end; without an end, only its introducer.
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])(?:[^\\u0007\\u001b\\u0080-\\u009f\\r\\n]*(?:\\u0007|\\u001b\\\\|\\u009c))?",
    // CSI: parameters, intermediates and a final character.
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
    // Any other escape: intermediates and a final character.
    "\\u001b[ -/]*[0-~]?",
  ].join("|"),
  "g",
);

/** A text without sequences, in linear time; other control characters stay. */
export function withoutSequences(text: string): string {
  return text.replace(sequences, "");
}

/** Keeps a value out of every log, error and inspection; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

/** A shorter key could not be distinguished from an ordinary word, and no service makes such a key. */
export const shortestKey = 4;
