import { isRecord } from "../api/read/json";
import type { Properties } from "../core";
import type { ClusterState } from "./fields";

/** Of what kind each property of a state has to be. Whether its value makes sense is no matter here. Pure. */

interface Kind {
  readonly says: string;
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown) => typeof value === "string";
const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
const every = (fits: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(fits);
const everyIn = (fits: (value: unknown) => boolean) => (value: unknown) =>
  isRecord(value) && Object.values(value).every(fits);

const text: Kind = { says: "a text", fits: isText };
const number: Kind = { says: "a number", fits: Number.isFinite };
const flag: Kind = { says: "true or false", fits: (value) => typeof value === "boolean" };
const texts: Kind = { says: "a list of texts", fits: every(isText) };
const map: Kind = { says: "a map", fits: isRecord };
const textMap: Kind = { says: "a map of names to texts", fits: everyIn(isText) };
const triggers: Kind = {
  says: "a map or a list of texts, numbers and flags",
  fits: (value) => every(isScalar)(value) || everyIn(isScalar)(value),
};

const kinds: { readonly [Name in keyof Required<ClusterState>]: Kind } = {
  name: text,
  gpuType: text,
  replicas: number,
  container: text,
  env: textMap,
  extraFields: map,
  desiredStatus: text,
  restartTriggers: triggers,
  redeployTriggers: triggers,
  adopt: text,
  skipAwait: flag,
  minHealthyReplicas: { says: "a number or a text", fits: (value) => isText(value) || Number.isFinite(value) },
  healthCheck: text,
  deletionPolicy: text,
  maxHourlyCost: number,
  plainEnv: flag,
  connection: text,
  status: text,
  endpoint: text,
  createdAt: text,
  replicaStatuses: { says: "a list of maps", fits: every(isRecord) },
  readyReplicas: number,
  settled: flag,
  hourlyCost: number,
  unverifiedInputs: texts,
  __urn: text,
  __timeouts: map,
  __generatedName: flag,
  __gpuTypes: texts,
  __seenBy: text,
  __echo: {
    says: "a map of texts and of lists of texts",
    fits: everyIn((value) => isText(value) || every(isText)(value)),
  },
  __unfinished: { says: "true or a text", fits: (value) => value === true || isText(value) },
  __resent: flag,
  __late: flag,
  __deleteBeforeReplace: flag,
  __replaceOnChanges: texts,
  __secretOutputs: texts,
  __sent: texts,
};

/** What is of the wrong kind: "`env` must be a map of names to texts". Values are never quoted, for they may be secret. */
export function problemsOfState(state: Properties): string[] {
  return Object.entries(kinds).flatMap(([name, { says, fits }]) =>
    isMissing(state[name]) || fits(state[name]) ? [] : [`\`${name}\` must be ${says}`],
  );
}

/** A state without what is of the wrong kind, for a preview: the operation itself then refuses it. */
export function readableState(state: Properties): Properties {
  const known: Readonly<Record<string, Kind>> = kinds;
  return Object.fromEntries(
    Object.entries(state).filter(([name, value]) => !isMissing(value) && (known[name]?.fits(value) ?? true)),
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
