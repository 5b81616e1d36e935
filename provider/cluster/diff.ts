import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../api/read/json";
import type { Diff, Properties, PropertyChange } from "../core";
import { inputFlags, inputNames } from "./fields";

/**
 * What has to change for the cluster of `state` to be what `news` asks for. Pure. Computed values are no difference; hidden
 * inputs neither, but for the timeouts, which delete can only read from the state.
 */
export function diffCluster(state: Properties, news: Properties): Diff {
  const changes: Record<string, PropertyChange> = {};
  for (const name of inputNames) {
    if (name === "name" && news["__generatedName"] === true) continue; // a made name is kept, whatever it is
    if (name === "env") Object.assign(changes, diffEnv(state[name], news[name]));
    else if (!isDeepStrictEqual(state[name], news[name]))
      changes[name] = changeOf(state[name], news[name], inputFlags[name]);
  }
  if (!isDeepStrictEqual(state["__timeouts"], news["__timeouts"])) changes["__timeouts"] = { kind: "update" };
  if (state["settled"] === false) changes["settled"] = { kind: "update" };
  return { changes, deleteBeforeReplace: keepsName(state, news) };
}

/** Two clusters cannot both have a name that was given and stays: the old one has to go first. */
function keepsName(state: Properties, news: Properties): boolean {
  return news["__generatedName"] !== true && state["name"] === news["name"];
}

function changeOf(old: unknown, next: unknown, { replace }: { replace?: boolean }): PropertyChange {
  const kind = old === undefined ? "add" : next === undefined ? "delete" : "update";
  return replace ? { kind, replace } : { kind };
}

/** By variable, so that a diff can name each. An env that is not known yet differs as a whole. */
function diffEnv(old: unknown, next: unknown): Record<string, PropertyChange> {
  if (next !== undefined && !isRecord(next)) return { env: { kind: old === undefined ? "add" : "update" } };
  const before = new Map(Object.entries(isRecord(old) ? old : {}));
  const after = new Map(Object.entries(next ?? {}));
  return Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((name) => before.get(name) !== after.get(name))
      .map((name) => [`env.${name}`, changeOf(before.get(name), after.get(name), {})]),
  );
}
