import { plainName } from "../api/names";
import * as records from "../api/records";
import { cut } from "../base/text";
import { isRecord } from "../contract";

/** The words that this version looks for in answers. Any other name may be that of a cluster, or of a variable. */
const knownWords: ReadonlySet<string> = new Set(wordsIn({ ...records }));

/** Every text in the tables, at any depth. */
function wordsIn(tables: unknown): string[] {
  if (typeof tables === "string") return [tables];
  if (Array.isArray(tables) || tables instanceof Set) return [...tables].flatMap(wordsIn);
  return isRecord(tables) ? Object.values(tables).flatMap(wordsIn) : [];
}

/** A record within two wrappers and a map by id. */
const deepest = 4;
const mostNames = 12;
const longest = 400;
const hidden = "…";

/** The form of an answer without any of its values: `{data: [{id: text, …: number}]}`. Pure. */
export function skeletonOf(json: unknown): string {
  return cut(formOf(json, deepest), longest);
}

function formOf(json: unknown, depth: number): string {
  if (Array.isArray(json)) return `[${joined(json.slice(0, mostNames).map((item) => formOf(item, depth)))}]`;
  if (!isRecord(json)) return json === null ? "null" : (kinds[typeof json] ?? "text");
  if (depth === 0) return `{${hidden}}`;
  return `{${joined(Object.entries(json).map(([name, value]) => `${shown(name)}: ${formOf(value, depth - 1)}`))}}`;
}

const kinds: Readonly<Record<string, string>> = { number: "number", boolean: "flag" };

function shown(name: string): string {
  return /^[\w-]{1,32}$/.test(name) && knownWords.has(plainName(name)) ? name : hidden;
}

/** Equal forms once, those without a name last. */
function joined(forms: readonly string[]): string {
  const isHidden = (form: string) => Number(form.startsWith(hidden));
  const different = [...new Set(forms)].sort((one, other) => isHidden(one) - isHidden(other));
  return [...different.slice(0, mostNames), ...(different.length > mostNames ? [hidden] : [])].join(", ");
}
