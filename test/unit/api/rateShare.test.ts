import {
  areGone,
  type Count,
  firstPace,
  paceAfter,
  type Use,
  unansweredUntilMs,
} from "../../../provider/api/rateShare";

describe("the pace of the others", () => {
  const first = firstPace({ requests: 10, atMs: 0 });

  test("is measured over 50 ms at least: of a burst, some answers show no request of others", () => {
    const burst = paceAfter(first, { requests: 40, atMs: 60 });
    expect([burst.now, burst.average]).toEqual([0.5, 0.5]);
    expect(paceAfter(burst, { requests: 40, atMs: 65 }).now).toBe(0.5);
  });

  test("is that since the last count: a burst is soon forgotten, but not in the average", () => {
    const burst = paceAfter(first, { requests: 60, atMs: 100 });
    const after = paceAfter(burst, { requests: 62, atMs: 2_100 });
    expect([after.now, after.average]).toEqual([0.001, 52 / 2_100]);
  });

  test("is never negative: a service may count fewer requests of others than before", () => {
    expect(paceAfter(first, { requests: 4, atMs: 100 })).toMatchObject({ now: 0, average: 0 });
  });
});

describe("an old count", () => {
  const use: Use = { limit: 100, used: 60, own: 8, before: 1 / 16, wasShort: true };
  // The others send 100 requests in a second.
  const pace = { ...firstPace({ requests: 52, atMs: 0 }), now: 0.1, average: 0.1 };
  const count: Count = { told: 40, toldAtMs: 0, heardAtMs: 0, pace };

  test.each<[string, Partial<Use>, Partial<Count>, number, boolean]>([
    ["one of many processes that has had its turn takes them for gone", {}, {}, 500, true],
    ["not before the others can have sent so many", {}, {}, 300, false],
    ["not if the others are quiet now", {}, { pace: { ...pace, now: 0.001 } }, 500, false],
    ["not if only the last moment was a burst", {}, { pace: { ...pace, average: 0.001 } }, 500, false],
    ["not if permits were left in the window before", { wasShort: false }, {}, 500, false],
    ["not if few processes share the key: they leave permits to each other", { before: 1 / 4 }, {}, 500, false],
    ["not before its turn", { own: 4 }, {}, 500, false],
    ["the last ones also before its turn", { own: 4 }, { told: 14, pace: { ...pace, average: 0.001 } }, 500, true],
    ["but not for its first request in a window", { own: 1 }, { told: 14 }, 500, false],
  ])("of the permits left: %s", (_what, used, counted, atMs, isGone) => {
    expect(areGone({ ...use, ...used }, { ...count, ...counted }, atMs)).toBe(isGone);
  });

  test.each([
    ["a new count: at once", 100, 400, Number.NEGATIVE_INFINITY],
    ["an old one: a second after the last request", 100, 600, 1_550],
    ["a larger limit: sooner", 1_000, 600, 650],
  ])("and the answer to the last request, with %s", (_what, limit, nowMs, untilMs) => {
    expect(unansweredUntilMs(limit, count, 550, nowMs)).toBe(untilMs);
  });
});
