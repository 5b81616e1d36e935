import { duration, systemClock } from "../../../provider/base/clock";

test("a duration is short, and rounded to what counts", () => {
  const seconds = [0.4, 190, 3_600, 9_030];
  expect(seconds.map((each) => duration(each * 1000))).toEqual(["0s", "3m10s", "60m", "2h30m"]);
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
