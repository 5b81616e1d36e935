import { duration, systemClock } from "../../../provider/base/clock";

test.each<[seconds: number, text: string]>([
  [0.4, "0s"],
  [190, "3m10s"],
  [3_600, "60m"],
  [9_030, "2h30m"],
])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds * 1000)).toBe(text);
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
