import { type Dialect, dialectOptions } from "./dialectOptions";
import { isRecord } from "./fields";

const options = new Map<string, readonly unknown[]>(Object.entries(dialectOptions));

// Each option has a value of its own list.
const plain = Object.fromEntries([...options].map(([option, [first]]) => [option, first])) as Dialect;

const published = { ...plain, uniqueNames: true, catalog: "published" } as const;

/** Whole services, by name. */
export const dialects = {
  plain,
  minimal: {
    ...plain,
    listShape: "bare",
    containerEcho: "none",
    envEcho: "none",
    updateRollsOut: false,
    actionAnswer: "empty",
    uniqueNames: true,
  },
  strict: {
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
    variant: "client",
    requestNames: "client",
    updateMethod: "none",
    unknownFields: "ignored",
  },
} satisfies Record<string, Dialect>;

/** Each named service in one line. */
export const dialectSummaries: Readonly<Record<keyof typeof dialects, string>> = {
  plain: "the specification; what it leaves open is decided in the simplest way",
  minimal: "shows neither container nor env; an update needs a redeploy; actions answer without a body",
  strict: "lists in pages, masked env, updates by PUT; a cluster that changes refuses other changes",
  documented: "the published service as its API reference says, read literally",
  client: "the published service as its official Python client (vectorlay 0.1.0) uses it",
};

const named = new Map<string, Dialect>(Object.entries(dialects));

/** The dialect for a name, or for options that change `plain`. */
export function resolveDialect(choice: string | Partial<Dialect> = "plain"): Dialect {
  if (typeof choice !== "string") return { ...plain, ...parseDialect(choice) };
  const dialect = named.get(choice);
  if (dialect) return dialect;
  throw new RangeError(`Unknown dialect "${choice}". Known: ${[...named.keys()].join(", ")}.`);
}

/** Parses untrusted options, such as JSON on the command line. @throws TypeError that names the wrong option. */
export function parseDialect(value: unknown): Partial<Dialect> {
  if (!isRecord(value)) throw new TypeError("Not a dialect: it must be an object.");
  const entries = Object.entries(value).filter(([, chosen]) => chosen !== undefined);
  for (const [option, chosen] of entries) {
    if (!options.has(option)) {
      throw new TypeError(`Not a dialect: "${option}" is not an option. Known: ${[...options.keys()].join(", ")}.`);
    }
    if (!isValue(option, chosen)) {
      throw new TypeError(`Not a dialect: ${option} must be ${describeValues(option)}, got ${JSON.stringify(chosen)}.`);
    }
  }
  return Object.fromEntries(entries);
}

/** The service can add any variables; every other option has the values of its list. */
function isValue(option: string, chosen: unknown): boolean {
  if (option !== "injectedEnv") return options.get(option)?.includes(chosen) === true;
  return isRecord(chosen) && Object.values(chosen).every((variable) => typeof variable === "string");
}

/** Each option with a description of its values; the value of `plain` comes first. */
export function describeOptions(): [string, string][] {
  return [...options.keys()].map((option) => [option, describeValues(option)]);
}

function describeValues(option: string): string {
  const values = options.get(option)?.map((value) => (typeof value === "string" ? value : JSON.stringify(value))) ?? [];
  return [...values, ...(option === "injectedEnv" ? ["another object of strings"] : [])].join(" | ");
}
