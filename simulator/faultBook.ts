import { type Fault, type FaultStage, faultSlots } from "./faults";

/** The facts of a request that decide whether a fault applies. */
export interface FaultFacts {
  method: string;
  path: string;
  /** Name of the request's cluster. */
  name?: string;
}

/** The pending faults. */
export class FaultBook {
  readonly #entries: { fault: Fault; seen: number; used: number }[] = [];

  add(fault: Fault): void {
    this.#entries.push({ fault, seen: 0, used: 0 });
  }

  /** Takes the faults for this request, or for this new cluster: at most one per slot, oldest first. */
  take(stage: FaultStage, facts: FaultFacts): Fault[] {
    const taken = new Map<string, Fault>();
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (faultSlots[fault.kind].stage !== stage || !applies(fault, facts)) continue;
      entry.seen += 1;
      const { slot } = faultSlots[fault.kind];
      if (entry.seen <= (fault.after ?? 0) || entry.used >= (fault.times ?? 1) || taken.has(slot)) continue;
      entry.used += 1;
      taken.set(slot, fault);
    }
    return [...taken.values()];
  }
}

function applies(fault: Fault, { method, path, name }: FaultFacts): boolean {
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
