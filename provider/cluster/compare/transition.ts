import { isDeepStrictEqual } from "node:util";
import { listOf } from "../../base/text";
import { hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { type Effect, inputFlags, inputNames, replacingNames } from "../model/fields";
import type { CheckedInputs } from "../model/stateFields";
import { diffCluster, effectsOf, isUnknownAt, isWithinPaths } from "./diff";

/** Why a change replaces a cluster. */
export interface Cause {
  /** The path of the changed input: `gpuType`, `env.MODEL`. */
  readonly path: string;
  readonly why: "input" | "replaceOnChanges" | "no update in place";
}

/** The change from the old cluster to the requested one. Pure. Values that are not known yet decide nothing. */
export interface Transition {
  /** `update` also if nothing changes, or if only a value that is not known yet would replace the cluster. */
  readonly kind: "create" | "update" | "replace";
  /** The old inputs; in a replacement, those of the replaced cluster. Absent for a creation. */
  readonly before?: CheckedInputs;
  readonly inputs: CheckedInputs;
  /** The known causes of a replacement: other options of the resource may require one too. */
  readonly causes: readonly Cause[];
  /** The effects of the known changes; empty if the cluster is replaced. */
  readonly effects: ReadonlySet<Effect>;
  /** Whether a replacement deletes the old cluster before it creates the new one. */
  readonly oldGoesFirst: boolean;
  /** Whether it is certain that the cluster stays. */
  readonly keeps: boolean;
}

interface TransitionOptions {
  /** True for the second check of a replacement, which the engine makes without the old inputs. */
  readonly isRenewal?: boolean;
  /** The inputs that the service cannot change in place. */
  readonly fixed?: readonly string[];
  /** The name that the engine has made by the naming of the stack. */
  readonly proposed?: string | undefined;
}

export function transitionOf(
  before: CheckedInputs | undefined,
  inputs: CheckedInputs,
  { isRenewal = false, fixed = [], proposed }: TransitionOptions = {},
): Transition {
  if (!before) return { kind: "create", inputs, causes: [], effects: new Set(), oldGoesFirst: false, keeps: false };
  const { changes, deleteBeforeReplace = false } = diffCluster(before, inputs, fixed);
  const all = Object.entries(changes).flatMap(([path, { replace }]): Cause[] => {
    if (replace) return [{ path, why: isWithinPaths(path, replacingNames) ? "input" : "no update in place" }];
    return isAmong(inputs.__replaceOnChanges, path) ? [{ path, why: "replaceOnChanges" }] : [];
  });
  const isKnown = (path: string) => !isUnknownAt(inputs, path);
  const causes = all.filter(({ path }) => isKnown(path));
  // If nothing that the provider sees replaces the cluster, an option of the resource does.
  const isReplaced = causes.length > 0 || (isRenewal && all.length === 0);
  const known = Object.fromEntries(Object.entries(changes).filter(([path]) => isKnown(path)));
  return {
    kind: isReplaced ? "replace" : "update",
    before,
    inputs,
    causes,
    effects: isReplaced ? new Set() : effectsOf({ changes: known }),
    // A naming pattern without a random part makes the same name again.
    oldGoesFirst: inputs.__deleteBeforeReplace ?? (proposed === before.name || deleteBeforeReplace),
    keeps: !isReplaced && all.length === 0,
  };
}

/** The reason for an update that no input of the program shows; `undefined` if one does. */
export function hiddenReasonOf(state: Properties, news: Properties): string | undefined {
  const changed = Object.keys(diffCluster(state, news).changes);
  if (changed.some((path) => isWithinPaths(path, inputNames))) return undefined;
  if (changed.includes("settled"))
    return "no input changes; the update continues the last operation, because the cluster is not as requested yet";
  if (changed.includes("deletionPolicy"))
    return "only `deletionPolicy` of an earlier version leaves the state; the cluster does not change";
  if (changed.includes("__secrets"))
    return "the program marks more as secret; the state is encrypted anew, and the cluster does not change";
  return changed.includes("__timeouts") ? "only `customTimeouts` changes; the cluster does not change" : undefined;
}

/**
 * Whether the path of a change (`env.MODEL`) is among those of `replaceOnChanges`, such as `*`, `env`, `env.*` or
 * `env["A.B"]`.
 */
export function isAmong(options: readonly string[] = [], path: string): boolean {
  const plain = options.map((option) => option.replace(/\["?([^"\]]*)"?\]/g, ".$1").replace(/\.\*$/, ""));
  return plain.includes("*") || isWithinPaths(path, plain);
}

/** Whether the inputs request running replicas. */
export function runs({ desiredStatus }: Pick<CheckedInputs, "desiredStatus">): boolean {
  return desiredStatus !== "stopped";
}

/** The running capacity that a change removes, one line for each kind of loss. A stopped cluster loses nothing. */
export function lossesOf(transition: Transition): string[] {
  const { kind, before, inputs, effects } = transition;
  if (!before || !runs(before)) return [];
  if (kind === "replace") return [replacementText(transition)];
  if (effects.has("power") && !runs(inputs)) return [`it is stopped: ${allReplicas(before.replicas, "stop")}`];
  const [old, next] = [before.replicas, hasUnknown(inputs.replicas) ? before.replicas : inputs.replicas];
  const restart = effects.has("redeploy") ? "redeployed" : effects.has("restart") ? "restarted" : undefined;
  return [
    ...(next < old ? [`${old} -> ${next} replicas: ${old - next} ${old - next === 1 ? "is" : "are"} removed`] : []),
    ...(restart ? [`it is ${restart}: ${allReplicas(Math.min(old, next), "restart")}`] : []),
  ];
}

/** The message that a change of the configuration restarts replicas; `undefined` if it does not. */
export function rolloutOf({ before, inputs, effects }: Transition): string | undefined {
  if (!before || !effects.has("rollout") || !runs(before) || !runs(inputs)) return undefined;
  const changed = inputNames.filter(
    (name) => inputFlags[name].effect === "rollout" && !isDeepStrictEqual(before[name] ?? {}, inputs[name] ?? {}),
  );
  const { replicas } = before;
  const count = replicas === 1 ? "the replica" : replicas === 2 ? "both replicas" : `all ${replicas} replicas`;
  return `${changeText(changed)}: a roll-out replaces ${count}`;
}

function replacementText({ before, inputs, causes, oldGoesFirst }: Transition): string {
  const { replicas = 0 } = before ?? {};
  const old = `with its ${replicas === 1 ? "only replica" : `${replicas} replicas`}`;
  // Without a cause that the provider sees, the engine has decided, and it alone knows the order.
  const isOrderKnown = causes.length > 0 || inputs.__deleteBeforeReplace !== undefined;
  const order = !isOrderKnown
    ? `the old cluster ${old} is deleted`
    : oldGoesFirst
      ? `the old cluster ${old} is deleted first, then the new one is created`
      : `the new cluster is created first, then the old one ${old} is deleted`;
  // The host of the endpoint begins with the name (specification, section 2).
  const endpoint = causes.some(({ path }) => path === "name") ? "; its endpoint changes" : "";
  return `${causeText(causes)}it is replaced: ${order}${endpoint}`;
}

/** The reason for a replacement, as far as the provider sees it. */
function causeText(causes: readonly Cause[]): string {
  const own = causes.filter(({ why }) => why !== "replaceOnChanges");
  const shown = own.length > 0 ? own : causes;
  if (shown.length === 0) return "";
  const change = changeText(shown.map(({ path }) => path));
  if (own.length === 0) return `${change}, and \`replaceOnChanges\` requires a new cluster for that, so `;
  const isInPlace = own.some(({ why }) => why === "input");
  return `${change}${isInPlace ? "" : ", which the service cannot do in place"}, so `;
}

/** `container` changes; `container` and `env` change. */
function changeText(paths: readonly string[]): string {
  return `${listOf(paths.map((path) => `\`${path}\``))} ${paths.length === 1 ? "changes" : "change"}`;
}

function allReplicas(count: number, verb: "stop" | "restart"): string {
  return count === 1 ? `its only replica ${verb}s` : `all ${count} replicas ${verb}`;
}

/** The outputs that are certain before the operation: an update keeps the endpoint and the time of creation. */
export function certainOutputs(known: Properties): Properties {
  const certain = ["endpoint", "createdAt"] as const;
  return Object.fromEntries(certain.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}

/**
 * The same for previews that show outputs. Only the creation decides an input that the program leaves to the service; an
 * existing cluster has its type.
 */
export function previewOutputs(news: Properties, known: Properties = {}): Properties {
  const { gpuType } = known;
  const open = replacingNames.filter((name) => news[name] === undefined);
  const chosen = Object.fromEntries(open.map((name) => [name, known[name] ?? UNKNOWN]));
  return { ...certainOutputs(known), ...chosen, ...(gpuType === undefined ? {} : { gpuType }) };
}
