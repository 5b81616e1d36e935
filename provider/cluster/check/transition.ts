import { hasUnknown } from "../../core";
import { diffCluster, effectsOf } from "../diff";
import type { CheckedInputs, Effect } from "../fields";

/** What a check is about: the way from what is to what the program asks for. Pure. What is not known yet decides nothing. */
export interface Transition {
  /** `update` also where nothing changes, and where only what is not known yet would replace the cluster. */
  readonly kind: "create" | "update" | "replace";
  /** The old inputs; of a replacement, those of the cluster that is replaced. Absent for a creation. */
  readonly before?: CheckedInputs;
  readonly inputs: CheckedInputs;
  /** The inputs whose change replaces the cluster. */
  readonly causes: readonly string[];
  /** What the changes take that are known; nothing where the cluster is replaced. */
  readonly effects: ReadonlySet<Effect>;
  /** Whether the old cluster would go before a new one comes. */
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
    return { kind: "create", inputs, causes: [], effects: new Set(), oldGoesFirst: false, keeps: false };
  }
  const { changes, deleteBeforeReplace = false } = diffCluster(before, inputs);
  const known = Object.entries(changes).filter(([path]) => !isUnknownAt(inputs, path));
  const causesOf = (entries: typeof known) => entries.flatMap(([path, { replace }]) => (replace ? [path] : []));
  const [all, causes] = [causesOf(Object.entries(changes)), causesOf(known)];
  // Options of the resource may ask for a replacement too, which shows in the second check alone.
  const isReplaced = causes.length > 0 || (isRenewal && all.length === 0);
  return {
    kind: isReplaced ? "replace" : "update",
    before,
    inputs,
    causes,
    effects: isReplaced ? new Set() : effectsOf({ changes: Object.fromEntries(known) }),
    oldGoesFirst: inputs.__deleteBeforeReplace ?? oldFirst ?? deleteBeforeReplace,
    keeps: !isReplaced && all.length === 0,
  };
}

/** Whether what stands at the path of a change (`replicas`, `env.MODEL`) is not known yet. */
export function isUnknownAt(inputs: object, path: string): boolean {
  const [, name = path, key] = /^(.*?)\.(.*)$/s.exec(path) ?? [];
  const value: unknown = Reflect.get(inputs, name);
  const isInside = key !== undefined && typeof value === "object" && value !== null;
  return hasUnknown(isInside ? Reflect.get(value, key) : value);
}

/** Whether the inputs want replicas to run. */
export function runs({ desiredStatus }: Pick<CheckedInputs, "desiredStatus">): boolean {
  return desiredStatus !== "stopped";
}
