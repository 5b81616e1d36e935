import { age, duration, parseDuration, systemClock } from "../../../provider/base/clock";

test("a duration is short, and rounded to what counts", () => {
  const seconds = [0.4, 190, 3_600, 9_030];
  expect(seconds.map((each) => duration(each * 1000))).toEqual(["0s", "3m10s", "60m", "2h30m"]);
});

test("an age is in the largest unit that fits", () => {
  const seconds = [0.9, 59, 60, 3_599, 3_600, 86_399, 86_400, 40 * 86_400];
  expect(seconds.map((each) => age(each * 1000))).toEqual(["0s", "59s", "1m", "59m", "1h", "23h", "1d", "40d"]);
});

test("a duration is read as Go writes it, and in days too", () => {
  const read = ["1h30m", "1m500ms", "1.5h", "1d12h"].map(parseDuration);
  expect(read).toEqual([5_400_000, 60_500, 5_400_000, 129_600_000]);
  for (const wrong of ["0s", "45", "m", "-5m", "1w", "1 h", "1h\n", "1h30", ".5s", 5, null, ["1h"]])
    expect([wrong, parseDuration(wrong)]).toEqual([wrong, undefined]);
});

test("a sleep that is longer than a timer can be does not end at once", async () => {
  const controller = new AbortController();
  let hasEnded = false;
  const sleep = systemClock.sleep(2 ** 31 + 5_000, controller.signal).then(() => {
    hasEnded = true;
  });
  await systemClock.sleep(20);
  expect(hasEnded).toBe(false);
  controller.abort(new Error("interrupted"));
  await expect(sleep).rejects.toThrow(/^interrupted$/);
});
