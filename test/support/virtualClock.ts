import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Clock } from "../../provider/base/clock";

// Beyond this limit setTimeout fires at once, so code that sleeps longer is wrong on the real clock.
const longestSleepMs = 2 ** 31 - 1;
const quietTurns = 8;
const stuckAfterTurns = 500;
const stuckAfterMs = 250;

/** Requests of undici (and of the global fetch) in flight. */
const inFlight = new Set<unknown>();
const begins = (message: unknown) => void inFlight.add(requestOf(message));
const ends = (message: unknown) => void inFlight.delete(requestOf(message));
const listeners = [
  ["undici:request:create", begins],
  ["undici:request:trailers", ends],
  ["undici:request:error", ends],
] as const;
for (const [channel, listener] of listeners) subscribe(channel, listener);
// The channels belong to the process, which runs further test files: a listener that stays would keep this module in memory.
afterAll(() => {
  for (const [channel, listener] of listeners) unsubscribe(channel, listener);
});

interface Sleeper {
  readonly atMs: number;
  wake(): void;
}

/**
 * A clock that only tests move. It stands still until `run` or `advance` is called:
 *
 *     const clock = new VirtualClock();
 *     await clock.run(somethingThatSleepsForHours(clock));   // takes milliseconds
 *
 * `run` jumps to the next timer only if no request is in flight, so that real HTTP requests can finish. Never use Jest's
 * fake timers: undici hangs with them.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  /** Sleepers in the order in which they wake; equal times in the order of their calls. */
  readonly #sleepers: Sleeper[] = [];

  constructor(startMs: number = Date.parse("2030-01-01T00:00:00Z")) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** Number of sleeps that have not ended. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms <= longestSleepMs)) throw new RangeError(`setTimeout cannot wait for ${ms} ms`);
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

  /** Lets this time pass, and wakes each sleeper that is due, one after the other. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await quiet();
    while ((this.#sleepers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= endMs) {
      this.#wakeNext();
      await quiet();
    }
    this.#nowMs = endMs;
  }

  /** Lets time pass until the promise settles, and settles in the same way. Rejects if nothing is left that could settle it. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    const isOver = () => isSettled || this.#sleepers.length > 0;
    for (;;) {
      await quiet(() => isSettled);
      if (isSettled) return promise;
      if (this.#sleepers.length > 0) this.#wakeNext();
      else if (!(await happens(isOver))) throw new Error("stuck: no sleeper is left, and no request is in flight");
    }
  }

  #wakeNext(): void {
    const sleeper = this.#sleepers.shift();
    if (!sleeper) return;
    this.#nowMs = Math.max(this.#nowMs, sleeper.atMs);
    sleeper.wake();
  }
}

/** Lets the event loop turn until no request has been in flight for some turns. */
export async function quiet(isOver = () => false): Promise<void> {
  for (let turns = 0; turns < quietTurns && !isOver(); turns = inFlight.size > 0 ? 0 : turns + 1) await turn();
}

async function happens(isOver: () => boolean): Promise<boolean> {
  const since = performance.now();
  for (let turns = 0; turns < stuckAfterTurns || performance.now() - since < stuckAfterMs; turns += 1) {
    if (isOver()) return true;
    await turn();
    if (inFlight.size > 0) turns = 0;
  }
  return isOver();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function requestOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message ? message.request : message;
}
