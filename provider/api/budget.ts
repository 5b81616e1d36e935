import type { RateHeaders } from "./rateHeaders";
import type { Priority } from "./ratePriority";

/** A request for a permit. */
export interface PermitRequest {
  readonly priority: Priority;
  /** The longest wait for a permit, in milliseconds. */
  readonly maxQueueMs: number;
  /** The time at which its wait ends in any case; infinite if there is none. */
  readonly lateAtMs: number;
  readonly signal?: AbortSignal;
  /** Creates the error for a request that would wait longer than `maxQueueMs`: it would wait `waitMs` from now. */
  refuse(waitMs: number, view: BudgetView): Error;
  /** Creates the error for a request that still waits at `lateAtMs`. */
  late(): Error;
}

/** The service's answer to a request. */
export interface Answered {
  readonly headers: RateHeaders;
  /** Whether the service refused the request because of the rate limit. */
  readonly isRefused: boolean;
}

/** Reports the end of a request, with its answer if there was one. Only the first call counts. */
export type ReleasePermit = (answered?: Answered) => void;

/** The permits for all requests to one service with one key. */
export interface Budget {
  /** Resolves when the request may be sent. Rejects when its signal aborts, or with an error of its `refuse` or `late`. */
  enter(ask: PermitRequest): Promise<ReleasePermit>;
  view(): BudgetView;
}

/** The current state of a budget. */
export interface BudgetView {
  /** Permits in one window. */
  readonly limit: number;
  /** Permits left in this window; absent while unknown, before the first answer of a window. */
  readonly left?: number;
  /** The number of these permits that our polls may use without delaying other requests; absent while unknown. */
  readonly spare?: number;
  /** Milliseconds until new permits; absent while unknown. While `left` is 0, the budget is closed for this time. */
  readonly resetInMs?: number;
  /** Requests that wait for a permit. */
  readonly queued: number;
  /** The share of this process in the requests with the key: 1 if no other process uses it. */
  readonly share: number;
}
