import type { BudgetView } from "../../api/http/budget";

/** When waiting clusters are polled, as a pure decision. `poller.ts` polls. */

export interface Waiting {
  /** How long each wait has lasted. */
  readonly agesMs: readonly number[];
  /** The shortest creation of this process so far; absent if there was none. */
  readonly fastestMs?: number;
  /** The age at which a new cluster first looked ready; absent if none has. `/status` may have shown more to wait for. */
  readonly dueMs?: number;
  /** The time since the last poll began. */
  readonly sinceMs: number;
  /** Requests of one poll. */
  readonly requests: number;
  /** Requests still to come: one `/status` for each cluster that has to be confirmed. */
  readonly confirmations: number;
  /** Whether several waits share the list, each for its deletion. */
  readonly areDeletions: boolean;
  readonly budget: BudgetView;
}

export const shortestIntervalMs = 1_000;
/**
 * The interval: at least `shortestMs`, and a share of the time waited. Many waits share one list, so they poll more often than a
 * single one, which would take most of the requests of its key for itself: with 2.5 %, a cluster that takes 5 minutes costs
 * about 100 polls, and is seen at most 7.5 s late. No other resource waits for the end of deletions.
 */
const paces = {
  single: { shortestMs: 2_000, share: 0.025 },
  shared: { shortestMs: shortestIntervalMs, share: 0.004 },
  deletions: { shortestMs: 2_000, share: 0.004 },
};
/** Polls of one tick start within this time, and use the same list. Every interval is longer. */
export const sameTickMs = 500;
/**
 * Clusters that were created together become ready together: the interval while all that wait are about as old as the first
 * ready one was.
 */
const due = { withinMs: 1_000, intervalMs: sameTickMs + 100 };
const longestIntervalMs = 15_000;
/** For the smallest shares of a key: many stacks that only wait must leave permits to those that create. */
const longestSharedIntervalMs = 60_000;
/** No cluster is ready much faster than the fastest creation before it. */
const plausibleShare = 0.8;
/**
 * Polls take half of the permits that confirmations leave, because others use the same key. They may use up the last
 * few.
 */
const fewPermits = 12;

/**
 * The pause before the next poll. The interval from poll to poll is short at first and grows with the time waited. It is
 * longer before the earliest plausible end, and short again about then. It spreads the polls so that the requests left in
 * the rate window last until its end, but never exceeds the longest interval.
 */
export function pollPauseMs(waiting: Waiting): number {
  const { sinceMs, requests, confirmations, budget } = waiting;
  const { limit, spare = limit, resetInMs = 0, share } = budget;
  const spreadMs = (permits: number) => (requests * resetInMs) / Math.max(1, permits);
  const most = spare - confirmations;
  const affordableMs = spreadMs(Math.max(most / 2, Math.min(spare, fewPermits)));
  const longestMs = Math.min(longestSharedIntervalMs, longestIntervalMs / share);
  const intervalMs = Math.min(longestMs, Math.max(wantedMs(waiting), affordableMs));
  // What the last poll took is part of the interval, unless permits are scarce. At least half of the interval is a pause.
  const leastMs = Math.max(intervalMs / 2, spreadMs(most));
  const pauseMs = sinceMs < intervalMs ? Math.min(intervalMs, Math.max(intervalMs - sinceMs, leastMs)) : intervalMs;
  // A window may begin with its first request: a poll just before the end of one waits for it.
  const isBeforeEnd = share === 1 && pauseMs < resetInMs && resetInMs < pauseMs + shortestIntervalMs;
  return isBeforeEnd ? Math.min(longestMs, resetInMs) : pauseMs;
}

/** The interval without a rate limit. */
function wantedMs({ agesMs, fastestMs = 0, dueMs = Number.NaN, areDeletions }: Waiting): number {
  if (!areDeletions && agesMs.every((ms) => Math.abs(ms - dueMs) < due.withinMs)) return due.intervalMs;
  const pace = areDeletions ? paces.deletions : agesMs.length > 1 ? paces.shared : paces.single;
  const youngestMs = Math.min(...agesMs) * pace.share;
  return Math.max(pace.shortestMs, youngestMs, fastestMs * plausibleShare - Math.max(...agesMs));
}
