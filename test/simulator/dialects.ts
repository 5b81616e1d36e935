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

/** The service as its public documents have it, by the kind of document; see publishedDialects.ts. */
export const publishedDialects = publishedDialectsOn(plain);

/**
 * Whole sets of answers, by name. Together they hold every pair of values of every two options, so a client that gets
 * along with each of them has met each value in the company of each other one.
 */
export const dialects: Readonly<Record<string, Dialect>> = {
  plain,
  terse,
  ...Object.fromEntries(mixes.map((dialect, index) => [`mix-${index + 1}`, dialect])),
  documented: publishedDialects.documented,
};

const named: Readonly<Record<string, Dialect>> = { ...dialects, ...publishedDialects };

/** The names for people. */
export const dialectNames = `plain, terse, mix-1 to mix-${mixes.length}, ${Object.keys(publishedDialects).join(", ")}`;

/** The dialect that a name, or a few options on top of `plain`, stands for. */
export function resolveDialect(choice: string | Partial<Dialect> = "plain"): Dialect {
  if (typeof choice !== "string") return { ...plain, ...parseDialect(choice) };
  const found = Object.hasOwn(named, choice) ? named[choice] : undefined;
  if (found) return found;
  throw new RangeError(`Unknown dialect "${choice}". Known: ${dialectNames}.`);
}

function dialectOf(row: Row): Dialect {
  const chosen = options.map(([option, values], index) => [option, values[row[index] ?? 0]]);
  const further = Object.entries(furtherOptions).map(([option, [first]]) => [option, first]);
  return { ...Object.fromEntries([...chosen, ...further]), pageSize: defaultPageSize } as Dialect; // each option has a value out of its own list
}

function rowOf(dialect: Dialect): Row {
  const chosen = new Map(Object.entries(dialect));
  return options.map(([option, values]) => values.indexOf(chosen.get(option)));
}

/** A row that an option is new to has its first value. */
function tunedRows(): Row[] {
  const [first = ""] = Object.values(tunedMixes);
  return [...first].map((_, mix) => options.map(([option]) => Number(tunedMixes[option]?.[mix] ?? 0)));
}
