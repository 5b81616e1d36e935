import type { ClusterRecord } from "../../api/decode/records";
import { age } from "../../base/clock";
import { listOf } from "../../base/text";
import { type Diff, hasUnknown, type Properties } from "../../contract";
import { effectsOf, isWithinPaths, knownChanges } from "../diff/diff";
import { sinceEndMs } from "../schema/end";
import { type InputName, inputFlags, inputNames, replacingNames } from "../schema/fields";
import { formatAmount } from "../schema/money";
import type { CheckedInputs } from "../schema/state";
import { unattended } from "./end";

/** How a preview describes a change, and which outputs it shows. Values that are not known yet decide nothing. */

type Changes = Diff["changes"];

export function runs({ desiredStatus }: Pick<CheckedInputs, "desiredStatus">): boolean {
  return desiredStatus !== "stopped";
}

/** Only the engine knows the order, and whether the old cluster is deleted. */
export function replacementText({ replicas }: Pick<CheckedInputs, "replicas">, inputs: CheckedInputs): string {
  const capacity = replicas === 1 ? "only replica" : `${replicas} replicas`;
  const text = `it is replaced: the old cluster with its ${capacity} is deleted, or kept and billed with \`retainOnDelete\``;
  if (hasUnknown(inputs.replicas) || inputs.replicas === replicas) return text;
  return `${text}; the new one gets ${inputs.replicas}`;
}

/** An autoscaler or another user may have changed the number of replicas since the last refresh. */
export function withReplicasOf<Cluster extends CheckedInputs>(
  cluster: Cluster,
  record: ClusterRecord | undefined,
): Cluster {
  return record?.replicas === undefined ? cluster : { ...cluster, replicas: record.replicas };
}

/** The running capacity that a change removes, in one line; `undefined` if it removes none. */
export function lossOf(
  state: CheckedInputs,
  inputs: CheckedInputs,
  changes: Changes,
  nowMs: number,
): string | undefined {
  if (!runs(state)) return undefined;
  const known = knownChanges({ changes }, inputs).changes;
  const replacing = Object.keys(known).filter((path) => known[path]?.replace);
  if (replacing.length > 0) {
    const isAlways = replacing.some((path) => isWithinPaths(path, replacingNames));
    const why = isAlways ? "" : ", which the service cannot do in place";
    return `${changeText(replacing)}${why}, so ${replacementText(state, inputs)}`;
  }
  const effects = effectsOf({ changes: known });
  const old = state.replicas;
  if (effects.has("power") && !runs(inputs)) return stopText(state, inputs, nowMs);
  const next = "replicas" in known ? inputs.replicas : old;
  const losses: string[] = [];
  if (next < old) losses.push(`${old} -> ${next} replicas: ${old - next} ${old - next === 1 ? "is" : "are"} removed`);
  const restarted = allReplicas(Math.min(old, next), "restart");
  if (effects.has("redeploy")) losses.push(`it is redeployed: ${restarted}`);
  else if (effects.has("restart")) losses.push(`it is restarted: ${restarted}`);
  return losses.length === 0 ? undefined : losses.join("; ");
}

function stopText(state: CheckedInputs, inputs: CheckedInputs, nowMs: number): string {
  const text = `it is stopped: ${allReplicas(state.replicas, "stop")}`;
  const sinceMs = sinceEndMs(inputs, nowMs);
  if (sinceMs === undefined) return text;
  const cost = state.hourlyCost === undefined ? "" : `; ${formatAmount(state.hourlyCost)} => 0 per hour`;
  return `\`runUntil\` passed ${age(sinceMs)} ago, so ${text}${cost}. ${unattended}`;
}

/** The message that a change of the configuration replaces the replicas one after the other; `undefined` if it does not. */
export function rolloutOf(state: CheckedInputs, inputs: CheckedInputs, changes: Changes): string | undefined {
  // A value that is not known yet can replace the cluster too.
  if (Object.values(changes).some(({ replace }) => replace)) return undefined;
  const known = knownChanges({ changes }, inputs).changes;
  if (!effectsOf({ changes: known }).has("rollout") || !runs(state) || !runs(inputs)) return undefined;
  if (state.replicas === 0) return undefined;
  const isChanged = (name: InputName) => Object.keys(known).some((path) => isWithinPaths(path, [name]));
  const changed = inputNames.filter((name) => inputFlags[name].effect === "rollout" && isChanged(name));
  let replaced = `all ${state.replicas} replicas`;
  if (state.replicas === 1) replaced = "the replica";
  if (state.replicas === 2) replaced = "both replicas";
  return `${changeText(changed)}: in place, a rollout replaces ${replaced}`;
}

/** The reason for an update that no input of the program shows; `undefined` if one does. */
export function hiddenReasonOf(changes: Changes): string | undefined {
  const changed = Object.keys(changes);
  if (changed.some((path) => isWithinPaths(path, inputNames))) return undefined;
  if (changed.includes("settled"))
    return "no input changes; the update continues the last operation, because the cluster is not as requested yet";
  if (changed.includes("__secrets"))
    return "the program marks more as secret; the state is encrypted anew, and the cluster does not change";
  return changed.includes("__timeouts") ? "only `customTimeouts` changes; the cluster does not change" : undefined;
}

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

/** The certain outputs of a preview that shows outputs: an existing cluster has its type. */
export function previewOutputs(known: Properties = {}): Properties {
  const { gpuType } = known;
  return { ...certainOutputs(known), ...(gpuType === undefined ? {} : { gpuType }) };
}
