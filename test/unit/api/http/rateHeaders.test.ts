import fc from "fast-check";
import { readRateHeaders } from "../../../../provider/api/http/rateLimiter";

const nowMs = Date.parse("2030-01-01T00:00:00Z");
const dayMs = 24 * 3_600_000;
const httpDate = (ms: number) => new Date(ms).toUTCString();
const unix = (ms: number) => String(ms / 1000);

test.each<[string, Record<string, string>, number | undefined]>([
  ["a reset without a Date is compared with the local clock", { reset: unix(nowMs + 20_000) }, 20_000],
  ["a reset in the past becomes a whole window", { reset: unix(nowMs - 1_000), date: httpDate(nowMs) }, 60_000],
  ["a late reset is cut if the local clock may be wrong", { reset: unix(nowMs + 300_000) }, 65_000],
  ["a reset in an hour is cut", { reset: "3600", date: httpDate(nowMs) }, 65_000],
  ["a negative reset is ignored", { reset: "-5", date: httpDate(nowMs) }, undefined],
])("%s", (_name, { reset, ...headers }, expected) => {
  expect(readRateHeaders({ ...headers, "x-ratelimit-reset": reset ?? "" }, nowMs).resetInMs).toBe(expected);
});

const unit = fc.constantFrom("seconds", "milliseconds", "delta");
test("a reset is never read early, and at most 5 s late, however wrong the clock of the service is", () => {
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

test("no header makes a window longer than five minutes or a number negative", () => {
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

test("the headers are read even without their `X-`, and Retry-After even as a date", () => {
  const headers = { "ratelimit-limit": "5000", "ratelimit-remaining": "4816", "ratelimit-reset": "30" };
  const read = readRateHeaders({ ...headers, "retry-after": httpDate(nowMs + 90_000) }, nowMs);
  expect(read).toEqual({ limit: 5000, remaining: 4816, resetInMs: 30_000, retryAfterMs: 90_000 });
});
