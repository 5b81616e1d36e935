import { systemClock } from "../../../provider/base/clock";

test.each([2 ** 31, 2 ** 31 + 5_000, 2 ** 40, Number.POSITIVE_INFINITY])(
  "a sleep of %d ms, longer than a timer can be, does not end at once",
  async (ms) => {
    const controller = new AbortController();
    let hasEnded = false;
    const sleep = systemClock.sleep(ms, controller.signal).then(() => {
      hasEnded = true;
    });
    await systemClock.sleep(20);
    expect(hasEnded).toBe(false);
    controller.abort(new Error("interrupted"));
    await expect(sleep).rejects.toThrow(/^interrupted$/);
  },
);
