import { type Dialect, dialectOptions } from "./dialectOptions";
import { isRecord } from "./fields";

const options = new Map<string, readonly unknown[]>(Object.entries(dialectOptions));

// Each option has a value of its own list.
const plain = Object.fromEntries([...options].map(([option, [first]]) => [option, first])) as Dialect;

const published = { ...plain, uniqueNames: true, catalog: "published" } as const;

/**
 * Whole dialects, by name. `terse` says as little as it can, `careful` is as strict as it can be. `documented` and `client`
 * are the service of its public documents: the specification, taken literally; and the form that the official Python client
 * (`vectorlay` 0.1.0) sends and reads.
 */
export const dialects = {
  plain,
  terse: {
    ...plain,
    listShape: "bare",
    containerEcho: "none",
    envEcho: "none",
    updateRollsOut: false,
    actionAnswer: "empty",
    uniqueNames: true,
  },
  careful: {
    ...plain,
    paging: "cursor",
    envEcho: "masked",
    updateMethod: "PUT",
    updateSemantics: "replace",
    tombstone: "listed",
    busyWhen: "changing",
  },
  documented: { ...published, listShape: "bare" },
  client: {
    ...published,
    listShape: "data",
    recordShape: "data",
    errorShape: "typed",
    tombstone: "readable",
    form: "client",
    requestNames: "client",
    updateMethod: "none",
    unknownFields: "ignored",
  },
} satisfies Record<string, Dialect>;

const named = new Map<string, Dialect>(Object.entries(dialects));

/** The names of all dialects, for messages. */
export const dialectNames = [...named.keys()].join(", ");

/** The dialect for a name, or for a few options on top of `plain`. */
export function resolveDialect(choice: string | Partial<Dialect> = "plain"): Dialect {
  if (typeof choice !== "string") return { ...plain, ...parseDialect(choice) };
  const found = named.get(choice);
  if (found) return found;
  throw new RangeError(`Unknown dialect "${choice}". Known: ${dialectNames}.`);
}

/** Parses untrusted options, such as JSON on the command line. @throws TypeError that names the wrong option. */
export function parseDialect(value: unknown): Partial<Dialect> {
  if (!isRecord(value)) throw new TypeError("Not a dialect: it must be an object.");
  const given = Object.entries(value).filter(([, chosen]) => chosen !== undefined);
  for (const [option, chosen] of given) {
    const known = [...options.keys()];
    if (!options.has(option)) {
      throw new TypeError(`Not a dialect: "${option}" is no option. Known: ${known.join(", ")}.`);
    }
    if (!isValue(option, chosen)) {
      throw new TypeError(`Not a dialect: ${option} must be ${wordsOf(option)}, got ${JSON.stringify(chosen)}.`);
    }
  }
  return Object.fromEntries(given);
}

/** The service may add any variables; every other option has the values of its list. */
function isValue(option: string, chosen: unknown): boolean {
  if (option !== "injectedEnv") return options.get(option)?.includes(chosen) === true;
  return isRecord(chosen) && Object.values(chosen).every((variable) => typeof variable === "string");
}

/** Each option with its allowed values, for people; the value of `plain` comes first. */
export function dialectLines(): string[] {
  const width = Math.max(...[...options.keys()].map((option) => option.length));
  return [...options.keys()].map((option) => `${option.padEnd(width)}  ${wordsOf(option)}`);
}

function wordsOf(option: string): string {
  const words = options.get(option)?.map((value) => (typeof value === "string" ? value : JSON.stringify(value))) ?? [];
  return [...words, ...(option === "injectedEnv" ? ["another object of strings"] : [])].join(" | ");
}
