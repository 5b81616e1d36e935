import { dialectOptions, dialects, furtherOptions } from "../../../simulator";
import { coveringRows, tunedMixes } from "../../../simulator/coveringDialects";

const options: [string, readonly unknown[]][] = Object.entries(dialectOptions);
const covering = Object.entries(dialects).filter(([name]) => name !== "documented");
const readings = covering
  .map(([, dialect]) => dialect)
  .map((dialect) => new Map<string, unknown>(Object.entries(dialect)));

const pairs = options.flatMap(([left, leftValues], index) =>
  options
    .slice(index + 1)
    .flatMap(([right, rightValues]) =>
      leftValues.flatMap((leftValue) => rightValues.map((rightValue) => ({ left, leftValue, right, rightValue }))),
    ),
);

test("the dialects have every pair of values of every two options", () => {
  const missing = pairs.filter(
    ({ left, leftValue, right, rightValue }) =>
      !readings.some((reading) => reading.get(left) === leftValue && reading.get(right) === rightValue),
  );
  expect(missing).toEqual([]);
  expect(pairs.length).toBeGreaterThan(5000);
});

test("there are at least six, all different, and not many more than the two longest options need", () => {
  const [longest = 0, second = 0] = options.map(([, values]) => values.length).sort((left, right) => right - left);
  expect(readings.length).toBeGreaterThanOrEqual(6);
  expect(readings.length).toBeLessThanOrEqual(2 * longest * second);
  expect(longest).toBeLessThanOrEqual(3);
  expect(new Set(covering.map(([, dialect]) => JSON.stringify(dialect))).size).toBe(readings.length);
});

test("each option of each dialect has a value of the table, and pages are small", () => {
  for (const reading of readings) {
    for (const [option, values] of options) expect(values).toContain(reading.get(option));
    expect(reading.get("pageSize")).toBe(2);
  }
});

test("plain has the first value of each option, and the mixes that of each further option", () => {
  const further = Object.fromEntries(Object.entries(furtherOptions).map(([option, [first]]) => [option, first]));
  for (const [, dialect] of covering) expect(dialect).toMatchObject(further);
  expect(dialects["plain"]).toEqual({
    ...Object.fromEntries(options.map(([option, [first]]) => [option, first])),
    ...further,
    pageSize: 2,
  });
});

test("the tuned mixes have a digit of a value for each option and no other, and alone hold every pair", () => {
  expect(Object.keys(tunedMixes)).toEqual(options.map(([option]) => option));
  expect(new Set(Object.values(tunedMixes).map((digits) => digits.length))).toEqual(new Set([readings.length - 2]));
  for (const [option, values] of options) {
    expect([...(tunedMixes[option] ?? "")].filter((digit) => Number(digit) >= values.length)).toEqual([]);
  }
});

test("no option is listed with one value alone, or with one value twice", () => {
  for (const [option, values] of options) {
    expect([option, values.length > 1, new Set(values).size]).toEqual([option, true, values.length]);
  }
});

test.each<[string, number[], number[][], number]>([
  ["two options need each pair once", [3, 2], [], 6],
  ["three options of two values need four rows", [2, 2, 2], [], 4],
  ["one option makes no pairs", [4], [], 0],
  [
    "no further row covers the pairs of the seeds",
    [2, 1],
    [
      [0, 0],
      [1, 0],
    ],
    2,
  ],
])("%s", (_title, sizes, seeds, expected) => {
  const rows = coveringRows(sizes, seeds);
  expect(rows).toHaveLength(expected);
  expect(rows.slice(0, seeds.length)).toEqual(seeds);
  expect(coveringRows(sizes, seeds)).toEqual(rows);
});
