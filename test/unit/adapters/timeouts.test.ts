import { findTimeoutFailures } from "../../../provider/adapters/dynamicEngine";
import { ageUnits, parseDuration } from "../../../provider/base/clock";

describe("a length of time", () => {
  it.each<[unknown, number]>([
    ["45m", 2_700_000],
    ["1h30m", 5_400_000],
    ["1h", 3_600_000],
    ["90s", 90_000],
    ["500ms", 500],
    ["1m500ms", 60_500],
    ["1.5h", 5_400_000],
    ["0.5s", 500],
    ["1h0m0s", 3_600_000],
    ["24h", 86_400_000],
  ])("%j is %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each<unknown>([
    ..."0s,0h0m,45,m,-5m,1d,1 h,1h , 1h,1h\n,1H,1h30,forever,.5s,1e3s,".split(","),
    ...[5, null, undefined, { create: "1h" }],
    ["1h"],
  ])("%j is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

it("an age may be given in days too", () => {
  expect(["1d", "1d12h", "90m", "1w"].map((text) => parseDuration(text, ageUnits))).toEqual([
    ...[86_400_000, 129_600_000, 5_400_000],
    undefined,
  ]);
});

describe("timeouts", () => {
  it.each([[undefined], [null], ["1h"], [{}], [{ create: "1h", update: "20m", delete: "90s" }]])(
    "%j are valid",
    (timeouts) => {
      expect(findTimeoutFailures(timeouts)).toEqual([]);
    },
  );

  it("that cannot be parsed are all named, with a valid example", () => {
    const failures = findTimeoutFailures({ create: "soon", update: "20m", delete: 5 });
    expect(failures.map(({ property }) => property)).toEqual(["customTimeouts.create", "customTimeouts.delete"]);
    for (const { reason } of failures) expect(reason).toMatch(/45m or 1h30m/);
  });
});
