import fc from "fast-check";
import { readRateHeaders } from "../../../../provider/api/http/rateHeaders";

const nowMs = Date.parse("2030-01-01T00:00:00Z");
const dayMs = 24 * 3_600_000;
const httpDate = (ms: number) => new Date(ms).toUTCString();
const unix = (ms: number) => String(ms / 1000);

const noDate = undefined;
test.each([
  ["seconds", unix(nowMs + 20_000), httpDate(nowMs), 20_000],
  ["milliseconds", String(nowMs + 20_000), httpDate(nowMs), 20_000],
  ["a length in seconds", "20", httpDate(nowMs), 20_000],
  ["seconds without a Date, by our own clock", unix(nowMs + 20_000), noDate, 20_000],
  ["seconds of a service whose clock is a day ahead", unix(nowMs + dayMs + 9_000), httpDate(nowMs + dayMs), 9_000],
  ["a time that has passed, which says nothing: a whole window", unix(nowMs - 1_000), httpDate(nowMs), 60_000],
  ["a window of five minutes", unix(nowMs + 300_000), httpDate(nowMs), 300_000],
  ["a time in five minutes without a Date, cut: our own clock may be wrong", unix(nowMs + 300_000), noDate, 65_000],
  ["a length of an hour, cut", "3600", httpDate(nowMs), 65_000],
  ["a negative number", "-5", httpDate(nowMs), undefined],
  ["a word", "soon", httpDate(nowMs), undefined],
  ["nothing", "", httpDate(nowMs), undefined],
  ["an ISO time, which the specification does not know", "2030-01-01T00:00:20Z", httpDate(nowMs), undefined],
  ["no header", undefined, httpDate(nowMs), undefined],
])("the reset is read from %s", (_what, reset, date, expected) => {
  const headers = { ...(reset !== undefined && { "x-ratelimit-reset": reset }), ...(date !== undefined && { date }) };
  expect(readRateHeaders(headers, nowMs).resetInMs).toBe(expected);
});

test.each([
  ["seconds", "7", 7_000],
  ["a wait that is too long, uncut: it has to be refused, not shortened", "1000000000", 1e12],
  ["a date", httpDate(nowMs + 90_000), 90_000],
  ["a negative number", "-1", undefined],
  ["a word", "later", undefined],
  ["a date in a form that HTTP does not define", "2030-01-01T00:01:30Z", undefined],
  ["a date that does not exist", "Xyz, 99 Foo 2030 00:00:00 GMT", undefined],
])("Retry-After is read from %s", (_what, value, expected) => {
  const headers = { "retry-after": value, date: httpDate(nowMs) };
  expect(readRateHeaders(headers, nowMs + 5 * dayMs).retryAfterMs).toBe(expected);
});

const counts = { "x-ratelimit-limit": "100, 100 ,0,-1,many", "x-ratelimit-remaining": "42,0,3.9,-3,0x10," };
const numbers = { "100": 100, " 100 ": 100, "42": 42, "0": 0, "3.9": 3 };
test.each(Object.entries(counts))("%s is read from a number, and no limit is 0", (header, values) => {
  const name = header.replace("x-ratelimit-", "");
  for (const value of values.split(",")) {
    const number: number | undefined = Reflect.get(numbers, value);
    const isKnown = number !== undefined && (name !== "limit" || number > 0);
    expect([value, readRateHeaders({ [header]: value }, nowMs)]).toEqual([value, isKnown ? { [name]: number } : {}]);
  }
});

const unit = fc.constantFrom("seconds", "milliseconds", "delta");
test("however wrong the service's clock is, the reset is never read early, and at most 5 s late", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -dayMs, max: dayMs }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 0, max: 999 }),
      unit,
      (skewMs, leftMs, phaseMs, form) => {
        const serviceMs = nowMs + phaseMs + skewMs;
        const resetMs = serviceMs + leftMs;
        const resets = { seconds: Math.ceil(resetMs / 1000), milliseconds: resetMs, delta: Math.ceil(leftMs / 1000) };
        const headers = { date: httpDate(serviceMs), "x-ratelimit-reset": String(resets[form]) };
        const { resetInMs = -1 } = readRateHeaders(headers, nowMs + phaseMs);
        expect(resetInMs).toBeGreaterThanOrEqual(leftMs);
        expect(resetInMs).toBeLessThanOrEqual(leftMs + 5_000);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("whatever the headers say, a length is between nothing and five minutes, and a number is never negative", () => {
  const text = fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String), fc.bigInt().map(String));
  fc.assert(
    fc.property(text, text, text, text, (reset, remaining, limit, retryAfter) => {
      const counts = { "x-ratelimit-remaining": remaining, "x-ratelimit-limit": limit };
      const read = readRateHeaders({ ...counts, "x-ratelimit-reset": reset, "retry-after": retryAfter }, nowMs);
      for (const number of Object.values(read)) if (number !== undefined) expect(number).toBeGreaterThanOrEqual(0);
      expect(read.resetInMs ?? 0).toBeLessThanOrEqual(300_000);
    }),
    { numRuns: 1_000 },
  );
});

test("the three headers are read without their `X-` too", () => {
  const headers = { "ratelimit-limit": "5000", "ratelimit-remaining": "4816", "ratelimit-reset": "30" };
  expect(readRateHeaders(headers, nowMs)).toMatchObject({ limit: 5000, remaining: 4816, resetInMs: 30_000 });
});
