import type { CallOptions, Client } from "../api/client";
import type { ClusterList, ClusterRecord } from "../api/records";
import { abortable, type Clock } from "../clock";

/** How to wait for a list; see `HttpRequest`. */
export interface ListOptions {
  readonly patienceMs?: number;
  readonly attempts?: number;
  readonly attemptTimeoutMs?: number;
  readonly urgency?: CallOptions["urgency"];
  readonly signal?: AbortSignal;
  /** How old a list may be that confirms an absence; 0 asks anew. */
  readonly listAgeMs?: number;
}

/** The list of clusters, shared: who is content with one that was asked for a moment ago gets that one. */
export class ClusterLists {
  #latest: { startedAtMs: number; list: Promise<ClusterList> } | undefined;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /** A list that was asked for no longer ago than `maxAgeMs`; 0 asks anew. Failures are not kept. */
  async recent(maxAgeMs: number, { signal, ...options }: ListOptions = {}): Promise<ClusterList> {
    const nowMs = this.clock.now();
    const ageMs = nowMs - (this.#latest?.startedAtMs ?? Number.NaN);
    // A clock that was set back says nothing of the age.
    if (!this.#latest || ageMs < 0 || ageMs >= maxAgeMs) this.#latest = this.#fetch(nowMs, options);
    // The request itself belongs to all who wait for it: one who leaves does not end it.
    return signal ? abortable(this.#latest.list, signal) : this.#latest.list;
  }

  #fetch(startedAtMs: number, options: ListOptions): { startedAtMs: number; list: Promise<ClusterList> } {
    const list = this.client.listClusters(options);
    const entry = { startedAtMs, list };
    list.catch(() => {
      if (this.#latest === entry) this.#latest = undefined;
    });
    return entry;
  }
}

const membersOf = new WeakMap<readonly ClusterRecord[], ReadonlyMap<string, ClusterRecord>>();

/** The cluster of an id in a list. Many ask the same list, so it is gone through once. */
export function memberOf({ clusters }: ClusterList, id: string): ClusterRecord | undefined {
  let members = membersOf.get(clusters);
  if (!members) {
    // Of two with the same id, the first counts.
    members = new Map([...clusters].reverse().map((cluster) => [cluster.id.toLowerCase(), cluster]));
    membersOf.set(clusters, members);
  }
  return members.get(id.toLowerCase());
}
