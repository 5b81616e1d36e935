import type { CallOptions, Client } from "../../api/client";
import { type ClusterList, type ClusterRecord, sameId } from "../../api/decode/records";
import { abortable, type Clock, until } from "../../base/clock";
import { ConnectionError, RequestError } from "../../base/errors";

export interface ListOptions extends CallOptions {
  /** The maximum age of a list that confirms an absence; 0 sends a new request. */
  readonly listAgeMs?: number;
}

interface SharedRequest {
  readonly startedAtMs: number;
  readonly list: Promise<ClusterList>;
  /** The list with its proof, which is requested by the first caller who needs it. */
  readonly proven: () => Promise<ClusterList>;
  readonly stop: AbortController;
  readonly waiting: Set<ListReader>;
}

type ListReader = Pick<CallOptions, "signal" | "subject" | "onWait"> & { readonly deadlineMs: number };

/** Caches the list of clusters: callers that accept a recent list share its request. */
export class ListCache {
  #latest: SharedRequest | undefined;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /** A list that decides that no other cluster exists: complete, if the service shows or proves that. */
  whole(maxAgeMs: number, options: ListOptions = {}): Promise<ClusterList> {
    return this.#read(maxAgeMs, options, ({ proven }) => proven());
  }

  /** A list of which it may be unproven that it is complete. */
  recent(maxAgeMs: number, options: ListOptions = {}): Promise<ClusterList> {
    return this.#read(maxAgeMs, options, ({ list }) => list);
  }

  /**
   * Failures are not cached. Each caller waits until its own deadline, and the request is aborted when nobody waits for it any
   * more. It has the limits of the caller that sent it: if it fails, a caller that allows several attempts tries again, once; and
   * again whenever the deadline of another caller ended the request.
   */
  async #read(
    maxAgeMs: number,
    options: ListOptions,
    answerOf: (request: SharedRequest) => Promise<ClusterList>,
  ): Promise<ClusterList> {
    const { signal, subject, onWait, redactor, ...request } = options;
    const { deadlineMs = Number.POSITIVE_INFINITY, attempts } = request;
    for (let failures = 0; ; failures += 1) {
      const ageMs = this.clock.now() - (this.#latest?.startedAtMs ?? Number.NaN);
      // The age is negative after the clock was set back.
      const shared = ageMs >= 0 && ageMs < maxAgeMs ? this.#latest : undefined;
      try {
        const read = shared ?? this.#send(request);
        return await this.#wait(read, answerOf(read), { signal, subject, onWait, deadlineMs });
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        const isLast = attempts === 1 || (failures > 0 && !error.hitDeadline);
        // The request of another caller does not know the secrets of this one.
        if (!shared || isLast || this.clock.now() >= deadlineMs) throw redactor ? redactor.incoming(error) : error;
      }
    }
  }

  async #wait(request: SharedRequest, answer: Promise<ClusterList>, caller: ListReader) {
    const { signal, subject, deadlineMs } = caller;
    const list = signal ? abortable(answer, signal) : answer;
    const late = () =>
      new ConnectionError("no complete answer came in time", {
        outcome: "ambiguous",
        method: "GET",
        path: "/v1/clusters",
        subject,
        isLate: true,
        hitDeadline: true,
      });
    request.waiting.add(caller);
    try {
      return await until({ clock: this.clock, deadlineMs, late }, (limit) => abortable(list, limit));
    } catch (error) {
      if (request.waiting.size === 1) this.#end(request, error);
      throw error;
    } finally {
      request.waiting.delete(caller);
    }
  }

  #send(options: CallOptions): SharedRequest {
    const stop = new AbortController();
    const waiting = new Set<ListReader>();
    const onWait = (message: string) => {
      for (const caller of waiting) caller.onWait?.(message);
    };
    const shared = { ...options, onWait, signal: stop.signal };
    const list = this.client.listClusters(shared);
    let proof: Promise<ClusterList> | undefined;
    const proven = () => {
      proof ??= list.then((unproven) => this.client.proven(unproven, shared));
      return proof;
    };
    const request = { startedAtMs: this.clock.now(), list, proven, stop, waiting };
    this.#latest = request;
    list.catch((error) => this.#end(request, error));
    return request;
  }

  #end(request: SharedRequest, reason: unknown): void {
    if (this.#latest === request) this.#latest = undefined;
    request.stop.abort(reason);
  }
}

export function memberOf({ clusters }: ClusterList, id: string): ClusterRecord | undefined {
  return clusters.find((cluster) => sameId(cluster.id, id));
}
