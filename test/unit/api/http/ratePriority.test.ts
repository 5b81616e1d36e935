import { type Priority, priorityOf } from "../../../../provider/api/http/ratePriority";
import type { RequestKind, Urgency } from "../../../../provider/api/http/send";

test.each<[RequestKind, Urgency | undefined, Priority]>([
  ["read", "reconcile", "lookup"],
  ["delete", undefined, "urgent"],
  ["delete", "poll", "urgent"],
  ["create", undefined, "change"],
  ["create", "poll", "change"],
  ["write", undefined, "change"],
  ["action", undefined, "change"],
  ["read", undefined, "read"],
  ["read", "poll", "poll"],
])("a %s for %p goes in the priority %s", (kind, urgency, priority) => {
  expect(priorityOf({ kind, urgency })).toBe(priority);
});
