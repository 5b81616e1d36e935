import type { HttpRequest } from "./http";

/** The priorities of requests as pure decisions: which goes first when permits are short, and how many each leaves to the others. */

/** The priorities of requests when permits are short, highest first. */
export const priorities = ["lookup", "urgent", "change", "read", "poll"] as const;
export type Priority = (typeof priorities)[number];

/**
 * The priorities of requests, highest first, and the reasons:
 * - `lookup`: lookups after a lost answer, because until then a cluster may exist that no state contains; and a read
 *   that many operations wait for. These are few, and do not heed the share of this process;
 * - `urgent`: deletions, because a cluster is billed until its deletion;
 * - `change`: creations and other changes. The last creation decides when everything is ready;
 * - `read`: single reads, including a poll that confirms a result: each of them starts or ends an operation;
 * - `poll`: repeated polls; the next poll makes up for a late one.
 */
export function priorityOf({ kind, urgency }: Pick<HttpRequest, "kind" | "urgency">): Priority {
  if (kind === "delete") return "urgent";
  if (kind !== "read") return "change";
  return urgency === "reconcile" ? "lookup" : urgency === "poll" ? "poll" : "read";
}

export function isUrgent(priority: Priority): boolean {
  return priority === "lookup" || priority === "urgent";
}

/**
 * The permits that a priority leaves to the others, of 100 permits per minute. Three remain for urgent requests.
 * Changes leave six more, one for each 10 s: without these, no wait would see its cluster come up while creations
 * queue. Of the six, reads leave three to polls. Beside that, one list and 90 creations just fit into one window.
 */
const leftOf100: Record<Priority, number> = { lookup: 0, urgent: 0, change: 9, read: 6, poll: 3 };
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
  const free = Math.max(0, Math.round(left - kept("poll")));
  return Math.max(free - queued, Math.min(free, Math.round(kept("change") - kept("poll"))));
}
