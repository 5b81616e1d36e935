import fc from "fast-check";
import { type Lane, lanes } from "../../../provider/api/rateContract";
import { overdueMs, type Queued, RateQueue, turnEvery } from "../../../provider/api/rateQueue";

interface Waiter extends Queued {
  readonly number: number;
}

const step = fc.record({ lane: fc.constantFrom<Lane>(...lanes), adds: fc.boolean(), afterMs: fc.nat(15_000) });
const open = fc.subarray([...lanes], { minLength: 1 });

test("within a priority the order holds; a higher priority goes first unless another request is overdue", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.infiniteStream(open), (steps, opens) => {
      const queue = new RateQueue<Waiter>();
      const waiting: Waiter[] = [];
      let nowMs = 0;
      for (const [number, { lane, adds, afterMs }] of steps.entries()) {
        nowMs += afterMs;
        if (adds) {
          const waiter = { lane, number, sinceMs: nowMs };
          waiting.push(waiter);
          queue.add(waiter);
          continue;
        }
        const isOpen = new Set(opens.next().value);
        const taken = queue.take((one) => isOpen.has(one), nowMs);
        const able = waiting.filter((one) => isOpen.has(one.lane));
        expect(taken === undefined).toBe(able.length === 0);
        if (!taken) continue;
        expect(waiting.find((one) => one.lane === taken.lane)).toBe(taken);
        const best = Math.min(...able.map((one) => lanes.indexOf(one.lane)));
        if (lanes.indexOf(taken.lane) > best) expect(nowMs - taken.sinceMs).toBeGreaterThanOrEqual(overdueMs);
        waiting.splice(waiting.indexOf(taken), 1);
      }
      expect(queue.size).toBe(waiting.length);
    }),
    { numRuns: 300 },
  );
});

test.each(lanes)("however many others keep coming, a request of priority %s is taken in the end", (priority) => {
  const others = lanes.filter((other) => other !== priority);
  const queue = new RateQueue<Waiter>();
  let count = 0;
  const come = (nowMs: number) => {
    for (const other of others) queue.add({ lane: other, number: ++count, sinceMs: nowMs });
  };
  for (let time = 0; time < 50; time += 1) come(0);
  queue.add({ lane: priority, number: 0, sinceMs: 0 });
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
    queue.add({ lane: "look", number, sinceMs: 0 });
    queue.add({ lane: "urgent", number, sinceMs: 1 });
  }
  const taken = Array.from({ length: 100 }, () => queue.take(() => true, overdueMs + 1)?.lane);
  expect(taken.filter((priority) => priority === "look")).toHaveLength(100 / turnEvery);
});
