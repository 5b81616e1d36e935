import { ApiError } from "./answers";
import type { Dialect, PerValue } from "./dialectOptions";

/** The use of a key's window. */
interface RateState {
  limit: number;
  remaining: number;
  resetAt: number;
  /** Whether this request is over the limit. */
  exceeded: boolean;
}

/** Fixed windows, one per key. Each begins with the key's first request. Refused requests do not count. */
export class RateWindows {
  readonly #windows = new Map<string, { used: number; resetAt: number }>();

  constructor(
    readonly limit: number,
    readonly windowMs: number,
  ) {}

  /** Counts one request of a key. */
  take(key: string, now: number): RateState {
    let window = this.#windows.get(key);
    if (!window || now >= window.resetAt) {
      window = { used: 0, resetAt: now + this.windowMs };
      this.#windows.set(key, window);
    }
    const exceeded = window.used >= this.limit;
    if (!exceeded) window.used += 1;
    return { limit: this.limit, remaining: this.limit - window.used, resetAt: window.resetAt, exceeded };
  }

  /** The state for a request without a known key, which is not counted. */
  untouched(now: number): RateState {
    return { limit: this.limit, remaining: this.limit, resetAt: now + this.windowMs, exceeded: false };
  }
}

/** The three rate headers of every response. */
export function rateHeaders(rate: RateState, now: number, dialect: Dialect): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(rate.limit),
    "X-RateLimit-Remaining": String(rate.remaining),
    "X-RateLimit-Reset": String(rateReset[dialect.rateResetUnit](rate.resetAt, now)),
  };
}

/** The refusal of a request over the rate limit. */
export function rateLimited({ limit, resetAt }: RateState, now: number, dialect: Dialect): ApiError {
  const seconds = Math.max(1, Math.ceil((resetAt - now) / 1000));
  const message = `More than ${limit} requests in the window. Retry in ${seconds} s.`;
  return new ApiError(dialect.rateLimitStatus, "rate_limited", message, retryHeaders[dialect.rateLimitForm](seconds));
}

const retryHeaders: PerValue<"rateLimitForm", (seconds: number) => Record<string, string>> = {
  "retry-after": (seconds) => ({ "Retry-After": String(seconds) }),
  "no-retry-after": () => ({}),
};

const rateReset: PerValue<"rateResetUnit", (resetAt: number, now: number) => number> = {
  seconds: (resetAt) => Math.ceil(resetAt / 1000),
  milliseconds: (resetAt) => Math.ceil(resetAt),
  delta: (resetAt, now) => Math.ceil((resetAt - now) / 1000),
};
