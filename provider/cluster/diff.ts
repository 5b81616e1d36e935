import { isDeepStrictEqual } from "node:util";
import { isSameGpu } from "../api/gpuMatch";
import { isRecord } from "../api/read/json";
import type { Diff, Properties, PropertyChange } from "../core";
import { type Effect, type InputName, inputDefaults, inputFlags, inputNames } from "./fields";

/**
 * What has to change for the cluster of `state` to be what `news` asks for. Pure. Computed values are no difference; hidden
 * inputs neither, but for the timeouts, which delete can only read from the state.
 */
export function diffCluster(state: Properties, news: Properties): Diff {
  const changes: Record<string, PropertyChange> = {};
  for (const name of inputNames) {
    if (name === "name" && news["__generatedName"] === true) continue; // a made name is kept, whatever it is
    if (name === "env" || name === "extraFields") Object.assign(changes, diffMap(name, state[name], news[name]));
    else if (name === "gpuType" && (isSpelling(state, news) || isOfList(state, news))) continue;
    else Object.assign(changes, diffInput(name, state[name], news[name]));
  }
  if (!isDeepStrictEqual(state["__timeouts"], news["__timeouts"])) changes["__timeouts"] = { kind: "update" };
  if (state["settled"] === false) changes["settled"] = { kind: "update" };
  return { changes, deleteBeforeReplace: keepsName(state, news) };
}

/** Two clusters cannot both have a name that was given and stays: the old one has to go first. */
function keepsName(state: Properties, news: Properties): boolean {
  return news["__generatedName"] !== true && state["name"] === news["name"];
}

/**
 * What is not said is as if the default were. What the service has not shown, as of a cluster that was imported, is no other
 * value: nothing is replaced for it.
 */
function diffInput(name: InputName, old: unknown, next: unknown): Record<string, PropertyChange> {
  const { once, effect } = inputFlags[name];
  const byDefault = inputDefaults[name];
  if (once || isDeepStrictEqual(old ?? byDefault, next ?? byDefault)) return {};
  const change = changeOf(old, next);
  return { [name]: effect === "replace" && old !== undefined ? { ...change, replace: true } : change };
}

function changeOf(old: unknown, next: unknown): PropertyChange {
  return { kind: old === undefined ? "add" : next === undefined ? "delete" : "update" };
}

/** What the changes of a diff take, beyond waiting for what was begun before. Triggers that were taken away pull nothing. */
export function effectsOf({ changes }: Pick<Diff, "changes">): ReadonlySet<Effect> {
  const effects = Object.entries(changes).map(([path, { kind }]) => {
    const name = inputNames.find((input) => path === input || path.startsWith(`${input}.`));
    const effect = name && inputFlags[name].effect;
    return kind === "delete" && (effect === "restart" || effect === "redeploy") ? undefined : effect;
  });
  return new Set(effects.filter((effect) => effect !== undefined));
}

/** Another spelling of the type that the cluster has, or the service's own identifier of it. */
function isSpelling(state: Properties, news: Properties): boolean {
  const { gpuType: old, __echo: echo } = state;
  const { gpuType: next } = news;
  const known = [old, isRecord(echo) ? echo["gpuType"] : undefined].filter((text) => typeof text === "string");
  return typeof next === "string" && isSameGpu(next, known);
}

/** One of the list that the expected type was chosen from: it is the one that the service has given. */
function isOfList({ gpuType }: Properties, { __gpuTypes: types }: Properties): boolean {
  return typeof gpuType === "string" && Array.isArray(types) && isSameGpu(gpuType, types);
}

/** By key, so that a diff can name each. A map that is not known yet differs as a whole. */
function diffMap(name: "env" | "extraFields", old: unknown, next: unknown): Record<string, PropertyChange> {
  if (next !== undefined && !isRecord(next)) return { [name]: { kind: old === undefined ? "add" : "update" } };
  const before = new Map(Object.entries(isRecord(old) ? old : {}));
  const after = new Map(Object.entries(next ?? {}));
  return Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((key) => !isDeepStrictEqual(before.get(key), after.get(key)))
      .map((key) => [`${name}.${key}`, changeOf(before.get(key), after.get(key))]),
  );
}
