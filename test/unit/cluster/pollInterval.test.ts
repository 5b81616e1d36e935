import fc from "fast-check";
import { pollIntervalMs, type Waiting } from "../../../provider/cluster/poller";

const free = { limit: 100, left: 100, spare: 96, resetInMs: 60_000, queued: 0 };
const one: Waiting = { youngestMs: 0, oldestMs: 0, requests: 1, confirmations: 0, areDeletions: false, budget: free };

describe("the pause before the next look", () => {
  it.each<[string, Partial<Waiting>, number]>([
    ["is short at first", {}, 1_250],
    ["is shortest where nothing is known of the rate limit", { budget: { limit: 100, queued: 0 } }, 1_000],
    ["takes half of what is left where a look is two requests", { requests: 2 }, 2_500],
    ["leaves room for confirmations", { confirmations: 48 }, 2_500],
    ["is made for a few looks where confirmations take all that is left", { confirmations: 500 }, 5_000],
    ["is 2 s at least where many wait for deletions", { areDeletions: true }, 2_000],
    ["grows with the wait", { youngestMs: 600_000, oldestMs: 600_000 }, 2_400],
    ["is never longer than 15 s", { youngestMs: 7_200_000, oldestMs: 7_200_000 }, 15_000],
    ["spreads the few permits that are left over the rest of the window", { budget: { ...free, spare: 8 } }, 7_500],
    ["waits for the next window where none is left", { budget: { ...free, spare: 0, resetInMs: 9_000 } }, 9_000],
    ["is that of the youngest wait", { youngestMs: 10_000, oldestMs: 900_000 }, 1_250],
    ["reaches to the moment at which the first may be ready", { oldestMs: 230_000, fastestMs: 300_000 }, 10_000],
    ["is at most 15 s before that moment, for what fails", { oldestMs: 30_000, fastestMs: 300_000 }, 15_000],
  ])("%s", (_title, waiting, ms) => {
    expect(pollIntervalMs({ ...one, ...waiting })).toBe(ms);
  });

  it("never uses up a window before its end, and never stops looking", () => {
    const budget = fc.record({
      limit: fc.constant(100),
      spare: fc.integer({ min: 1, max: 100 }),
      resetInMs: fc.integer({ min: 1_000, max: 60_000 }),
      queued: fc.constant(0),
    });
    fc.assert(
      fc.property(budget, fc.integer({ min: 0, max: 4e6 }), fc.constantFrom(1, 2), (view, age, requests) => {
        const pause = pollIntervalMs({
          youngestMs: age,
          oldestMs: age,
          requests,
          confirmations: 0,
          areDeletions: false,
          budget: view,
        });
        expect(pause).toBeGreaterThanOrEqual(1_000);
        expect(pause).toBeLessThanOrEqual(15_000);
        const looks = Math.floor(view.resetInMs / pause);
        if (pause < 15_000 && pause > 1_000)
          expect(looks * requests).toBeLessThanOrEqual(Math.max(view.spare, requests));
      }),
    );
  });
});
