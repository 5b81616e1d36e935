import { coveringRows, type Row } from "./coveringDialects";
import { type Dialect, defaultPageSize, dialectOptions } from "./dialectOptions";
import { furtherOptions } from "./furtherOptions";
import { parseDialect } from "./parseDialect";
import { publishedDialectsOn } from "./publishedDialects";
import { tunedMixes } from "./tunedMixes";

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

/** The service of its public documents, by the kind of document; see publishedDialects.ts. */
export const publishedDialects = publishedDialectsOn(plain);

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
