import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Sleepers, turn } from "./sleepers";

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

/**
 * A clock that only tests move. It stands still until `run` or `advance` is called:
 *
 *     const clock = new VirtualClock();
 *     await clock.run(somethingThatSleepsForHours(clock));   // takes milliseconds
 *
 * `run` jumps to the next timer only if no request is in flight, so that real HTTP requests can finish. Never use Jest's
 * fake timers: undici hangs with them.
 */
export class VirtualClock extends Sleepers {
  /** Lets this time pass, and wakes each sleeper that is due, one after the other. */
  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await quiet();
    while (this.nextMs <= endMs) {
      this.wakeNext();
      await quiet();
    }
    this.nowMs = endMs;
  }

  /** Lets time pass until the promise settles, and settles in the same way. Rejects if nothing is left that could settle it. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    const isOver = () => isSettled || this.sleeping > 0;
    for (;;) {
      await quiet(() => isSettled);
      if (isSettled) return promise;
      if (this.sleeping > 0) this.wakeNext();
      else if (!(await happens(isOver))) throw new Error("stuck: no sleeper is left, and no request is in flight");
    }
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

function requestOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message ? message.request : message;
}
