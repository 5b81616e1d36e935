import { findTimeoutFailures } from "../../../provider/adapters/dynamicEngine";
import { ageUnits, parseDuration } from "../../../provider/base/clock";

it.each<[unknown, number | undefined]>([
  ["1h30m", 5_400_000],
  ["1m500ms", 60_500],
  ["1.5h", 5_400_000],
  ...["0s", "45", "m", "-5m", "1d", "1 h", "1h\n", "1h30", ".5s", 5, null, ["1h"]].map(
    (value): [unknown, undefined] => [value, undefined],
  ),
])("as a length of time %j is %s ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it("an age may be given in days too", () => {
  expect(["1d12h", "90m", "1w"].map((text) => parseDuration(text, ageUnits))).toEqual([
    129_600_000,
    5_400_000,
    undefined,
  ]);
});

it("timeouts that cannot be parsed are all named, with a valid example", () => {
  for (const timeouts of [undefined, {}, { create: "1h", update: "20m" }])
    expect(findTimeoutFailures(timeouts)).toEqual([]);
  const failures = findTimeoutFailures({ create: "soon", update: "20m", delete: 5 });
  expect(failures.map(({ property }) => property)).toEqual(["customTimeouts.create", "customTimeouts.delete"]);
  for (const { reason } of failures) expect(reason).toMatch(/45m or 1h30m/);
});
