import type { Dialect, PerValue } from "./dialectOptions";
import type { RateState } from "./rateWindows";

/** The three rate headers of every response. */
export function rateHeaders(rate: RateState, now: number, dialect: Dialect): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(rate.limit),
    "X-RateLimit-Remaining": String(rate.remaining),
    "X-RateLimit-Reset": String(rateReset[dialect.rateResetUnit](rate.resetAt, now)),
  };
}

/** The headers of a refusal over the rate limit; `seconds` is the time until the window ends. */
export const retryHeaders: PerValue<"rateLimitForm", (seconds: number) => Record<string, string>> = {
  "retry-after": (seconds) => ({ "Retry-After": String(seconds) }),
  "no-retry-after": () => ({}),
};

const rateReset: PerValue<"rateResetUnit", (resetAt: number, now: number) => number> = {
  seconds: (resetAt) => Math.ceil(resetAt / 1000),
  milliseconds: (resetAt) => Math.ceil(resetAt),
  delta: (resetAt, now) => Math.ceil((resetAt - now) / 1000),
};
