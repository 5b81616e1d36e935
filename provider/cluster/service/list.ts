import type { CallOptions, Client } from "../../api/client";
import { sameId } from "../../api/decode/names";
import type { ClusterList, ClusterRecord } from "../../api/decode/records";
import { abortable, type Clock, until } from "../../base/clock";
import { ConnectionError, RequestError } from "../../base/errors";

/** The options of a request for the list. */
export interface ListOptions extends CallOptions {
  /** The maximum age of a list that confirms an absence; 0 sends a new request. */
  readonly listAgeMs?: number;
}

/** A request for the list, with the number of callers that wait for it. */
interface Flight {
  readonly startedAtMs: number;
  readonly list: Promise<ClusterList>;
  readonly stop: AbortController;
  waiting: number;
}

/** A cache of the list of clusters, with single flight: callers that accept a recent list share its request. */
export class ListCache {
  #latest: Flight | undefined;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /**
   * A list whose request started less than `maxAgeMs` ago; 0 sends a new request. Failures are not cached. Each caller
   * waits until its own deadline, and the request ends with its last caller. It has the limits of the caller that sent it: if it
   * fails, a caller that allows more than one attempt tries again, once, or as long as only the deadline of another caller ends
   * the request.
   */
  async recent(maxAgeMs: number, options: ListOptions = {}): Promise<ClusterList> {
    const { signal, subject, ...request } = options;
    const { deadlineMs = Number.POSITIVE_INFINITY, attempts } = request;
    for (let failures = 0; ; failures += 1) {
      const shared = this.#youngerThan(maxAgeMs);
      try {
        return await this.#wait(shared ?? this.#send(request), { signal, subject, deadlineMs });
      } catch (error) {
        if (!shared || !(error instanceof RequestError) || this.clock.now() >= deadlineMs) throw error;
        if (attempts === 1 || (failures > 0 && !error.hitDeadline)) throw error;
      }
    }
  }

  #youngerThan(maxAgeMs: number): Flight | undefined {
    const ageMs = this.clock.now() - (this.#latest?.startedAtMs ?? Number.NaN);
    // After the clock was set back, the age is unknown.
    return ageMs >= 0 && ageMs < maxAgeMs ? this.#latest : undefined;
  }

  async #wait(flight: Flight, { signal, subject, deadlineMs }: ListOptions & { readonly deadlineMs: number }) {
    const own = signal ? abortable(flight.list, signal) : flight.list;
    const limit = { clock: this.clock, deadlineMs, late: () => lateError(subject) };
    flight.waiting += 1;
    try {
      return await until(limit, (late) => abortable(own, late));
    } catch (error) {
      flight.waiting -= 1;
      if (flight.waiting === 0) this.#end(flight, error);
      throw error;
    }
  }

  #send(options: CallOptions): Flight {
    const stop = new AbortController();
    const list = this.client.listClusters({ ...options, signal: stop.signal });
    const flight = { startedAtMs: this.clock.now(), list, stop, waiting: 0 };
    this.#latest = flight;
    list.catch((error) => this.#end(flight, error));
    return flight;
  }

  #end(flight: Flight, reason: unknown): void {
    if (this.#latest === flight) this.#latest = undefined;
    flight.stop.abort(reason);
  }
}

function lateError(subject: string | undefined): ConnectionError {
  return new ConnectionError("no complete answer came in time", {
    ...{ outcome: "ambiguous", method: "GET", path: "/v1/clusters", subject },
    ...{ isLate: true, hitDeadline: true },
  });
}

/** The cluster with this id in a list. */
export function memberOf({ clusters }: ClusterList, id: string): ClusterRecord | undefined {
  return clusters.find((cluster) => sameId(cluster.id, id));
}
