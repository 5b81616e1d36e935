import { type Lane, lanes } from "./rateContract";

/** What a queue has to know of those who wait. */
export interface Queued {
  readonly lane: Lane;
  readonly sinceMs: number;
}

/** Who has waited so long is overdue: a whole window has passed over it. */
export const overdueMs = 60_000;
/** So often the turn is of whoever has waited longest, if that one is overdue: no lane starves behind another. */
export const turnEvery = 10;

/** Those who wait: in the order of their lanes, first come first served within one. Pure but for what it holds. */
export class RateQueue<Waiter extends Queued> {
  readonly #waiting: Record<Lane, Waiter[]> = { urgent: [], change: [], read: [], look: [] };
  #sinceTurn = 0;

  get size(): number {
    return lanes.reduce((sum, lane) => sum + this.#waiting[lane].length, 0);
  }

  /** The lanes in which somebody waits. */
  lanes(): Lane[] {
    return lanes.filter((lane) => this.#waiting[lane].length > 0);
  }

  add(waiter: Waiter): void {
    this.#waiting[waiter.lane].push(waiter);
  }

  /** False for one who does not wait any more. */
  remove(waiter: Waiter): boolean {
    const lane = this.#waiting[waiter.lane];
    const index = lane.indexOf(waiter);
    if (index >= 0) lane.splice(index, 1);
    return index >= 0;
  }

  /** Takes out whoever is next of the lanes that are open. */
  take(isOpen: (lane: Lane) => boolean, nowMs: number): Waiter | undefined {
    const heads = this.lanes()
      .filter(isOpen)
      .flatMap((lane) => this.#waiting[lane].slice(0, 1));
    const [first] = heads;
    if (!first) return undefined;
    const oldest = heads.reduce((a, b) => (b.sinceMs < a.sinceMs ? b : a));
    const isTurn = this.#sinceTurn >= turnEvery - 1 && nowMs - oldest.sinceMs >= overdueMs;
    const next = isTurn ? oldest : first;
    this.#sinceTurn = isTurn ? 0 : this.#sinceTurn + 1;
    this.remove(next);
    return next;
  }

  /** Takes out everybody in a lane of whom this is true. */
  takeAll(lane: Lane, isTaken: (waiter: Waiter) => boolean): Waiter[] {
    const taken = this.#waiting[lane].filter(isTaken);
    if (taken.length > 0) this.#waiting[lane] = this.#waiting[lane].filter((waiter) => !isTaken(waiter));
    return taken;
  }
}
