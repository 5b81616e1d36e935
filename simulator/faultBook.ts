import { type AnswerFault, type Fault, isAnswerFault, isClusterFault } from "./faults";

/** When the simulator looks for a fault: at each request, at each creation of a cluster, or at each later rollout. */
export type FaultStage = "request" | "birth" | "rollout";

/** The facts of a request that decide whether a fault applies. */
export interface FaultFacts {
  method: string;
  path: string;
  /** Name of the request's cluster. */
  name?: string;
  /** The container of a new cluster or of a rollout. */
  container?: string;
}

/** The pending faults. */
export class FaultBook {
  readonly #entries: { fault: Fault; seen: number; used: number }[] = [];

  add(fault: Fault): void {
    this.#entries.push({ fault, seen: 0, used: 0 });
  }

  /**
   * Takes the faults for this request, new cluster or rollout, oldest first: at most one that changes the answer, and at most
   * one of each other kind.
   */
  take(stage: FaultStage, facts: FaultFacts): Fault[] {
    const taken = new Map<string, Fault>();
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (!isAt(stage, fault) || !applies(fault, facts)) continue;
      entry.seen += 1;
      const slot = isAnswerFault(fault) ? "answer" : fault.kind;
      if (entry.seen <= (fault.after ?? 0) || entry.used >= (fault.times ?? 1) || taken.has(slot)) continue;
      entry.used += 1;
      taken.set(slot, fault);
    }
    return [...taken.values()];
  }
}

/** The one fault among them that changes the answer. */
export function answerFault(faults: readonly Fault[]): AnswerFault | undefined {
  return faults.find(isAnswerFault);
}

/** Milliseconds by which the faults delay a request before or after its effect. */
export function delayOf(faults: readonly Fault[], when: "before" | "after"): number {
  const delay = faults.find((fault) => fault.kind === "delay");
  return delay && (delay.when ?? "before") === when ? delay.ms : 0;
}

/** A later rollout meets only the faults of its container. */
function isAt(stage: FaultStage, fault: Fault): boolean {
  if (!isClusterFault(fault)) return stage === "request";
  return stage === "birth" || (stage === "rollout" && containerOf(fault) !== undefined);
}

function containerOf(fault: Fault): string | undefined {
  return "container" in fault ? fault.container : undefined;
}

function applies(fault: Fault, { method, path, name, container = "" }: FaultFacts): boolean {
  if (!matches(containerOf(fault) ?? "**", container)) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
  if (fault.path !== undefined && !matches(fault.path, path)) return false;
  return fault.name === undefined || (name !== undefined && matches(fault.name, name));
}

function matches(pattern: string | RegExp, text: string): boolean {
  // `search` ignores the state that a global RegExp keeps between calls.
  if (pattern instanceof RegExp) return text.search(pattern) >= 0;
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, (stars) => wildcard(stars));
  return new RegExp(`^${source}$`).test(text);
}

function wildcard(stars: string): string {
  return stars.length > 1 ? ".*" : "[^/]*";
}
