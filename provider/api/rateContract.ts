import type { RateHeaders } from "./rateHeaders";

/**
 * What a rate budget is to those who use it. Two copies of the package in one process share one budget for each key, and
 * they may be of two versions: so everything here is plain, and a later version may only add to it.
 */

/** Who goes first when permits are short, first to last; see `rateLanes.ts`. */
export const lanes = ["urgent", "change", "read", "look"] as const;
export type Lane = (typeof lanes)[number];

/** A request that asks for its turn. */
export interface Ask {
  readonly lane: Lane;
  /** The longest time that it waits, in milliseconds. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
  /** The error for one that would have to wait longer than that: for `waitMs` from now. */
  refuse(waitMs: number): Error;
}

/** What the service answered, where it did. */
export interface Answered {
  readonly headers: RateHeaders;
  /** It was refused for the rate limit. */
  readonly isRefused: boolean;
}

/** Says that a request is over, and how; only the first call counts. */
export type Leave = (answered?: Answered) => void;

/** Permits to send, for everything that goes to one service with one key. */
export interface Budget {
  /** Resolves when the request may be sent; rejects when its signal aborts, or with its own refusal. */
  enter(ask: Ask): Promise<Leave>;
  view(): BudgetView;
}

/** How a budget stands right now. */
export interface BudgetView {
  /** Permits in one window. */
  readonly limit: number;
  /** Permits left in this window; absent while that is not known, before the first answer of a window. */
  readonly left?: number;
  /** Of those, how many looks may take without keeping anything else waiting; absent likewise. */
  readonly spare?: number;
  /** Milliseconds until new permits; absent likewise. While `left` is 0, this is how long the budget is closed. */
  readonly resetInMs?: number;
  /** Requests that wait for their turn. */
  readonly queued: number;
}
