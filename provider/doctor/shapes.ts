import { isKeyedCluster } from "../api/client";
import { plainName } from "../api/names";
import {
  clusterListNames,
  clusterNames,
  errorNames,
  fieldGroups,
  gpuListNames,
  pageNames,
  pageObjects,
  replicaCounts,
  replicaListNames,
  replicaNames,
  wrapperNames,
} from "../api/records";
import { isRecord } from "../core";
import { cleanText, cut } from "../text";

/** The form of an answer in a few words, without any of its values. Pure. */

/** The subject of an answer: decides under which names its content may stand. */
export type Subject = "clusters" | "gpus" | "cluster" | "status" | "service" | "descriptor";

/** How the names of fields are written. */
export type Spelling = "snake_case" | "camelCase" | "mixed spelling";

/** The names under which the content may stand, and the form of a map. */
const contents: Readonly<Record<Subject, { readonly names: readonly string[]; readonly map?: string }>> = {
  clusters: { names: [...clusterListNames, ...wrapperNames], map: "map by id" },
  gpus: { names: [...gpuListNames, ...wrapperNames], map: "map by type" },
  cluster: { names: wrapperNames },
  status: { names: [...wrapperNames, ...replicaListNames] },
  service: { names: [] },
  descriptor: { names: [] },
};

const deepest = 3;
/** More names would not make the form clearer. */
const mostNames = 2;

/** `bare list`, `{data: [...]}`, `{clusters: map by id}`, `{...}`, or what kind of value it is. */
export function formOf(json: unknown, subject: Subject): string {
  if (subject === "descriptor" && isRecord(json))
    return `descriptor {${Object.keys(json).map(shortName).slice(0, 6).join(", ")}}`;
  return Array.isArray(json) ? "bare list" : innerForm(json, subject, deepest);
}

function innerForm(json: unknown, subject: Subject, depth: number): string {
  if (Array.isArray(json)) return "[...]";
  if (!isRecord(json)) return json === null ? "null" : `a ${typeof json}`;
  const entries = Object.entries(json);
  if (entries.length === 0 || depth === 0) return entries.length === 0 ? "{}" : "{...}";
  const { names, map } = contents[subject];
  const named = entries.filter(
    ([name, value]) => names.includes(plainName(name)) && typeof value === "object" && value !== null,
  );
  const isMap = map !== undefined && named.length === 0 && entries.every((entry) => isKeyed(entry, subject));
  if (isMap) return map;
  const only = map === undefined ? [] : entries.filter(([, value]) => Array.isArray(value)).slice(0, 1);
  const shown = (named.length > 0 ? named : only).slice(0, mostNames);
  const inner = shown.map(([name, value]) => `${nameOf(name, subject)}: ${innerForm(value, subject, depth - 1)}`);
  return inner.length > 0 ? `{${inner.join(", ")}}` : "{...}";
}

/** In an answer about clusters, a name may be that of a cluster. */
function nameOf(name: string, subject: Subject): string {
  return subject !== "clusters" || isListName(name) ? shortName(name) : "…";
}

function shortName(name: string): string {
  return cleanText(name, 24);
}

function isKeyed([key, value]: [string, unknown], subject: Subject): boolean {
  return subject === "clusters" ? isKeyedCluster(key, value) : isRecord(value);
}

const spellings: readonly (readonly [Exclude<Spelling, "mixed spelling">, RegExp])[] = [
  ["snake_case", /^[a-z0-9]+(_[a-z0-9]+)+$/],
  ["camelCase", /^[a-z0-9]+([A-Z][a-z0-9]*)+$/],
];

/** How the names of the first record are written; `undefined` if each of them is one word. */
export function spellingOf(json: unknown): Spelling | undefined {
  const names = namesIn(json, deepest);
  const [found, other] = spellings.filter(([, form]) => names.some((name) => form.test(name)));
  return other ? "mixed spelling" : found?.[0];
}

const envNames: ReadonlySet<string> = new Set(clusterNames.env);

/** The names of fields; names of environment variables are left out. */
function namesIn(json: unknown, depth: number): string[] {
  if (Array.isArray(json)) return namesIn(json[0], depth);
  if (!isRecord(json) || depth === 0) return [];
  return Object.entries(json).flatMap(([name, value]) => [
    name,
    ...(envNames.has(plainName(name)) ? [] : namesIn(value, depth - 1)),
  ]);
}

/** The beginning of an answer that could not be read, without possible secrets. Pure. */

export interface ExcerptOptions {
  /**
   * Whether the answer is about clusters: any of its fields may show their names or environment, so texts are hidden.
   */
  readonly isAboutClusters: boolean;
  /** Removes known secrets from a text. */
  readonly redact: (text: string) => string;
}

const longestExcerpt = 200;
const longestText = 24;
const hidden = "…";
/** More items would not fit into the excerpt. */
const mostItems = 20;

/** At most 200 characters of the JSON. */
export function excerptOf(json: unknown, { isAboutClusters, redact }: ExcerptOptions): string {
  const shown = isAboutClusters ? withoutTexts(json) : withoutSecrets(json);
  return cut(redact(JSON.stringify(shown) ?? ""), longestExcerpt - 1);
}

/** A name with one of these words may be that of a secret. */
const secretWords: ReadonlySet<string> = new Set(
  (
    "env envs environment var vars variable variables token tokens key keys apikey secret secrets password passwd pwd " +
    "credential credentials auth authorization bearer cookie session private signature"
  ).split(" "),
);

function isSecret(name: string): boolean {
  return plainName(name)
    .split("_")
    .some((word) => secretWords.has(word));
}

function withoutSecrets(json: unknown): unknown {
  if (typeof json === "string") return json.length > longestText ? hidden : cleanText(json);
  if (Array.isArray(json)) return json.slice(0, mostItems).map(withoutSecrets);
  if (!isRecord(json)) return json;
  const entries = Object.entries(json).slice(0, mostItems);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name.length > longestText ? hidden : cleanText(name),
      isSecret(name) ? hidden : withoutSecrets(value),
    ]),
  );
}

/** Names of fields that answers of any service have, and so not the names of a user's clusters. */
const knownNames: ReadonlySet<string> = new Set(
  [
    ...[clusterNames, errorNames, pageNames, replicaCounts, replicaNames].flatMap((names) => Object.values(names)),
    ...[clusterListNames, fieldGroups, replicaListNames, wrapperNames, [...pageObjects]],
  ].flat(),
);
const isKnown = (name: string) => knownNames.has(plainName(name));

/** Whether a list in an answer about clusters may have this name: a known name or a plural, not a cluster's name. */
export function isListName(name: string): boolean {
  return isKnown(name) || /^[a-z_]{2,24}s$/i.test(name);
}

function withoutTexts(json: unknown): unknown {
  if (typeof json === "string") return hidden;
  if (Array.isArray(json)) return json.slice(0, mostItems).map(withoutTexts);
  if (!isRecord(json)) return json;
  const names = Object.keys(json);
  const isOfFields = names.some(isKnown);
  return Object.fromEntries(
    Object.entries(json)
      .slice(0, mostItems)
      .map(([name, value]) => [
        isShown(name, value, isOfFields) ? cut(name, longestText) : hidden,
        isSecret(name) ? hidden : withoutTexts(value),
      ]),
  );
}

function isShown(name: string, value: unknown, isOfFields: boolean): boolean {
  return Array.isArray(value) ? isListName(name) : isKnown(name) || (isOfFields && !isRecord(value));
}
