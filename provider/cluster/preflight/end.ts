import { age } from "../../base/clock";
import { hasUnknown, UNKNOWN } from "../../contract";
import { endAdvice, sinceEndMs } from "../schema/end";
import { asInputs, type CheckedInputs } from "../schema/state";
import { type Finding, info, type Situation } from "./judge";

/** The input `runUntil`: the end of a cluster. */

export const unattended = "Nothing stops a cluster while nobody runs `up`";

/** The inputs with the status that they request now: diff, update and state know no other one. */
export function withStatusAt(
  nowMs: number,
  inputs: CheckedInputs,
  { isCreation }: { readonly isCreation: boolean },
): CheckedInputs {
  if (sinceEndMs(inputs, nowMs) !== undefined) return { ...inputs, desiredStatus: "stopped" };
  // An end that is not known yet may have passed, but not that of a new cluster.
  const isUndecided = hasUnknown(inputs.runUntil) && !isCreation && inputs.desiredStatus !== "stopped";
  return isUndecided ? asInputs({ ...inputs, desiredStatus: UNKNOWN }) : inputs;
}

/** A cluster that is created or adopted after its end would only be stopped. */
export function endFailures(inputs: CheckedInputs, nowMs: number) {
  const sinceMs = sinceEndMs(inputs, nowMs);
  if (sinceMs === undefined) return [];
  return [
    { property: "runUntil", reason: `passed ${age(sinceMs)} ago, so no cluster is created or adopted: ${endAdvice}` },
  ];
}

/** Tells of an end that is new. */
export function announceEnd({ service, inputs, before, isCreation }: Situation): Finding[] {
  const { runUntil } = inputs;
  const isNew = isCreation || runUntil !== before?.runUntil;
  const leftMs = Date.parse(runUntil ?? "") - service.clock.now();
  if (!isNew || !(leftMs > 0)) return [];
  return [info(`\`runUntil\` is in ${age(leftMs)}: the first \`pulumi up\` after it stops the cluster. ${unattended}`)];
}
