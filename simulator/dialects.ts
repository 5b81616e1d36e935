import { coveringRows, type Row, tunedMixes } from "./coveringDialects";
import { type Dialect, defaultPageSize, dialectOptions, furtherOptions, furtherValues } from "./dialectOptions";
import { isRecord, isTextRecord } from "./fields";

const options = Object.entries<readonly unknown[]>(dialectOptions);

const plain = dialectOf(options.map(() => 0));

const terse: Dialect = {
  ...plain,
  listShape: "bare",
  containerEcho: "none",
  envEcho: "none",
  updateRollsOut: false,
  envRequired: true,
  statusShape: "bare",
  gpuListShape: "bare",
  stockForm: "count",
  deleteAnswer: "empty-204",
  actionAnswer: "empty-202",
  uniqueNames: true,
};

const mixes = coveringRows(
  options.map(([, values]) => values.length),
  [...[plain, terse].map(rowOf), ...tunedRows()],
)
  .slice(2)
  .map(dialectOf);

const published = { ...plain, uniqueNames: true, catalog: "published", extraFields: "stored" } as const;

/**
 * The service of its public documents. `documented`: the specification, taken literally. `client`: the form that the
 * official Python client (`vectorlay` 0.1.0) sends and reads.
 */
export const publishedDialects = {
  documented: { ...published, listShape: "bare", gpuListShape: "bare" },
  client: {
    ...published,
    listShape: "data",
    recordShape: "data",
    errorShape: "typed",
    tombstone: "readable",
    records: "client",
    ids: "uuids",
    requestNames: "client",
    unknownFields: "ignored",
    endpoints: "described",
    gpus: "client",
  },
} satisfies Record<string, Dialect>;

/**
 * Whole dialects, by name. Together they contain every pair of values of every two options: a client that works with each
 * dialect has met each value together with each other value.
 */
export const dialects: Readonly<Record<string, Dialect>> = {
  plain,
  terse,
  ...Object.fromEntries(mixes.map((dialect, index) => [`mix-${index + 1}`, dialect])),
  documented: publishedDialects.documented,
};

const named: Readonly<Record<string, Dialect>> = { ...dialects, ...publishedDialects };

/** The names of all dialects, for messages. */
export const dialectNames = `plain, terse, mix-1 to mix-${mixes.length}, ${Object.keys(publishedDialects).join(", ")}`;

/** The dialect for a name, or for a few options on top of `plain`. */
export function resolveDialect(choice: string | Partial<Dialect> = "plain"): Dialect {
  if (typeof choice !== "string") return { ...plain, ...parseDialect(choice) };
  const found = Object.hasOwn(named, choice) ? named[choice] : undefined;
  if (found) return found;
  throw new RangeError(`Unknown dialect "${choice}". Known: ${dialectNames}.`);
}

function dialectOf(row: Row): Dialect {
  const chosen = options.map(([option, values], index) => [option, values[row[index] ?? 0]]);
  const further = Object.entries(furtherOptions).map(([option, [first]]) => [option, first]);
  return { ...Object.fromEntries([...chosen, ...further]), pageSize: defaultPageSize } as Dialect; // each option has a value of its own list
}

function rowOf(dialect: Dialect): Row {
  const chosen = new Map(Object.entries(dialect));
  return options.map(([option, values]) => values.indexOf(chosen.get(option)));
}

/** The tuned mixes as rows. If a row has no value for a new option, it gets the option's first value. */
function tunedRows(): Row[] {
  const [first = ""] = Object.values(tunedMixes);
  return [...first].map((_, mix) => options.map(([option]) => Number(tunedMixes[option]?.[mix] ?? 0)));
}

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
