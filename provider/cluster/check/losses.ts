import { hasUnknown } from "../../core";
import { listOf } from "./gaps";
import { isAmong, runs, type Transition } from "./transition";

/** What running capacity a change takes away, one line for each way. Pure; a cluster that does not run loses nothing. */
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

function replacement(transition: Transition): string {
  const { before, oldGoesFirst } = transition;
  const old = replicas(before?.replicas ?? 0, before?.deletionPolicy === "stop" ? "stop" : "go", "its");
  const away = before?.deletionPolicy === "stop" ? old : `${old} away`;
  const order = oldGoesFirst ? `${away} before the new cluster comes up` : `${away}; the new cluster comes up first`;
  return `${causeOf(transition)}it is replaced: ${order}`;
}

/** Why it is replaced, as far as that is told: the options of a resource are not. */
function causeOf({ causes, forcedBy, inputs }: Transition): string {
  const changed = [...causes, ...forcedBy];
  if (changed.length === 0) return "";
  const change = `${listOf(changed.map((path) => `\`${path}\``))} ${changed.length === 1 ? "changes" : "change"}`;
  if (causes.length > 0) return `${change}, so `;
  const isCertain = forcedBy.every((path) => isAmong(inputs.__replaceOnChanges, path));
  return `${change}, and ${isCertain ? "`replaceOnChanges`" : "an option such as `replaceOnChanges`"} wants a new cluster for that, so `;
}

const singular = { stop: "stops", go: "goes", restart: "restarts" } as const;

function replicas(count: number, verb: keyof typeof singular, all: "all" | "its" = "all"): string {
  return count === 1 ? `its only replica ${singular[verb]}` : `${all} ${count} replicas ${verb}`;
}
