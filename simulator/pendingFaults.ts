import { type Fault, isAnswerFault, isClusterFault } from "./faults";

/** When a fault can apply: at a request, at the creation of a cluster, or at a later rollout. */
export type FaultStage = "request" | "creation" | "rollout";

/** What a fault is matched against. */
export interface FaultSubject {
  method: string;
  path: string;
  /** Name of the request's cluster. */
  name?: string;
  /** The container of a new cluster or of a rollout. */
  container?: string;
}

/** The faults, each with the number of subjects that it matched and that it applied to. */
export class PendingFaults {
  readonly #entries: { fault: Fault; matched: number; applied: number }[] = [];

  add(fault: Fault): void {
    this.#entries.push({ fault, matched: 0, applied: 0 });
  }

  /**
   * Takes the faults for this request, new cluster or rollout, oldest first: at most one that changes the answer, and at most
   * one of each other kind.
   */
  take(stage: FaultStage, subject: FaultSubject): Fault[] {
    const taken = new Map<string, Fault>();
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (!isAt(stage, fault) || !matchesSubject(fault, subject)) continue;
      entry.matched += 1;
      const slot = isAnswerFault(fault) ? "answer" : fault.kind;
      if (entry.matched <= (fault.after ?? 0) || entry.applied >= (fault.times ?? 1) || taken.has(slot)) continue;
      entry.applied += 1;
      taken.set(slot, fault);
    }
    return [...taken.values()];
  }
}

/** Milliseconds by which the faults delay a request before or after its effect. */
export function delayOf(faults: readonly Fault[], when: "before" | "after"): number {
  const delay = faults.find((fault) => fault.kind === "delay");
  return delay && (delay.when ?? "before") === when ? delay.ms : 0;
}

/** Only the faults with a container apply to a later rollout. */
function isAt(stage: FaultStage, fault: Fault): boolean {
  if (!isClusterFault(fault)) return stage === "request";
  return stage === "creation" || (stage === "rollout" && containerOf(fault) !== undefined);
}

function containerOf(fault: Fault): string | undefined {
  return "container" in fault ? fault.container : undefined;
}

function matchesSubject(fault: Fault, { method, path, name, container = "" }: FaultSubject): boolean {
  if (!matches(containerOf(fault) ?? "**", container)) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
  if (fault.path !== undefined && !matches(fault.path, path)) return false;
  return fault.name === undefined || (name !== undefined && matches(fault.name, name));
}

function matches(pattern: string | RegExp, text: string): boolean {
  // `search` ignores the state that a global RegExp keeps between calls.
  if (pattern instanceof RegExp) return text.search(pattern) >= 0;
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, (stars) => (stars.length > 1 ? ".*" : "[^/]*"));
  return new RegExp(`^${source}$`).test(text);
}
