import fc from "fast-check";
import { readRateHeaders } from "../../../../provider/api/http/rateHeaders";

const nowMs = Date.parse("2030-01-01T00:00:00Z");
const dayMs = 24 * 3_600_000;
const httpDate = (ms: number) => new Date(ms).toUTCString();
const unix = (ms: number) => String(ms / 1000);

const noDate = undefined;
test.each([
  ["seconds without a Date, by our own clock", unix(nowMs + 20_000), noDate, 20_000],
  ["a time that has passed, which says nothing: a whole window", unix(nowMs - 1_000), httpDate(nowMs), 60_000],
  ["a time in five minutes without a Date, cut: our own clock may be wrong", unix(nowMs + 300_000), noDate, 65_000],
  ["a length of an hour, cut", "3600", httpDate(nowMs), 65_000],
  ["a negative number", "-5", httpDate(nowMs), undefined],
])("the reset is read from %s", (_what, reset, date, expected) => {
  const headers = { "x-ratelimit-reset": reset, ...(date !== undefined && { date }) };
  expect(readRateHeaders(headers, nowMs).resetInMs).toBe(expected);
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
    { numRuns: 500 },
  );
});

test("whatever the headers say, a length is between nothing and five minutes, and a number is never negative", () => {
  const text = fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String), fc.bigInt().map(String));
  fc.assert(
    fc.property(text, text, text, text, (reset, remaining, limit, retryAfter) => {
      const counts = { "x-ratelimit-remaining": remaining, "x-ratelimit-limit": limit };
      const read = readRateHeaders({ ...counts, "x-ratelimit-reset": reset, "retry-after": retryAfter }, nowMs);
      for (const number of Object.values(read)) if (number !== undefined) expect(number).toBeGreaterThanOrEqual(0);
      expect(read.limit).not.toBe(0);
      expect(read.resetInMs ?? 0).toBeLessThanOrEqual(300_000);
    }),
    { numRuns: 500 },
  );
});

test("the three headers are read without their `X-` too, and Retry-After as a date", () => {
  const headers = { "ratelimit-limit": "5000", "ratelimit-remaining": "4816", "ratelimit-reset": "30" };
  const read = readRateHeaders({ ...headers, "retry-after": httpDate(nowMs + 90_000) }, nowMs);
  expect(read).toEqual({ limit: 5000, remaining: 4816, resetInMs: 30_000, retryAfterMs: 90_000 });
});
