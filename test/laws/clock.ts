import type { Clock } from "../../provider/base/clock";

/** A clock without real requests to wait for: as soon as nothing is left to do, it jumps to the next sleeper. */
export class LifeClock implements Clock {
  #nowMs = Date.parse("2030-01-01T00:00:00Z");
  readonly #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
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
      const sleeper = { atMs: this.#nowMs + Math.max(0, ms), wake };
      const next = this.#sleepers.findIndex(({ atMs }) => atMs > sleeper.atMs);
      this.#sleepers.splice(next < 0 ? this.#sleepers.length : next, 0, sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Lets time pass until the promise settles, and settles in the same way. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await turn();
      if (isSettled) return promise;
      const sleeper = this.#sleepers.shift();
      if (!sleeper) throw new Error("stuck: nothing is left that could go on");
      this.#nowMs = Math.max(this.#nowMs, sleeper.atMs);
      sleeper.wake();
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
