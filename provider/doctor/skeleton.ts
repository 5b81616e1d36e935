import { plainName } from "../api/names";
import * as records from "../api/records";
import { cut } from "../base/text";
import { isRecord } from "../contract";

/** The names that this version looks for in answers. Any other name may be that of a cluster, or of a variable. */
const knownNames: ReadonlySet<string> = new Set([
  ...[records.clusterTable, records.errorTable, records.pageTable, records.replicaTable].flatMap(namesIn),
  ...[records.countTable, records.gpuTable, records.generalMemory, records.stockTable].flatMap(namesIn),
  ...[records.idNames, records.gpuNames, records.wrapperNames, records.fieldGroups, records.clusterListNames].flat(),
  ...[records.replicaListNames, records.verdictNames, records.countObjects, records.gpuListNames].flat(),
  ...[
    records.gpuIdNames,
    records.genericIdNames,
    records.gpuTitleNames,
    records.placeNames,
    records.stockPlaces,
  ].flat(),
]);

function namesIn(table: Readonly<Record<string, readonly unknown[]>>): string[] {
  return Object.values(table).flatMap(([, ...names]) => names.map(String));
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
  return /^[\w-]{1,32}$/.test(name) && knownNames.has(plainName(name)) ? name : hidden;
}

/** Equal forms once, those without a name last. */
function joined(forms: readonly string[]): string {
  const isHidden = (form: string) => Number(form.startsWith(hidden));
  const different = [...new Set(forms)].sort((one, other) => isHidden(one) - isHidden(other));
  return [...different.slice(0, mostNames), ...(different.length > mostNames ? [hidden] : [])].join(", ");
}
