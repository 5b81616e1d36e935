import type { ClusterList, ClusterRecord } from "../api/records";
import { messageOf, TimeoutError } from "../errors";
import type { Service } from "./service";

/** A preview must not wait for a service that is down. */
const lookUpLimitMs = 5_000;

/** What checks look up, once in a run: check runs for one resource after the other, so every wait would add up. */
export class LookUps {
  #clusters: Promise<ClusterList | string> | undefined;

  /** The clusters, as they were at the first call, or why they could not be listed. */
  clusters(service: Service): Promise<ClusterList | string> {
    this.#clusters ??= listWithin(service).catch(messageOf);
    return this.#clusters;
  }
}

async function listWithin({ lists, clock }: Service): Promise<ClusterList> {
  const limit = new AbortController();
  const stop = new AbortController();
  const timer = clock.sleep(lookUpLimitMs, stop.signal).then(
    () => limit.abort(new TimeoutError(`no answer within ${lookUpLimitMs / 1000} s`)),
    () => undefined, // the list came first
  );
  try {
    return await lists.recent(0, { attempts: 2, patienceMs: 0, signal: limit.signal });
  } finally {
    stop.abort(new TimeoutError("answered"));
    await timer;
  }
}

/** The one cluster of that name; `undefined` when there is none, or no telling which. */
export function onlyHolder(holders: readonly ClusterRecord[]): ClusterRecord | undefined {
  return holders.length === 1 ? holders[0] : undefined;
}
