import { isRecord, plainName } from "../api/read/json";
import {
  clusterListNames,
  clusterNames,
  errorNames,
  fieldGroups,
  pageNames,
  pageObjects,
  replicaCounts,
  replicaListNames,
  replicaNames,
  wrapperNames,
} from "../api/records";
import { cleanText, cut } from "../api/text";

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
