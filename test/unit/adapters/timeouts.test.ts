import { findTimeoutFailures } from "../../../provider/adapters/dynamicEngine";
import { ageUnits, parseDuration } from "../../../provider/base/clock";

it.each<[unknown, number | undefined]>([
  ["1h30m", 5_400_000],
  ["1m500ms", 60_500],
  ["1.5h", 5_400_000],
  ...["0s", "45", "m", "-5m", "1d", "1 h", "1h\n", "1h30", ".5s", 5, null, ["1h"]].map(
    (value): [unknown, undefined] => [value, undefined],
  ),
])("parseDuration(%j) is %s", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it("an age can be in days too", () => {
  expect(["1d12h", "90m", "1w"].map((text) => parseDuration(text, ageUnits))).toEqual([
    129_600_000,
    5_400_000,
    undefined,
  ]);
});

it("the failures of timeouts name each that cannot be parsed, with a valid example", () => {
  for (const timeouts of [undefined, {}, { create: "1h", update: "20m" }])
    expect(findTimeoutFailures(timeouts)).toEqual([]);
  const failures = findTimeoutFailures({ create: "soon", update: "20m", delete: 5 });
  expect(failures.map(({ property }) => property)).toEqual(["customTimeouts.create", "customTimeouts.delete"]);
  for (const { reason } of failures) expect(reason).toMatch(/45m or 1h30m/);
});
