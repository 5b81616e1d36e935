import type { BudgetView } from "../api/rateWindow";

/** How often a wait polls. Pure. */

export const shortestIntervalMs = 1_000;
/** Many deletions are polled less often: no other resource waits for their end. */
const shortestPauseOfDeletionsMs = 2_000;
const longestPauseMs = 15_000;
/** The interval as a share of the time waited: hardly any delay, and few polls in a long wait. */
const pauseShare = 0.004;
/** No cluster is ready much faster than the fastest creation before it. */
const plausibleShare = 0.8;

/**
 * Polls take half of the permits that confirmations leave, because others use the same key. They may use up the last
 * few.
 */
const fewPermits = 12;

export interface Waiting {
  /** How long the youngest and the oldest wait have lasted. */
  readonly youngestMs: number;
  readonly oldestMs: number;
  /** The shortest creation of this process so far; absent if there was none. */
  readonly fastestMs?: number;
  /** Requests of one poll. */
  readonly requests: number;
  /** Requests still to come: one `/status` for each cluster that has to be confirmed. */
  readonly confirmations: number;
  /** Whether several waits share the list, each for its deletion. */
  readonly areDeletions: boolean;
  readonly budget: BudgetView;
}

/**
 * The pause before the next poll. It is short at first and grows with the time waited. It is longer before the earliest
 * plausible end. It spreads the polls so that the requests left in the rate window last until its end, but never
 * exceeds `longestPauseMs`.
 */
export function pollIntervalMs(waiting: Waiting): number {
  const { youngestMs, oldestMs, fastestMs = 0, requests, confirmations, areDeletions, budget } = waiting;
  const plausibleInMs = fastestMs * plausibleShare - oldestMs;
  const { spare = budget.limit, resetInMs = 0 } = budget;
  const affordableMs = (requests * resetInMs) / Math.max(1, (spare - confirmations) / 2, Math.min(spare, fewPermits));
  const pause = Math.max(youngestMs * pauseShare, plausibleInMs, affordableMs);
  return Math.min(longestPauseMs, Math.max(areDeletions ? shortestPauseOfDeletionsMs : shortestIntervalMs, pause));
}
