import type { HttpRequest } from "./http";
import type { RateHeaders } from "./rateHeaders";

/**
 * The interface of a rate budget. Copies of the package in one process share one budget for each key, and may differ in
 * version. So these types are plain, and a later version may only add to them.
 */

/** The priorities of requests when permits are short, highest first. */
export const priorities = ["urgent", "change", "read", "look"] as const;
export type Priority = (typeof priorities)[number];

/** A request for a permit. */
export interface PermitRequest {
  readonly priority: Priority;
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
export type ReleasePermit = (answered?: Answered) => void;

/** The permits for all requests to one service with one key. */
export interface Budget {
  /** Resolves when the request may be sent. Rejects when its signal aborts, or with the error of its `refuse`. */
  enter(ask: PermitRequest): Promise<ReleasePermit>;
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

/**
 * The priorities of requests, highest first, and the reasons:
 * - `urgent`: deletions, because a cluster is billed until its deletion; lookups after a lost answer, because until
 *   then a cluster may exist that no state contains; and a read that many operations wait for;
 * - `change`: creations and other changes. The last creation decides when everything is ready;
 * - `read`: single reads, including a poll that confirms a result: each of them starts or ends an operation;
 * - `look`: repeated polls; the next poll makes up for a late one.
 */
export function priorityOf({ kind, urgency }: Pick<HttpRequest, "kind" | "urgency">): Priority {
  if (kind === "delete") return "urgent";
  if (kind !== "read") return "change";
  return urgency === "reconcile" ? "urgent" : urgency === "look" ? "look" : "read";
}

/**
 * The permits that a priority leaves to the others, of 100 permits per minute. Three remain for urgent requests.
 * Changes leave six more, one for each 10 s: without these, no wait would see its cluster come up while creations
 * queue. Of the six, reads leave three to polls. Beside that, one list and 90 creations just fit into one window.
 */
const leftOf100: Record<Priority, number> = { urgent: 0, change: 9, read: 6, look: 3 };
const minuteMs = 60_000;
/** With fewer permits per window, none can be reserved for polls: they get a permit only when they are overdue. */
const fewest = 4;

/** The reserve of a full window. A small limit has none, except one permit that changes leave to reads and polls. */
function keptBack(priority: Priority, limit: number): number {
  const share = Math.floor((leftOf100[priority] * limit) / 100);
  return priority === "change" && limit >= fewest ? Math.max(1, share) : share;
}

/**
 * The time from which a priority may send, with `left` permits until the window ends. The reserve shrinks towards the
 * end, so that no reserved permit stays unused. A priority is open as soon as its reserve is below `left`.
 */
export function admitsAtMs(
  priority: Priority,
  { left, limit, endMs }: { left: number; limit: number; endMs: number },
): number {
  if (left <= 0) return endMs;
  const kept = keptBack(priority, limit);
  return kept < left ? Number.NEGATIVE_INFINITY : endMs - ((left - 0.5) * minuteMs) / kept;
}

/** The permits that polls may use in the rest of a window: those that no request waits for, or their own reserve. */
export function spareForPolls(view: { left: number; limit: number; resetInMs: number; queued: number }): number {
  const { left, limit, resetInMs, queued } = view;
  const share = Math.min(1, resetInMs / minuteMs);
  const kept = (priority: Priority) => keptBack(priority, limit) * share;
  const free = Math.max(0, Math.round(left - kept("look")));
  return Math.max(free - queued, Math.min(free, Math.round(kept("change") - kept("look"))));
}
