import { isRecord } from "../../contract";
import { plainName } from "../names";
import { idNames, wrapperNames } from "../records";
import { Fields, label, object } from "./json";

/** Finds the record or the list in an answer: bare, or inside objects with known names. */

type Raw = Record<string, unknown>;

/** The record of an answer: the answer itself, or the object inside it under a wrapper's name. */
export function unwrap(json: unknown): Raw | undefined {
  if (!isRecord(json)) return undefined;
  const fields = new Fields(json);
  const within = fields.first(idNames, label) === undefined ? fields.first(wrapperNames, object) : undefined;
  return within ? unwrap(within) : json;
}

/** One entry of a list; `key` is its name in a map. */
export interface Row {
  readonly key?: string;
  readonly value: unknown;
}

/** A list or a map in an answer. */
export interface Listing {
  readonly rows: readonly Row[];
  /** The objects around the list, outermost first, without the list itself. */
  readonly around: readonly Raw[];
  /** False if the answer may contain more rows than these. */
  readonly isSure: boolean;
}

/**
 * The lists of an answer: the answer itself, and the lists and maps of records under these names in their order, at most three
 * objects deep. Nothing under another name is a list, so that no empty list is taken for the requested one.
 */
function listsIn(json: unknown, names: readonly string[], around: readonly Raw[] = [], name = ""): Listing[] {
  if (Array.isArray(json)) return [{ rows: json.map((value) => ({ value })), around, isSure: true }];
  // Nothing in place of a list is an empty list in some languages, and unknown in others.
  if (json === null && name !== "") return [{ rows: [], around, isSure: false }];
  if (!isRecord(json)) return [];
  const rank = ([each]: [string, unknown]) => names.indexOf(plainName(each));
  const named = Object.entries(json).filter((each) => around.length < 3 && rank(each) >= 0);
  const lists = named
    .sort((one, other) => rank(one) - rank(other))
    .flatMap(([each, value]) => {
      const { [each]: _list, ...beside } = json;
      return listsIn(value, names, [...around, beside], plainName(each));
    });
  if (lists.length > 0 || name === "" || !Object.values(json).every(isRecord)) return lists;
  const rows = Object.entries(json).map(([key, value]) => ({ key, value }));
  return [{ rows, around, isSure: rows.length > 0 || !wrapperNames.includes(name) }];
}

/** The first list of records; not sure if another one holds rows too. */
export function listIn(json: unknown, names: readonly string[]): Listing | undefined {
  const [main, ...others] = listsIn(json, names);
  return main && { ...main, isSure: main.isSure && others.every(({ rows }) => rows.length === 0) };
}
