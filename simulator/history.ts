import { isDeepStrictEqual } from "node:util";
import type { ClusterState } from "./clusterState";

/** The past states of clusters, for lists that lag. */
export class History {
  readonly #entries = new Map<string, { at: number; state: ClusterState }[]>();

  /** Records the states. Must be called after each event. A cluster recorded for the first time counts from its creation. */
  take(states: readonly ClusterState[], now: number): void {
    for (const state of states) {
      const entries = this.#entries.get(state.id) ?? [];
      this.#entries.set(state.id, entries);
      const last = entries.at(-1);
      if (isDeepStrictEqual(last?.state, state)) continue;
      entries.push({ at: last ? now : state.createdAt, state: structuredClone(state) });
    }
  }

  /** The clusters that existed at a time, in their states after the last event before it. */
  at(time: number): ClusterState[] {
    return [...this.#entries.values()].flatMap((entries) => entries.findLast(({ at }) => at <= time)?.state ?? []);
  }
}
