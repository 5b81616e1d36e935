import type { RateHeaders } from "./rateHeaders";

/**
 * The interface of a rate budget. Copies of the package in one process share one budget for each key, and may differ in
 * version. So these types are plain, and a later version may only add to them.
 */

/** The priorities of requests when permits are short, highest first; see `rateLanes.ts`. */
export const lanes = ["urgent", "change", "read", "look"] as const;
export type Lane = (typeof lanes)[number];

/** A request for a permit. */
export interface Ask {
  readonly lane: Lane;
  /** The longest wait for a permit, in milliseconds. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
  /** Creates the error for a request that would wait longer than `patienceMs`: it would wait `waitMs` from now. */
  refuse(waitMs: number): Error;
}

/** The service's answer to a request. */
export interface Answered {
  readonly headers: RateHeaders;
  /** Whether the service refused the request because of the rate limit. */
  readonly isRefused: boolean;
}

/** Reports the end of a request, with its answer if there was one. Only the first call counts. */
export type Leave = (answered?: Answered) => void;

/** The permits for all requests to one service with one key. */
export interface Budget {
  /** Resolves when the request may be sent. Rejects when its signal aborts, or with the error of its `refuse`. */
  enter(ask: Ask): Promise<Leave>;
  view(): BudgetView;
}

/** The current state of a budget. */
export interface BudgetView {
  /** Permits in one window. */
  readonly limit: number;
  /** Permits left in this window; absent while unknown, before the first answer of a window. */
  readonly left?: number;
  /** The number of these permits that polls may use without delaying other requests; absent while unknown. */
  readonly spare?: number;
  /** Milliseconds until new permits; absent while unknown. While `left` is 0, the budget is closed for this time. */
  readonly resetInMs?: number;
  /** Requests that wait for a permit. */
  readonly queued: number;
}
