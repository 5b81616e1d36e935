import { type Clock, systemClock } from "../../provider/clock";

/**
 * Time that runs `factor` times as fast, `now` and `sleep` alike. Given to a client and to the service that it talks to, it
 * scales headers, guards, jitter and intervals all at once. Two processes with the same origin have the same time.
 */
export class ScaledClock implements Clock {
  constructor(
    readonly factor: number,
    readonly originMs: number = realNowMs(),
  ) {}

  now(): number {
    return this.originMs + (realNowMs() - this.originMs) * this.factor;
  }

  /** Rounded up: timers know whole milliseconds, and one that fires early would be early by `factor` of them. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(Math.ceil(ms / this.factor), signal);
  }
}

/** Finer than `Date.now`, of which a millisecond would count `factor` times. */
function realNowMs(): number {
  return performance.timeOrigin + performance.now();
}
