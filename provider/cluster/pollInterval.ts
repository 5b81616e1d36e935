import type { BudgetView } from "../api/ratePriority";

/** How often a wait looks. Pure. */

export const shortestIntervalMs = 1_000;
/** Nothing waits for the end of many deletions but the person who asked for it. */
const shortestPauseOfDeletionsMs = 2_000;
const longestPauseMs = 15_000;
/** Looks at so small a part of the time waited: hardly ever late, and seldom in a long wait. */
const pauseShare = 0.004;
/** Nothing is ready much faster than what came up before it. */
const plausibleShare = 0.8;

/** Of what confirmations leave, looks take half, for others use the same key; but so few they may use up. */
const fewPermits = 12;

export interface Waiting {
  /** How long the youngest and the oldest wait have lasted. */
  readonly youngestMs: number;
  readonly oldestMs: number;
  /** The shortest time in which a creation of this process has come up, where there was one. */
  readonly fastestMs?: number;
  /** Requests of one look. */
  readonly requests: number;
  /** Requests that are yet to come, one for each cluster that looks ready. */
  readonly confirmations: number;
  /** Whether many wait, each for its deletion. */
  readonly areDeletions: boolean;
  readonly budget: BudgetView;
}

/**
 * The pause before the next look: short at first, longer with the wait; not dense before the earliest plausible moment; and
 * never so short that the requests that are left in the window would be used up before its end.
 */
export function pollIntervalMs(waiting: Waiting): number {
  const { youngestMs, oldestMs, fastestMs = 0, requests, confirmations, areDeletions, budget } = waiting;
  const plausibleInMs = fastestMs * plausibleShare - oldestMs;
  const { spare = budget.limit, resetInMs = 0 } = budget;
  const affordableMs = (requests * resetInMs) / Math.max(1, (spare - confirmations) / 2, Math.min(spare, fewPermits));
  const pause = Math.max(youngestMs * pauseShare, plausibleInMs, affordableMs);
  return Math.min(longestPauseMs, Math.max(areDeletions ? shortestPauseOfDeletionsMs : shortestIntervalMs, pause));
}
