import type { RateHeaders } from "../../../../provider/api/http/rateHeaders";
import { type Priority, priorities } from "../../../../provider/api/http/ratePriority";
import { RateWindow } from "../../../../provider/api/http/rateWindow";

const minuteMs = 60_000;
const answerOf = (remaining: number, more: RateHeaders = {}) => {
  return { headers: { limit: 100, remaining, resetInMs: minuteMs, ...more }, isRefused: false };
};

/** A window after requests whose answers came at once, each with so many permits left. */
function windowAfter(counts: readonly number[]): RateWindow {
  const window = new RateWindow();
  for (const remaining of counts) window.end(window.send(0), answerOf(remaining), 0, 0.5);
  return window;
}

test("a slow answer is no new window: its count is older than those that came before it", () => {
  const window = new RateWindow();
  const [slow, fast] = [window.send(0), window.send(0)];
  window.end(fast, answerOf(1), 50, 0);
  window.end(slow, answerOf(99), 5_000, 0);
  expect(window.standing(5_000, 0)).toMatchObject({ left: 1, resetInMs: minuteMs + 50 - 5_000 });
});

test("a later end is a new window, also before the known one is over: reset times are whole seconds", () => {
  const window = windowAfter([0]);
  window.end(window.send(59_000), answerOf(99), 59_050, 0);
  expect(window.standing(59_050, 0)).toMatchObject({ left: 99, resetInMs: minuteMs });
});

test("a request of the window before counts in the new one, in flight and after its end", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(50), 0, 0);
  const [late, lost] = [window.send(59_000), window.send(59_000)];
  window.turnOver(minuteMs);
  const probe = window.send(minuteMs);
  window.end(late, answerOf(0, { resetInMs: 0 }), minuteMs, 0);
  window.end(probe, answerOf(9), minuteMs, 0);
  expect(window.standing(minuteMs, 0)?.left).toBe(7);
  window.end(lost, undefined, minuteMs, 0);
  expect(window.standing(minuteMs, 0)?.left).toBe(7);
});

test("a window of a minute ends a minute after its first answer, even if whole seconds show more", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(0, { limit: 1, resetInMs: 61_000 }), 0, 0);
  expect(window.opensAtMs("change")).toBe(minuteMs);
});

test("a window of five minutes does not end early when an answer comes a minute before its end", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(1, { limit: 2, resetInMs: 250_000 }), 0, 0);
  window.end(window.send(189_000), answerOf(0, { limit: 2, resetInMs: 61_000 }), 189_000, 0);
  expect(window.opensAtMs("change")).toBe(250_000);
});

test("a process alone stays alone if reads and changes have limits of their own, in whatever order their answers come", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(998, { limit: 1_000 }), 0, 0.5);
  const [read, change] = [window.send(0), window.send(0)];
  window.end(change, answerOf(99), 0, 0.5);
  window.end(read, answerOf(997, { limit: 1_000 }), 0, 0.5);
  expect([window.share, window.opensAtMs("poll")]).toEqual([1, 0]);
});

test("a process does not forget the others if its answers overtake each other", () => {
  const window = windowAfter([99, 96]);
  const [first] = [window.send(0), window.send(0)];
  window.end(first, answerOf(95), 0, 0.5);
  expect(window.share).toBeLessThan(1);
});

test.each([
  ["of many permits, fifteen", 59, 40, 15],
  ["alone, a third of the last ones", 17, 82, 5],
  ["with others, a third of our part", 60, 20, 10],
  ["with others, one of the last few", 6, 20, 1],
])("%s are in flight besides the one for urgent requests", (_what, remaining, own, expected) => {
  const window = windowAfter([...Array.from({ length: own }, (_, index) => 99 - index), remaining]);
  let places = 0;
  for (; window.hasPlace("change"); places += 1) window.send(0);
  expect([places, window.hasPlace("urgent")]).toEqual([expected, true]);
  window.send(0);
  // A lookup after a lost answer needs a place, but no answers to others.
  expect(window.hasPlace("lookup")).toBe(places < 15);
});

test("before anything is known of a window, no more are in flight than the limit", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(2, { limit: 3 }), 0, 0.5);
  for (const nowMs of [0, 0]) window.send(nowMs);
  window.turnOver(61_000);
  expect(window.hasPlace("change")).toBe(true);
  window.send(61_000);
  expect(window.hasPlace("change")).toBe(false);
});

const keeps: [number, Record<Priority, number>][] = [
  [100, { lookup: 1, urgent: 1, change: 10, read: 10, poll: 5 }],
  [20, { lookup: 1, urgent: 1, change: 2, read: 2, poll: 1 }],
  [9, { lookup: 1, urgent: 1, change: 1, read: 1, poll: 1 }],
];
test.each(keeps)(
  "of a limit of %i, a priority goes while so many are left, and near the end while any is",
  (limit, keep) => {
    const fewest = (priority: Priority, nowMs: number) => {
      const window = new RateWindow();
      let left = limit;
      while (left > 0 && window.opensAtMs(priority) <= nowMs) {
        left -= 1;
        window.end(window.send(0), answerOf(left, { limit }), 0, 0.5);
      }
      return left + 1;
    };
    expect(Object.fromEntries(priorities.map((each) => [each, fewest(each, 0)]))).toEqual(keep);
    expect(priorities.map((each) => fewest(each, 58_000))).toEqual([1, 1, 1, 1, 1]);
  },
);
