import fc from "fast-check";
import { overdueMs, type Queued, RateQueue, turnEvery } from "../../../provider/api/rateLimiter";
import { type Priority, priorities } from "../../../provider/api/rateWindow";

interface Waiter extends Queued {
  readonly number: number;
}

const step = fc.record({
  priority: fc.constantFrom<Priority>(...priorities),
  adds: fc.boolean(),
  afterMs: fc.nat(15_000),
});
const open = fc.subarray([...priorities], { minLength: 1 });

test("within a priority the order holds; a higher priority goes first unless another request is overdue", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.infiniteStream(open), (steps, opens) => {
      const queue = new RateQueue<Waiter>();
      const waiting: Waiter[] = [];
      let nowMs = 0;
      for (const [number, { priority, adds, afterMs }] of steps.entries()) {
        nowMs += afterMs;
        if (adds) {
          const waiter = { priority, number, sinceMs: nowMs };
          waiting.push(waiter);
          queue.add(waiter);
          continue;
        }
        const isOpen = new Set(opens.next().value);
        const taken = queue.take((one) => isOpen.has(one), nowMs);
        const able = waiting.filter((one) => isOpen.has(one.priority));
        expect(taken === undefined).toBe(able.length === 0);
        if (!taken) continue;
        expect(waiting.find((one) => one.priority === taken.priority)).toBe(taken);
        const best = Math.min(...able.map((one) => priorities.indexOf(one.priority)));
        if (priorities.indexOf(taken.priority) > best) expect(nowMs - taken.sinceMs).toBeGreaterThanOrEqual(overdueMs);
        waiting.splice(waiting.indexOf(taken), 1);
      }
      expect(queue.size).toBe(waiting.length);
    }),
    { numRuns: 300 },
  );
});

test.each(priorities)("however many others keep coming, a request of priority %s is taken in the end", (priority) => {
  const others = priorities.filter((other) => other !== priority);
  const queue = new RateQueue<Waiter>();
  let count = 0;
  const come = (nowMs: number) => {
    for (const other of others) queue.add({ priority: other, number: ++count, sinceMs: nowMs });
  };
  for (let time = 0; time < 50; time += 1) come(0);
  queue.add({ priority: priority, number: 0, sinceMs: 0 });
  // Requests of the same age go first if their priority is higher; later requests do not.
  const longest = (150 + 1) * turnEvery;
  let taken = 0;
  for (let nowMs = overdueMs; queue.take(() => true, nowMs)?.number !== 0; nowMs += 600) {
    come(nowMs);
    taken += 1;
    expect(taken).toBeLessThanOrEqual(longest);
  }
});

test("only one permit in many goes to an overdue request, so that priorities still count", () => {
  const queue = new RateQueue<Waiter>();
  for (let number = 0; number < 100; number += 1) {
    queue.add({ priority: "poll", number, sinceMs: 0 });
    queue.add({ priority: "urgent", number, sinceMs: 1 });
  }
  const taken = Array.from({ length: 100 }, () => queue.take(() => true, overdueMs + 1)?.priority);
  expect(taken.filter((priority) => priority === "poll")).toHaveLength(100 / turnEvery);
});
