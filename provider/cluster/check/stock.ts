import { isSameGpu } from "../../api/gpuMatch";
import { stateOf } from "../../api/read/states";
import type { ClusterRecord } from "../../api/records";
import { hasUnknown } from "../../core";
import type { Service } from "../service";
import { runs, type Transition } from "./transition";

/**
 * How many GPUs a change takes beyond those that the cluster has; 0 also where that is not known. Pure.
 * @param adopted The cluster that is taken over, where that is so and the service shows it.
 */
export function wantedMore({ kind, before, inputs, oldGoesFirst }: Transition, adopted?: ClusterRecord): number {
  if (hasUnknown([inputs.replicas, inputs.desiredStatus, inputs.gpuType]) || !runs(inputs)) return 0;
  if (adopted) return beyond(inputs.replicas, stateOf(adopted.status) === "stopped" ? 0 : adopted.replicas);
  // A state that somebody has edited, or that was imported, may not say what the cluster has.
  const types = [before?.gpuType].filter((type) => type !== undefined);
  const held = before && runs(before) && isSameGpu(inputs.gpuType, types) ? before.replicas : 0;
  if (kind === "create" || (kind === "replace" && !oldGoesFirst)) return inputs.replicas;
  return beyond(inputs.replicas, held);
}

function beyond(wanted: number, held = wanted): number {
  return Math.max(0, wanted - held);
}

interface Want {
  readonly service: Service;
  readonly type: string;
  readonly count: number;
}

/** What all clusters of a run want more than they have: one entry for each resource, which its next check overwrites. */
export class Wants {
  readonly #byUrn = new Map<string, Want>();

  set(urn: string, want: Want): void {
    this.#byUrn.set(urn, want);
  }

  /** A resource takes another type than the one that it wanted. */
  take(urn: string, type: string): void {
    const want = this.#byUrn.get(urn);
    if (want) this.set(urn, { ...want, type });
  }

  /** How many GPUs of a type the other resources want. */
  ofOthers(urn: string, service: Service, type: string): number {
    return [...this.#byUrn]
      .filter(([other, want]) => other !== urn && want.service === service && isSameGpu(want.type, [type]))
      .reduce((sum, [, { count }]) => sum + count, 0);
  }
}

/** Why a want cannot be met as things are; `undefined` where it can, or there is no telling. */
export function shortage(type: string, own: number, others: number, free: number | undefined): string | undefined {
  if (free === undefined || own + others <= free) return undefined;
  const all = others > 0 ? `, ${own + others} more for all clusters of this run so far` : "";
  return `wants ${own} more GPU${own === 1 ? "" : "s"} of the type "${type}"${all}, of which ${free} can be had`;
}
