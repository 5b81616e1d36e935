import { isDeepStrictEqual } from "node:util";
import type { ClusterState } from "./clusterState";

/** What clusters were like at each time, so that something can show them late. */
export class History {
  readonly #entries = new Map<string, { at: number; state: ClusterState }[]>();

  /** Has to be told after each event. A cluster that is new to it was there since its creation. */
  take(states: readonly ClusterState[], now: number): void {
    for (const state of states) {
      const entries = this.#entries.get(state.id) ?? [];
      this.#entries.set(state.id, entries);
      const last = entries.at(-1);
      if (isDeepStrictEqual(last?.state, state)) continue;
      entries.push({ at: last ? now : state.createdAt, state: structuredClone(state) });
    }
  }

  /** The clusters that there were at a time, as they were left by the last event before. */
  at(time: number): ClusterState[] {
    return [...this.#entries.values()].flatMap((entries) => entries.findLast(({ at }) => at <= time)?.state ?? []);
  }
}
