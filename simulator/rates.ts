import { ApiError } from "./answers";

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

  /** Counts one request of a key. A request without a known key gets the headers of a fresh window. */
  take(key: string | undefined, now: number): RateState {
    const current = key === undefined ? undefined : this.#windows.get(key);
    const window = current && now < current.resetAt ? current : { used: 0, resetAt: now + this.windowMs };
    const exceeded = window.used >= this.limit;
    if (key !== undefined) {
      this.#windows.set(key, window);
      if (!exceeded) window.used += 1;
    }
    return { limit: this.limit, remaining: this.limit - window.used, resetAt: window.resetAt, exceeded };
  }
}

/** The three rate headers of every response. */
export function rateHeaders({ limit, remaining, resetAt }: RateState): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(Math.ceil(resetAt / 1000)),
  };
}

/** The refusal of a request over the rate limit. */
export function rateLimited({ limit, resetAt }: RateState, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((resetAt - now) / 1000));
  const message = `More than ${limit} requests in the window. Retry in ${seconds} s.`;
  return new ApiError(429, "rate_limited", message, { "Retry-After": String(seconds) });
}
