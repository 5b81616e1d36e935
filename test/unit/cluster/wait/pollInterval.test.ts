import fc from "fast-check";
import { pollPauseMs, type Waiting } from "../../../../provider/cluster/wait/pollInterval";

const free = { limit: 100, left: 100, spare: 96, resetInMs: 60_000, queued: 0, share: 1 };
const nearEnd = { ...free, resetInMs: 1_900 };
const due = { agesMs: [30_500, 30_500], fastestMs: 30_000, dueMs: 29_900, budget: { ...free, limit: 600, spare: 596 } };
const two: Waiting = { agesMs: [0, 0], sinceMs: 0, requests: 1, confirmations: 0, areDeletions: false, budget: free };

describe("the pause before the next look", () => {
  it.each<[string, Partial<Waiting>, number]>([
    ["is short at first", {}, 1_250],
    ["is shortest where nothing is known of the rate limit", { budget: { limit: 100, queued: 0, share: 1 } }, 1_000],
    ["takes half of what is left where a look is two requests", { requests: 2 }, 2_500],
    ["leaves room for confirmations", { confirmations: 48 }, 2_500],
    ["is made for a few looks where confirmations take all that is left", { confirmations: 500 }, 5_000],
    ["is 2 s at least where many wait for deletions", { areDeletions: true }, 2_000],
    ["grows with the wait", { agesMs: [600_000, 600_000] }, 2_400],
    ["of a single wait is longer: it has no other to share its polls with", { agesMs: [0] }, 2_000],
    ["of a single wait grows to 2.5 % of it", { agesMs: [300_000] }, 7_500],
    ["of a single wait is never longer than 15 s either", { agesMs: [3_000_000] }, 15_000],
    ["of a single wait is 0.6 s too when it looked ready a moment ago", { ...due, agesMs: [30_500] }, 600],
    ["is never longer than 15 s", { agesMs: [7_200_000, 7_200_000] }, 15_000],
    ["is never longer than 60 s if others use the key", { budget: { ...free, spare: 0, share: 0.1 } }, 60_000],
    [
      "is hardly longer than 15 s if others hardly use the key",
      { agesMs: [0, 30_000], fastestMs: 600_000, budget: { ...free, share: 0.96 } },
      15_625,
    ],
    ["spreads the few permits that are left over the rest of the window", { budget: { ...free, spare: 8 } }, 7_500],
    ["waits for the next window where none is left", { budget: { ...free, spare: 0, resetInMs: 9_000 } }, 9_000],
    ["reaches to the end of a window that ends soon after it", { budget: nearEnd }, 1_900],
    ["is not shorter because a window ends before it", { agesMs: [900_000, 900_000], budget: nearEnd }, 3_600],
    ["heeds no end of a window if others use the key", { budget: { ...nearEnd, share: 0.9 } }, 1_000],
    ["is that of the youngest wait", { agesMs: [10_000, 900_000] }, 1_250],
    ["reaches to the moment at which the first may be ready", { agesMs: [0, 230_000], fastestMs: 300_000 }, 10_000],
    ["is 0.6 s while all are about as old as the first that looked ready", { ...due, agesMs: [29_000, 30_800] }, 600],
    [
      "is as before if one is younger, as always in a fleet whose creations are spread",
      { ...due, agesMs: [28_000, 30_000] },
      1_000,
    ],
    ["is as before if they wait for deletions", { ...due, areDeletions: true }, 2_000],
    ["is not shorter for it than the permits allow", { ...due, budget: free }, 1_250],
    ["is as before when all are older", { ...due, agesMs: [31_000, 31_000] }, 1_000],
    ["is counted from the beginning of the last look", { sinceMs: 100 }, 1_150],
    ["is at least half of it, however long the last look took", { sinceMs: 1_200 }, 625],
    ["is whole where confirmations take what is left", { sinceMs: 100, confirmations: 90 }, 5_000],
    ["is whole after a look that took longer", { sinceMs: 1_250 }, 1_250],
    ["reaches to the end of the window from now", { sinceMs: 500, budget: { ...free, resetInMs: 1_400 } }, 1_400],
    ["is at most 15 s before that moment, for what fails", { agesMs: [0, 30_000], fastestMs: 300_000 }, 15_000],
  ])("%s", (_title, waiting, ms) => {
    expect(pollPauseMs({ ...two, ...waiting })).toBe(ms);
  });

  it("never uses up a window before its end, and never stops looking", () => {
    const left = { spare: fc.integer({ min: 1, max: 100 }), resetInMs: fc.integer({ min: 1, max: 60_000 }) };
    const budgets = fc.record({ limit: fc.constant(100), queued: fc.constant(0), share: fc.constant(1), ...left });
    fc.assert(
      fc.property(budgets, fc.integer({ min: 0, max: 4e6 }), fc.constantFrom(1, 2), (budget, age, requests) => {
        const pause = pollPauseMs({ ...two, agesMs: [age, age], requests, budget });
        expect(pause).toBeGreaterThanOrEqual(1_000);
        expect(pause).toBeLessThanOrEqual(15_000);
        const looks = Math.floor(budget.resetInMs / pause);
        if (pause < 15_000 && pause > 1_000)
          expect(looks * requests).toBeLessThanOrEqual(Math.max(budget.spare, requests));
      }),
    );
  });

  it("is never shorter than half of the one without the time that the last look took", () => {
    const ages = fc.array(fc.integer({ min: 0, max: 4e6 }), { minLength: 1, maxLength: 5 });
    const times = fc.record({
      agesMs: ages,
      fastestMs: fc.integer({ min: 0, max: 4e6 }),
      dueMs: fc.integer({ min: 0, max: 4e6 }),
    });
    const budgets = fc.record({
      spare: fc.integer({ min: 0, max: 96 }),
      resetInMs: fc.integer({ min: 2_000, max: 60_000 }),
    });
    fc.assert(
      fc.property(times, budgets, fc.integer({ min: 0, max: 60_000 }), (waiting, budget, sinceMs) => {
        const all = { ...two, ...waiting, budget: { ...free, share: 0.5, ...budget } };
        const whole = pollPauseMs(all);
        expect(whole).toBeGreaterThanOrEqual(600);
        const pause = pollPauseMs({ ...all, sinceMs });
        expect(pause).toBeGreaterThanOrEqual(whole / 2);
        expect(pause).toBeLessThanOrEqual(whole);
      }),
    );
  });
});
