import { type Dialect, defaultPageSize, dialectOptions } from "./dialectOptions";
import { isRecord, isTextRecord } from "./fields";
import { furtherOptions, furtherValues } from "./furtherOptions";

interface Rule {
  accepts(value: unknown): boolean;
  words: string;
}

/** Options that accept more values than the covering dialects use. */
const freeRules: Readonly<Record<string, Rule>> = {
  injectedEnv: { accepts: isTextRecord, words: orElse(dialectOptions.injectedEnv, "object of strings") },
  descriptorPath: { accepts: isPath, words: orElse(dialectOptions.descriptorPath, 'path that begins with "/"') },
  pageSize: { accepts: isSize, words: orElse([defaultPageSize], "whole number of at least 1") },
};

const others = new Map<string, readonly unknown[]>(Object.entries(furtherValues));

const rules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    Object.entries<readonly unknown[]>({ ...dialectOptions, ...furtherOptions }).map(([option, values]) => {
      return [option, oneOf([...values, ...(others.get(option) ?? [])])];
    }),
  ),
  ...freeRules,
};

/** Parses untrusted options, such as JSON on the command line. @throws TypeError that names the wrong option. */
export function parseDialect(value: unknown): Partial<Dialect> {
  if (isChoice(value)) return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
  throw new TypeError(`Not a dialect: ${problemOf(value)}.`);
}

/** Each option with its allowed values, for people; the value of `plain` comes first. */
export function dialectLines(): string[] {
  const width = Math.max(...Object.keys(rules).map((option) => option.length));
  return Object.entries(rules).map(([option, { words }]) => `${option.padEnd(width)}  ${words}`);
}

function isChoice(value: unknown): value is Partial<Dialect> {
  return problemOf(value) === undefined;
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return "it must be an object";
  for (const [option, given] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (!rule) return `"${option}" is no option. Known: ${Object.keys(rules).join(", ")}`;
    if (given !== undefined && !rule.accepts(given)) {
      return `${option} must be ${rule.words}, got ${JSON.stringify(given)}`;
    }
  }
  return undefined;
}

function oneOf(values: readonly unknown[]): Rule {
  return { accepts: (value) => values.includes(value), words: wordsOf(values) };
}

function orElse(values: readonly unknown[], kind: string): string {
  return `${wordsOf(values)}, or another ${kind}`;
}

function wordsOf(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" | ");
}

function isSize(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function isPath(value: unknown): boolean {
  return typeof value === "string" && /^\/[^?#\s]*$/.test(value);
}
