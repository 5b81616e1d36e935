import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Clock } from "../../provider/clock";

// setTimeout fires at once beyond this, so code that sleeps longer is wrong on the real clock.
const longestSleepMs = 2 ** 31 - 1;
const quietTurns = 8;
const stuckAfterTurns = 500;
const stuckAfterMs = 250;

/** Requests of undici (and of the global fetch) that have begun and not ended. */
const underWay = new Set<unknown>();
const begins = (message: unknown) => void underWay.add(requestOf(message));
const ends = (message: unknown) => void underWay.delete(requestOf(message));
const listeners = [
  ["undici:request:create", begins],
  ["undici:request:trailers", ends],
  ["undici:request:error", ends],
] as const;
for (const [channel, listener] of listeners) subscribe(channel, listener);
// The channels belong to the process, which goes on to other test files: a listener that stays would keep this one in memory.
afterAll(() => {
  for (const [channel, listener] of listeners) unsubscribe(channel, listener);
});

interface Sleeper {
  readonly atMs: number;
  wake(): void;
}

/**
 * Time that only tests move. It stands still, whatever the real time does, until `run` or `advance` is called:
 *
 *     const clock = new VirtualClock();
 *     await clock.run(somethingThatSleepsForHours(clock));   // takes milliseconds
 *
 * `run` jumps to the next timer only while nothing else is going on, so that real HTTP in between gets its time: as long as
 * a request is under way, the clock waits for it. Never use Jest's fake timers: they hang undici.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  /** In the order in which they wake; equal times in the order of their calls. */
  readonly #sleepers: Sleeper[] = [];

  constructor(startMs: number = Date.parse("2030-01-01T00:00:00Z")) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** How many sleeps have not ended. */
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

  /** Lets so much time pass, and wakes whoever sleeps until then, one after the other. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await quiet();
    while ((this.#sleepers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= endMs) {
      this.#wakeNext();
      await quiet();
    }
    this.#nowMs = endMs;
  }

  /** Lets time pass until the promise settles, and settles as it does. Fails when nothing is left that could settle it. */
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
      else if (!(await happens(isOver))) throw new Error("stuck: nobody sleeps, no request is under way");
    }
  }

  #wakeNext(): void {
    const sleeper = this.#sleepers.shift();
    if (!sleeper) return;
    this.#nowMs = Math.max(this.#nowMs, sleeper.atMs);
    sleeper.wake();
  }
}

/** Lets the event loop turn until no request has been under way for some turns. */
export async function quiet(isOver = () => false): Promise<void> {
  for (let turns = 0; turns < quietTurns && !isOver(); turns = underWay.size > 0 ? 0 : turns + 1) await turn();
}

async function happens(isOver: () => boolean): Promise<boolean> {
  const since = performance.now();
  for (let turns = 0; turns < stuckAfterTurns || performance.now() - since < stuckAfterMs; turns += 1) {
    if (isOver()) return true;
    await turn();
    if (underWay.size > 0) turns = 0;
  }
  return isOver();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function requestOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message ? message.request : message;
}
