import type { HttpRequest } from "./send";

/**
 * The priorities of requests when permits are short, highest first: lookups after a lost answer, for which a cluster may exist
 * that no state contains; deletions, because a cluster is billed until then; changes; single reads; and polls, which come again.
 */
export const priorities = ["lookup", "urgent", "change", "read", "poll"] as const;
export type Priority = (typeof priorities)[number];

export function priorityOf({ kind, urgency }: Pick<HttpRequest, "kind" | "urgency">): Priority {
  if (kind === "delete") return "urgent";
  if (kind !== "read") return "change";
  return urgency === "reconcile" ? "lookup" : urgency === "poll" ? "poll" : "read";
}
