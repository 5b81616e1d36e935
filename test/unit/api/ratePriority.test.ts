import fc from "fast-check";
import type { RequestKind, Urgency } from "../../../provider/api/http";
import { overdueMs, type Queued, RateQueue, turnEvery } from "../../../provider/api/rateLimiter";
import { admitsAtMs, type Priority, priorities, priorityOf, spareForPolls } from "../../../provider/api/ratePriority";
import { hasLittleWork } from "../../../provider/api/rateShare";
import { RateWindow } from "../../../provider/api/rateWindow";

test.each<[RequestKind, Urgency | undefined, Priority]>([
  ["delete", undefined, "urgent"],
  ["read", "reconcile", "lookup"],
  ["create", undefined, "change"],
  ["write", undefined, "change"],
  ["action", undefined, "change"],
  ["create", "poll", "change"],
  ["delete", "poll", "urgent"],
  ["read", undefined, "read"],
  ["read", "poll", "poll"],
])("a %s for %p goes in the priority %s", (kind, urgency, priority) => {
  expect(priorityOf({ kind, urgency })).toBe(priority);
});

/** The fewest permits with which a priority is open, so long before the end. */
function fewest(priority: Priority, limit: number, resetInMs: number): number {
  let left = 1;
  while (admitsAtMs(priority, { left, limit, endMs: 0 }) > -resetInMs) left += 1;
  return left;
}

test.each<[number, number, Record<Priority, number>]>([
  [100, 60_000, { lookup: 1, urgent: 1, change: 10, read: 7, poll: 4 }],
  [100, 40_000, { lookup: 1, urgent: 1, change: 7, read: 5, poll: 3 }],
  [100, 20_000, { lookup: 1, urgent: 1, change: 4, read: 3, poll: 2 }],
  [100, 3_000, { lookup: 1, urgent: 1, change: 1, read: 1, poll: 1 }],
  // A longer window is not worth a larger reserve.
  [100, 300_000, { lookup: 1, urgent: 1, change: 10, read: 7, poll: 4 }],
  [20, 60_000, { lookup: 1, urgent: 1, change: 2, read: 2, poll: 1 }],
  [5, 60_000, { lookup: 1, urgent: 1, change: 2, read: 1, poll: 1 }],
  [3, 60_000, { lookup: 1, urgent: 1, change: 1, read: 1, poll: 1 }],
  [1, 60_000, { lookup: 1, urgent: 1, change: 1, read: 1, poll: 1 }],
])("of a limit of %i, %i ms before the end, a priority goes while so many are left", (limit, resetInMs, expected) => {
  expect(Object.fromEntries(priorities.map((priority) => [priority, fewest(priority, limit, resetInMs)]))).toEqual(
    expected,
  );
});

test("every priority opens before the window ends if anything is left, and none before one that goes first", () => {
  const number = fc.integer({ min: 0, max: 1_000 });
  fc.assert(
    fc.property(number, fc.integer({ min: 1, max: 1_000 }), (left, limit) => {
      const opening = priorities.map((priority) => admitsAtMs(priority, { left, limit, endMs: 1_000_000 }));
      if (left > 0) for (const atMs of opening) expect(atMs).toBeLessThan(1_000_000);
      else expect(new Set(opening)).toEqual(new Set([1_000_000]));
      const [lookup = 0, urgent = 0, change = 0, read = 0, poll = 0] = opening;
      expect(lookup).toBeLessThanOrEqual(urgent);
      expect(urgent).toBeLessThanOrEqual(poll);
      expect(poll).toBeLessThanOrEqual(read);
      expect(read).toBeLessThanOrEqual(change);
    }),
  );
});

test.each([
  ["all that is left but the reserve, when nobody waits", { left: 50, limit: 100, resetInMs: 60_000, queued: 0 }, 47],
  ["less those that wait", { left: 50, limit: 100, resetInMs: 60_000, queued: 20 }, 27],
  ["what is kept for them, however many wait", { left: 50, limit: 100, resetInMs: 60_000, queued: 500 }, 6],
  ["less of that towards the end", { left: 50, limit: 100, resetInMs: 20_000, queued: 500 }, 2],
  ["no more than is left", { left: 5, limit: 100, resetInMs: 60_000, queued: 500 }, 2],
  ["nothing of the reserve", { left: 3, limit: 100, resetInMs: 60_000, queued: 0 }, 0],
  ["the reserve too, at the end", { left: 3, limit: 100, resetInMs: 2_000, queued: 0 }, 3],
  ["all of a small limit", { left: 4, limit: 5, resetInMs: 60_000, queued: 0 }, 4],
  ["nothing of nothing", { left: 0, limit: 100, resetInMs: 30_000, queued: 7 }, 0],
])("looks may take %s", (_what, view, expected) => {
  expect(spareForPolls(view)).toBe(expected);
});

test("a higher priority goes first; of ten permits one goes to a request that is overdue, however many others come", () => {
  const queue = new RateQueue<Queued>();
  const come = (priority: Priority, sinceMs: number) =>
    queue.add({ priority, sinceMs, lateAtMs: Number.POSITIVE_INFINITY });
  for (const priority of priorities.toReversed()) come(priority, 0);
  expect(priorities.map(() => queue.take(() => true, 0)?.priority)).toEqual([...priorities]);
  for (let time = 0; time < 50; time += 1) for (const priority of ["poll", "urgent"] as const) come(priority, 0);
  const taken = Array.from({ length: 100 }, (_, index) => {
    come("urgent", overdueMs + index);
    return queue.take(() => true, overdueMs + index)?.priority;
  });
  expect(taken.filter((priority) => priority === "poll").length).toBeGreaterThan(0);
  expect(taken.slice(0, turnEvery - 1)).not.toContain("poll");
});

const answerOf = (remaining: number, limit = 100) => ({
  headers: { limit, remaining, resetInMs: 60_000 },
  isRefused: false,
});

test.each([
  ["alone, fifteen, however little is left", 16, 82, 15],
  ["with others, ten while much is left", 60, 20, 10],
  ["with others, one of the last twenty", 20, 20, 1],
  ["with others, one of the last few", 3, 20, 1],
])("%s are in flight besides the one for urgent requests", (_what, remaining, spent, expected) => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(99), 0, 0.5);
  for (let count = 0; count < spent; count += 1) window.end(window.send(0), answerOf(98 - count), 0, 0.5);
  window.end(window.send(0), answerOf(remaining), 0, 0.5);
  let places = 0;
  for (; window.hasPlace("change"); places += 1) window.send(0);
  expect([places, window.hasPlace("urgent")]).toEqual([expected, true]);
  window.send(0);
  // A lookup after a lost answer needs a place, but no answers to others.
  expect(window.hasPlace("lookup")).toBe(places < 15);
});

test("a process alone stays alone if reads and changes have limits of their own, in whatever order their answers come", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(998, 1_000), 0, 0.5);
  const [read, change] = [window.send(0), window.send(0)];
  window.end(change, answerOf(99), 0, 0.5);
  window.end(read, answerOf(997, 1_000), 0, 0.5);
  expect([window.share, window.opensAtMs("poll", 0)]).toEqual([1, Number.NEGATIVE_INFINITY]);
});

/** A window after requests whose answers came at once, each with so many permits left. */
function windowAfter(counts: readonly number[], window = new RateWindow(), nowMs = 0): RateWindow {
  for (const remaining of counts) {
    window.turnOver(nowMs);
    window.end(window.send(nowMs), answerOf(remaining), nowMs, 0.5);
  }
  return window;
}

const down = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

test.each([
  ["the few requests of a preview", down(94, 80), true],
  ["many requests", down(70, 60), false],
  ["requests that come while it sends", [99, 98, 90, ...down(89, 75)], false],
])("a process that finds %s of others sends its last requests as if it were alone: %s", (_what, counts, isAlone) => {
  const window = windowAfter(counts);
  expect(window.opensAtMs("change", 0) <= 0).toBe(isAlone);
});

test("our requests of the last second, which the service counts in the next window, are not those of others", () => {
  const window = windowAfter(down(99, 20));
  windowAfter([79, 78, 77], window, 59_500);
  // The service had begun its next window before these three, and has counted them in it.
  windowAfter([96, 95], window, 60_000);
  expect(window.share).toBe(1);
});

test("a process does not forget the others if its answers overtake each other", () => {
  const window = windowAfter([99, 96]);
  for (let count = 0; count < 2; count += 1) window.send(0);
  // The service has counted the third of them first.
  window.end(window.send(0), answerOf(95), 0, 0.5);
  expect(window.share).toBeLessThan(1);
});

test.each([
  ["sends soon after an answer", 10, true],
  ["does not send long after it: the others have used up the rest", 1_000, false],
])("if few permits are left and others send fast, a process %s", (_what, laterMs, isOpen) => {
  const window = windowAfter([97, 94], new RateWindow());
  windowAfter([10], window, 1_000);
  const nowMs = 1_000 + laterMs;
  expect(window.opensAtMs("read", nowMs) <= nowMs).toBe(isOpen);
});

test.each<[string, number[], Priority]>([
  ["few permits were left and others sent fast", [97, 94, 10], "urgent"],
  ["few permits were left and our share of them is used up", [95, 50, 9, 8, 8], "urgent"],
  ["what is left is for those with little work", [80, ...down(60, 11), 13, 12, 11], "change"],
])(
  "a process finds out after a minute of silence whether others go on, in a window of five: %s",
  (_what, counts, priority) => {
    const window = new RateWindow();
    for (const remaining of counts) {
      const headers = { limit: 100, remaining, resetInMs: 290_000 };
      window.end(window.send(0), { headers, isRefused: false }, 0, 0);
    }
    const opensAtMs = window.opensAtMs(priority, 1_000);
    expect(opensAtMs).toBe(60_000);
    expect(window.opensAtMs(priority, opensAtMs)).toBeLessThanOrEqual(opensAtMs);
  },
);

test("a process that was alone in the window before sends at once in the next one, without waiting for answers", () => {
  const window = windowAfter(down(99, 20));
  windowAfter([99], window, 60_000);
  let places = 0;
  for (; window.hasPlace("change"); places += 1) window.send(60_000);
  expect(places).toBe(15);
});

test("a window of a minute ends a minute after its first answer, even if whole seconds show more", () => {
  const window = new RateWindow();
  window.end(window.send(0), { headers: { limit: 1, remaining: 0, resetInMs: 61_000 }, isRefused: false }, 0, 0.5);
  expect(window.opensAtMs("change", 0)).toBe(60_000);
});

test("a window of five minutes does not end early when an answer comes a minute before its end", () => {
  const window = new RateWindow();
  for (const resetInMs of [250_000, 61_000]) {
    const headers = { limit: 1, remaining: 0, resetInMs };
    window.end(window.send(250_000 - resetInMs), { headers, isRefused: false }, 250_000 - resetInMs, 0);
  }
  expect(window.opensAtMs("change", 190_000)).toBe(250_000);
});

test("before anything is known of a window, no more are in flight than the limit", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(2, 3), 0, 0.5);
  for (const nowMs of [0, 0]) window.send(nowMs);
  window.turnOver(61_000);
  expect(window.hasPlace("urgent")).toBe(true);
  window.send(61_000);
  expect(window.hasPlace("urgent")).toBe(false);
});

test.each([
  [1, "change", true],
  [2, "change", false],
  [2, "poll", true],
  [3, "poll", false],
] as const)("after %i requests in a window that others use up, a %s may go: %s", (own, priority, expected) => {
  expect(hasLittleWork({ limit: 100, used: 98, own, before: 0.01, wasShort: true }, 2, priority)).toBe(expected);
});
