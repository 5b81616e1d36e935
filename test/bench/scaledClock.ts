import { type Clock, systemClock } from "../../provider/base/clock";

/**
 * Time that runs `factor` times as fast, `now` and `sleep` alike. If client and service share the clock, it scales headers,
 * guards, jitter and intervals together. Two processes with the same origin have the same time.
 */
export class ScaledClock implements Clock {
  constructor(
    readonly factor: number,
    readonly originMs: number = realNowMs(),
  ) {}

  now(): number {
    return this.originMs + (realNowMs() - this.originMs) * this.factor;
  }

  /** Rounds up: timers have whole milliseconds, and one real millisecond too early would be `factor` milliseconds. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(Math.ceil(ms / this.factor), signal);
  }
}

/** Finer than `Date.now`: an error of one millisecond would count `factor` times. */
function realNowMs(): number {
  return performance.timeOrigin + performance.now();
}
