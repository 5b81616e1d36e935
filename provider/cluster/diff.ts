import { isDeepStrictEqual } from "node:util";
import { isSameGpu } from "../api/gpuMatch";
import { type Diff, isRecord, type Properties, type PropertyChange } from "../core";
import { type Effect, type InputName, inputDefaults, inputFlags, inputNames } from "./fields";
import { isWithin } from "./replicas";
import { asInputs } from "./state";

/**
 * The changes that turn the cluster of `state` into the one that `news` requests. Pure. Computed values are not
 * compared. Of the hidden inputs, only the timeouts are compared, because delete can read them only from the state.
 */
export function diffCluster(state: Properties, news: Properties): Diff {
  const changes: Record<string, PropertyChange> = {};
  for (const name of inputNames) {
    if (name === "name" && news["__generatedName"] === true) continue; // a generated name is kept, whatever it is
    if (name === "env" || name === "extraFields") Object.assign(changes, diffMap(name, state[name], news[name]));
    else if (name === "replicas") Object.assign(changes, diffReplicas(state, news));
    else if (name === "gpuType" && (isSpelling(state, news) || isOfList(state, news))) continue;
    else Object.assign(changes, diffInput(name, state[name], news[name]));
  }
  if (!isDeepStrictEqual(state["__timeouts"], news["__timeouts"])) changes["__timeouts"] = { kind: "update" };
  if (state["settled"] === false) changes["settled"] = { kind: "update" };
  return { changes, deleteBeforeReplace: keepsName(state, news) };
}

/**
 * The same difference with that of the cost, for a preview. A cost that is not known is no change, and a new price alone
 * is no reason for an update.
 */
export function withCost(diff: Diff, { hourlyCost: old }: Properties, { hourlyCost: next }: Properties): Diff {
  const isShown = Object.keys(diff.changes).length > 0 && next !== undefined && next !== old;
  return isShown ? { ...diff, changes: { ...diff.changes, hourlyCost: changeOf(old, next) } } : diff;
}

/**
 * Whether an explicit name stays the same. Two clusters cannot have one name, so a replacement then deletes the old
 * cluster first.
 */
function keepsName(state: Properties, news: Properties): boolean {
  return news["__generatedName"] !== true && state["name"] === news["name"];
}

/**
 * An absent input equals its default. If its change would replace the cluster, the service may have chosen the value,
 * and the cluster keeps it. An absent old value, as of an imported cluster, means that the service has not
 * shown it: that never replaces the cluster.
 */
function diffInput(name: InputName, old: unknown, next: unknown): Record<string, PropertyChange> {
  const { once, effect } = inputFlags[name];
  const byDefault = inputDefaults[name];
  const isLeftOpen = effect === "replace" && next === undefined;
  if (once || isLeftOpen || isDeepStrictEqual(old ?? byDefault, next ?? byDefault)) return {};
  const change = changeOf(old, next);
  return { [name]: effect === "replace" && old !== undefined ? { ...change, replace: true } : change };
}

function changeOf(old: unknown, next: unknown): PropertyChange {
  return { kind: old === undefined ? "add" : next === undefined ? "delete" : "update" };
}

/**
 * The effects of the changes of a diff. None if the update only has to complete an earlier operation. Removed triggers
 * have no effect.
 */
export function effectsOf({ changes }: Pick<Diff, "changes">): ReadonlySet<Effect> {
  const effects = Object.entries(changes).map(([path, { kind }]) => {
    const name = inputNames.find((input) => path === input || path.startsWith(`${input}.`));
    const effect = name && inputFlags[name].effect;
    return kind === "delete" && (effect === "restart" || effect === "redeploy") ? undefined : effect;
  });
  return new Set(effects.filter((effect) => effect !== undefined));
}

/**
 * Every number within the same range is the requested one. With another range, the service is asked for the number. A number
 * outside the range of the state is drift, which a refresh puts into the inputs: with `ignoreChanges`, it is no difference.
 */
function diffReplicas(state: Properties, news: Properties): Record<string, PropertyChange> {
  const { __replicaRange: range } = asInputs(news);
  const { replicas: old } = state;
  const { __replicaRange: bounds } = asInputs(state);
  if (!range && bounds && old === news["replicas"] && !isWithin(bounds, old)) return {};
  if (!isDeepStrictEqual(state["__replicaRange"], range)) return { replicas: changeOf(old, news["replicas"]) };
  return range && isWithin(range, old) ? {} : diffInput("replicas", old, news["replicas"]);
}

/** Whether the new type is another spelling of the cluster's type, or the service's own identifier of it. */
function isSpelling(state: Properties, news: Properties): boolean {
  const { gpuType: old, __echo: echo } = state;
  const { gpuType: next } = news;
  const known = [old, isRecord(echo) ? echo["gpuType"] : undefined].filter((text) => typeof text === "string");
  return typeof next === "string" && isSameGpu(next, known);
}

/** Whether the type in the state is in the list of the inputs: then it is the type that the service has given. */
function isOfList({ gpuType }: Properties, { __gpuTypes: types }: Properties): boolean {
  return typeof gpuType === "string" && Array.isArray(types) && isSameGpu(gpuType, types);
}

/** One change for each key, so that a diff names it. A map that is not known yet differs as a whole. */
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
