import type { Clock } from "../../provider/base/clock";

// Beyond this limit setTimeout fires at once, so code that sleeps longer is wrong on the real clock.
const maxSleepMs = 2 ** 31 - 1;

interface Sleeper {
  readonly atMs: number;
  wake(): void;
}

/** A clock that stands still. Its subclasses decide when the next sleeper wakes. */
export abstract class Sleepers implements Clock {
  protected nowMs: number;
  /** In the order in which they wake; equal times in the order of their calls. */
  readonly #sleepers: Sleeper[] = [];

  constructor(startMs: number = Date.parse("2030-01-01T00:00:00Z")) {
    this.nowMs = startMs;
  }

  now(): number {
    return this.nowMs;
  }

  /** Number of sleeps that have not ended. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms <= maxSleepMs)) throw new RangeError(`setTimeout cannot wait for ${ms} ms`);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const sleeper = { atMs: this.nowMs + Math.max(0, ms), wake };
      const next = this.#sleepers.findIndex(({ atMs }) => atMs > sleeper.atMs);
      this.#sleepers.splice(next < 0 ? this.#sleepers.length : next, 0, sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** When the next sleeper wakes. */
  protected get nextMs(): number {
    return this.#sleepers[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  protected wakeNext(): void {
    const sleeper = this.#sleepers.shift();
    if (!sleeper) return;
    this.nowMs = Math.max(this.nowMs, sleeper.atMs);
    sleeper.wake();
  }
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
