import { isDeepStrictEqual } from "node:util";
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
    if (name === "env") Object.assign(changes, diffEnv(state[name], news[name]));
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

/** By variable, so that a diff can name each. An env that is not known yet differs as a whole. */
function diffEnv(old: unknown, next: unknown): Record<string, PropertyChange> {
  if (next !== undefined && !isRecord(next)) return { env: { kind: old === undefined ? "add" : "update" } };
  const before = new Map(Object.entries(isRecord(old) ? old : {}));
  const after = new Map(Object.entries(next ?? {}));
  return Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((name) => before.get(name) !== after.get(name))
      .map((name) => [`env.${name}`, changeOf(before.get(name), after.get(name))]),
  );
}
