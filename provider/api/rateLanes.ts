import type { HttpRequest } from "./http";
import type { Lane } from "./rateContract";

/**
 * The order of requests, and why:
 * - `urgent`: deletions, for what is billed goes; reads that find out what became of a lost answer, for until then a cluster
 *   may exist that no state names; and a read for whose answer many wait;
 * - `change`: what was asked for. The last creation decides when everything is ready;
 * - `read`: reads that are made once, a look that confirms among them: each ends or begins something;
 * - `look`: looks that are repeated anyway; the next one makes up for one that comes late.
 */
export function laneOf({ kind, urgency }: Pick<HttpRequest, "kind" | "urgency">): Lane {
  if (kind === "delete") return "urgent";
  if (kind !== "read") return "change";
  return urgency === "reconcile" ? "urgent" : urgency === "look" ? "look" : "read";
}

/**
 * What a lane leaves to others, of each 100 permits in a minute. Three stay for what is urgent. Changes leave six more, one
 * for each 10 s, or nobody would see how clusters come up while others queue to be created; of these, reads leave three to
 * looks. A list and 90 creations just fit into one window beside that.
 */
const leftOf100: Record<Lane, number> = { urgent: 0, change: 9, read: 6, look: 3 };
const minuteMs = 60_000;
/** A service with fewer permits in a window cannot keep any back for looks: then only their age helps them. */
const fewest = 4;

/** Of a full window; so small a limit leaves no reserve, and one permit for reads and looks. */
function keptBack(lane: Lane, limit: number): number {
  const share = Math.floor((leftOf100[lane] * limit) / 100);
  return lane === "change" && limit >= fewest ? Math.max(1, share) : share;
}

/**
 * When a lane may go, with so many permits left until a window ends. What is kept back shrinks as the end comes near, so
 * that nothing is kept for nobody: with `left` permits, it is open from the moment on at which fewer are kept.
 */
export function opensAtMs(lane: Lane, { left, limit, endMs }: { left: number; limit: number; endMs: number }): number {
  if (left <= 0) return endMs;
  const kept = keptBack(lane, limit);
  return kept < left ? Number.NEGATIVE_INFINITY : endMs - ((left - 0.5) * minuteMs) / kept;
}

/** The permits that looks may take in the rest of a window: what nobody else waits for, or what is kept for them. */
export function spareForLooks(view: { left: number; limit: number; resetInMs: number; queued: number }): number {
  const { left, limit, resetInMs, queued } = view;
  const share = Math.min(1, resetInMs / minuteMs);
  const kept = (lane: Lane) => keptBack(lane, limit) * share;
  const free = Math.max(0, Math.round(left - kept("look")));
  return Math.max(free - queued, Math.min(free, Math.round(kept("change") - kept("look"))));
}
