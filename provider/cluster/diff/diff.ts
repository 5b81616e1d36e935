import { isDeepStrictEqual } from "node:util";
import { type Diff, hasUnknown, isRecord, type Properties, type PropertyChange } from "../../contract";
import { type Effect, inputDefaults, inputFlags, inputNames } from "../schema/fields";
import { hasKnownType, hasType } from "../schema/gpus";
import { newSecrets } from "../schema/secrets";
import { asInputs } from "../schema/state";

/**
 * The changes that turn the cluster of `state` into the one that `news` requests. Computed values are not compared. Two hidden
 * inputs are, because the state has to hold them: the timeouts, which a deletion reads there, and the secrets of the program.
 * @param fixed The inputs that the service cannot change in place: their changes replace the cluster.
 */
export function diffCluster(state: Properties, news: Properties, fixed: readonly string[] = []): Diff {
  const changes: Record<string, PropertyChange> = {};
  for (const name of inputNames) {
    if (name === "name" && news["__generatedName"] === true) continue; // a generated name is kept
    if (name === "gpuType" && hasKnownType(news) && hasType(asInputs(state), asInputs(news).gpuType)) continue;
    const old = state[name];
    const next = news[name];
    if (name === "env" || name === "extraFields") {
      Object.assign(changes, diffMap(name, old, next));
      continue;
    }
    const { once, effect } = inputFlags[name];
    const byDefault = inputDefaults[name];
    if (once || isDeepStrictEqual(old ?? byDefault, next ?? byDefault)) continue;
    const change = propertyChange(old, next);
    // The service did not report an absent old value, as of an imported cluster: it never replaces the cluster.
    changes[name] = effect === "replace" && old !== undefined ? { ...change, replace: true } : change;
  }
  for (const [path, change] of Object.entries(changes))
    if (isWithinPaths(path, fixed)) changes[path] = { ...change, replace: true };
  if (!isDeepStrictEqual(state["__timeouts"], news["__timeouts"])) changes["__timeouts"] = { kind: "update" };
  if (newSecrets(state, news).length > 0) changes["__secrets"] = { kind: "update" };
  if (state["settled"] === false) changes["settled"] = { kind: "update" };
  // Two clusters cannot have one name, so a replacement that keeps an explicit name deletes the old cluster first.
  const keepsName = news["__generatedName"] !== true && state["name"] === news["name"];
  return { changes, deleteBeforeReplace: keepsName };
}

/** Whether the path of a change (`env.MODEL`) is one of these paths, or its input is. A key can contain dots: `env.logging.level`. */
export function isWithinPaths(path: string, paths: readonly string[]): boolean {
  const [input = path] = path.split(".", 1);
  return paths.includes(path) || paths.includes(input);
}

/** Whether the value at the path of a change (`replicas`, `env.MODEL`) is not known yet. */
export function isUnknownAt(inputs: object, path: string): boolean {
  const [, name = path, key] = /^(.*?)\.(.*)$/s.exec(path) ?? [];
  const value: unknown = Reflect.get(inputs, name);
  const isInside = key !== undefined && typeof value === "object" && value !== null;
  return hasUnknown(isInside ? Reflect.get(value, key) : value);
}

/** The changes of a diff that are known: an unknown value hides only itself, and one that is new is a change whatever it is. */
export function knownChanges(diff: Pick<Diff, "changes">, inputs: object): Pick<Diff, "changes"> {
  const isKnown = ([path, { kind }]: [string, PropertyChange]) =>
    !isUnknownAt(inputs, path) || (kind === "add" && path.includes("."));
  return { changes: Object.fromEntries(Object.entries(diff.changes).filter(isKnown)) };
}

/** Adds the change of the cost for a preview. An unknown cost is not a change, and a new price alone causes no update. */
export function withCost(diff: Diff, { hourlyCost: old }: Properties, { hourlyCost: next }: Properties): Diff {
  const isChange = Object.keys(diff.changes).length > 0 && next !== undefined && next !== old;
  return isChange ? { ...diff, changes: { ...diff.changes, hourlyCost: propertyChange(old, next) } } : diff;
}

function propertyChange(old: unknown, next: unknown): PropertyChange {
  if (old === undefined) return { kind: "add" };
  return { kind: next === undefined ? "delete" : "update" };
}

/** The effects of the changes of a diff. An update that only completes an earlier operation has none. */
export function effectsOf({ changes }: Pick<Diff, "changes">): ReadonlySet<Effect> {
  const effects = new Set<Effect>();
  for (const [path, { kind }] of Object.entries(changes)) {
    const name = inputNames.find((input) => isWithinPaths(path, [input]));
    const effect = name && inputFlags[name].effect;
    const isRemovedTrigger = kind === "delete" && (effect === "restart" || effect === "redeploy");
    if (effect && !isRemovedTrigger) effects.add(effect);
  }
  return effects;
}

/** One change for each key, so that a diff names the key. A map that is not known yet differs as a whole. */
function diffMap(name: "env" | "extraFields", old: unknown, next: unknown): Record<string, PropertyChange> {
  if (next !== undefined && !isRecord(next)) return { [name]: propertyChange(old, next) };
  const before = new Map(Object.entries(isRecord(old) ? old : {}));
  const after = new Map(Object.entries(next ?? {}));
  return Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((key) => !isDeepStrictEqual(before.get(key), after.get(key)))
      .map((key) => [`${name}.${key}`, propertyChange(before.get(key), after.get(key))]),
  );
}
