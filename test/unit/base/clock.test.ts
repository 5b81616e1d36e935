import { duration } from "../../../provider/base/clock";

test.each<[seconds: number, text: string]>([
  [0, "0s"],
  [0.4, "0s"],
  [59, "59s"],
  [60, "1m"],
  [190, "3m10s"],
  [3_600, "60m"],
  [7_199, "119m59s"],
  [7_200, "2h"],
  [9_030, "2h30m"],
  [21_600, "6h"],
  [90_061, "25h1m"],
])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds * 1000)).toBe(text);
});
