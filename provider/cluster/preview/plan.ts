import { isDeepStrictEqual } from "node:util";
import { hasUnknown, type Properties, UNKNOWN } from "../../core";
import { listOf } from "../../text";
import { diffCluster, effectsOf } from "../diff";
import { type Effect, inputNames, replacingNames } from "../fields";
import type { CheckedInputs } from "../stateFields";

/**
 * The subject of a check: the transition from the old cluster to the desired one. Pure. Values that are not known yet
 * decide nothing.
 */
export interface Transition {
  /** `update` also if nothing changes, or if only a value that is not known yet would replace the cluster. */
  readonly kind: "create" | "update" | "replace";
  /** The old inputs; in a replacement, those of the replaced cluster. Absent for a creation. */
  readonly before?: CheckedInputs;
  readonly inputs: CheckedInputs;
  /** The inputs whose change replaces the cluster. */
  readonly causes: readonly string[];
  /** The changed inputs for which an option of the resource replaces the cluster, if nothing else does. */
  readonly forcedBy: readonly string[];
  /** The effects of the known changes; empty if the cluster is replaced. */
  readonly effects: ReadonlySet<Effect>;
  /** Whether a replacement would delete the old cluster before it creates the new one. */
  readonly oldGoesFirst: boolean;
  /** Whether it is certain that the cluster stays. */
  readonly keeps: boolean;
}

/**
 * @param isRenewal True for the second check of a replacement, which the engine makes without the old inputs.
 * @param oldFirst Whether the engine deletes first in a replacement, if it does not take that from the difference.
 */
export function transitionOf(
  before: CheckedInputs | undefined,
  inputs: CheckedInputs,
  isRenewal: boolean,
  oldFirst?: boolean,
): Transition {
  if (!before) {
    return { kind: "create", inputs, causes: [], forcedBy: [], effects: new Set(), oldGoesFirst: false, keeps: false };
  }
  const { changes, deleteBeforeReplace = false } = diffCluster(before, inputs);
  const paths = Object.keys(changes);
  const isKnown = (path: string) => !isUnknownAt(inputs, path);
  const replacing = paths.filter((path) => changes[path]?.replace);
  const named = paths.filter((path) => !replacing.includes(path) && isAmong(inputs.__replaceOnChanges, path));
  const [causes, byOption] = [replacing.filter(isKnown), named.filter(isKnown)];
  const mayStay = replacing.length === 0 && named.length === 0;
  // Other options of the resource may require a replacement too, which shows only in the second check.
  const isReplaced = causes.length > 0 || byOption.length > 0 || (isRenewal && mayStay);
  const others = isReplaced ? paths.filter((path) => isKnown(path) && isInput(path)) : [];
  const known = Object.fromEntries(Object.entries(changes).filter(([path]) => isKnown(path)));
  return {
    kind: isReplaced ? "replace" : "update",
    before,
    inputs,
    causes,
    forcedBy: causes.length > 0 ? [] : byOption.length > 0 ? byOption : others,
    effects: isReplaced ? new Set() : effectsOf({ changes: known }),
    oldGoesFirst: inputs.__deleteBeforeReplace ?? oldFirst ?? deleteBeforeReplace,
    keeps: !isReplaced && mayStay,
  };
}

/** The reason for an update that no input of the program shows; `undefined` if one does. Pure. */
export function hiddenReasonOf(state: Properties, news: Properties): string | undefined {
  const paths = Object.keys(diffCluster(state, news).changes);
  if (paths.some(isInput)) return undefined;
  if (paths.includes("settled"))
    return "no input changes; the update continues the last operation, because the cluster is not as requested yet";
  return paths.includes("__timeouts") ? "only `customTimeouts` changes; the cluster does not change" : undefined;
}

function isInput(path: string): boolean {
  return inputNames.some((name) => path === name || path.startsWith(`${name}.`));
}

/**
 * Whether the path of a change (`env.MODEL`) is among those of `replaceOnChanges`, such as `*`, `env`, `env.*` or
 * `env["A.B"]`.
 */
export function isAmong(options: readonly string[] = [], path: string): boolean {
  const plain = options.map((option) => option.replace(/\["?([^"\]]*)"?\]/g, ".$1").replace(/\.\*$/, ""));
  return plain.some((option) => option === "*" || option === path || path.startsWith(`${option}.`));
}

/** Whether the value at the path of a change (`replicas`, `env.MODEL`) is not known yet. */
export function isUnknownAt(inputs: object, path: string): boolean {
  const [, name = path, key] = /^(.*?)\.(.*)$/s.exec(path) ?? [];
  const value: unknown = Reflect.get(inputs, name);
  const isInside = key !== undefined && typeof value === "object" && value !== null;
  return hasUnknown(isInside ? Reflect.get(value, key) : value);
}

/** Whether the inputs request running replicas. */
export function runs({ desiredStatus }: Pick<CheckedInputs, "desiredStatus">): boolean {
  return desiredStatus !== "stopped";
}

/**
 * The running capacity that a change removes, one line for each kind of loss. Pure. A stopped cluster loses nothing.
 */
export function lossesOf(transition: Transition): string[] {
  const { kind, before, inputs, effects } = transition;
  if (!before || !runs(before)) return [];
  if (kind === "replace") return [replacement(transition)];
  if (effects.has("power") && !runs(inputs)) return [`it is stopped: ${replicas(before.replicas, "stop")}`];
  const [old, next] = [before.replicas, hasUnknown(inputs.replicas) ? before.replicas : inputs.replicas];
  const restart = effects.has("redeploy") ? "redeployed" : effects.has("restart") ? "restarted" : undefined;
  return [
    ...(next < old
      ? [`${old} -> ${next} replicas: ${old - next} of ${old} ${old - next === 1 ? "goes" : "go"} away`]
      : []),
    ...(restart ? [`it is ${restart}: ${replicas(Math.min(old, next), "restart")}`] : []),
  ];
}

/** The message that a change of env or container restarts replicas; `undefined` if it does not. Pure. */
export function rolloutOf({ before, inputs, effects }: Transition): string | undefined {
  if (!before || !effects.has("rollout") || !runs(before) || !runs(inputs)) return undefined;
  const changed = (["container", "env"] as const).filter(
    (name) => !isDeepStrictEqual(before[name] ?? {}, inputs[name] ?? {}),
  );
  const what = listOf(changed.map((name) => `\`${name}\``));
  const count = before.replicas === 1 ? "the replica" : `all ${before.replicas} replicas`;
  return `${what} ${changed.length === 1 ? "changes" : "change"}: the roll-out renews ${count}`;
}

function replacement(transition: Transition): string {
  const { before, oldGoesFirst } = transition;
  const old = replicas(before?.replicas ?? 0, before?.deletionPolicy === "stop" ? "stop" : "go", "its");
  const away = before?.deletionPolicy === "stop" ? old : `${old} away`;
  const order = oldGoesFirst ? `${away} before the new cluster comes up` : `${away}; the new cluster comes up first`;
  return `${causeOf(transition)}it is replaced: ${order}`;
}

/** The reason for a replacement, as far as it is known: the provider does not see all options of a resource. */
function causeOf({ causes, forcedBy, inputs }: Transition): string {
  const changed = [...causes, ...forcedBy];
  if (changed.length === 0) return "";
  const change = `${listOf(changed.map((path) => `\`${path}\``))} ${changed.length === 1 ? "changes" : "change"}`;
  if (causes.length > 0) return `${change}, so `;
  const isCertain = forcedBy.every((path) => isAmong(inputs.__replaceOnChanges, path));
  return `${change}, and ${isCertain ? "`replaceOnChanges`" : "an option such as `replaceOnChanges`"} requires a new cluster for that, so `;
}

const singular = { stop: "stops", go: "goes", restart: "restarts" } as const;

function replicas(count: number, verb: keyof typeof singular, all: "all" | "its" = "all"): string {
  return count === 1 ? `its only replica ${singular[verb]}` : `${all} ${count} replicas ${verb}`;
}

/** The outputs that are certain before the operation: an update keeps the endpoint and the time of creation. Pure. */
export function previewCluster(_news: Properties, known: Properties = {}): Properties {
  const certain = ["endpoint", "createdAt"] as const;
  return Object.fromEntries(certain.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}

/**
 * The same for previews that show outputs. Only the creation decides an input that the program leaves to the service, and the
 * type if the inputs have a list of types. The output of a range of replicas is a number.
 */
export function previewOutputs(news: Properties, known: Properties = {}): Properties {
  const isOpen = news["__gpuTypes"] !== undefined || Array.isArray(news["gpuType"]);
  const open = replacingNames.filter((name) => news[name] === undefined || (name === "gpuType" && isOpen));
  const chosen = Object.fromEntries(open.map((name) => [name, known[name] ?? UNKNOWN]));
  const { replicas, __replicaRange, hourlyCost } = news;
  const cost = hourlyCost === undefined ? {} : { hourlyCost };
  const counted = __replicaRange === undefined ? {} : { replicas, __replicaRange, __replicas: undefined, ...cost };
  return { ...previewCluster(news, known), ...chosen, ...counted };
}
