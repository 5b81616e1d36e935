import { type Lane, lanes } from "./rateContract";

/** The properties of a waiting request that the queue needs. */
export interface Queued {
  readonly lane: Lane;
  readonly sinceMs: number;
}

/** A request that has waited this long is overdue: a whole window has passed. */
export const overdueMs = 60_000;
/** One permit in this many goes to the oldest request, if that is overdue, so that no priority starves. */
export const turnEvery = 10;

/** The waiting requests by priority; first come, first served within one. It changes only its own state. */
export class RateQueue<Waiter extends Queued> {
  readonly #waiting: Record<Lane, Waiter[]> = { urgent: [], change: [], read: [], look: [] };
  #sinceTurn = 0;

  get size(): number {
    return lanes.reduce((sum, priority) => sum + this.#waiting[priority].length, 0);
  }

  /** The priorities of the waiting requests. */
  lanes(): Lane[] {
    return lanes.filter((priority) => this.#waiting[priority].length > 0);
  }

  add(waiter: Waiter): void {
    this.#waiting[waiter.lane].push(waiter);
  }

  /** False if the request does not wait any more. */
  remove(waiter: Waiter): boolean {
    const peers = this.#waiting[waiter.lane];
    const index = peers.indexOf(waiter);
    if (index >= 0) peers.splice(index, 1);
    return index >= 0;
  }

  /** Removes and returns the next request among the open priorities. */
  take(isOpen: (priority: Lane) => boolean, nowMs: number): Waiter | undefined {
    const heads = this.lanes()
      .filter(isOpen)
      .flatMap((priority) => this.#waiting[priority].slice(0, 1));
    const [first] = heads;
    if (!first) return undefined;
    const oldest = heads.reduce((a, b) => (b.sinceMs < a.sinceMs ? b : a));
    const isTurn = this.#sinceTurn >= turnEvery - 1 && nowMs - oldest.sinceMs >= overdueMs;
    const next = isTurn ? oldest : first;
    this.#sinceTurn = isTurn ? 0 : this.#sinceTurn + 1;
    this.remove(next);
    return next;
  }

  /** Removes and returns all matching requests of a priority. */
  takeAll(priority: Lane, isTaken: (waiter: Waiter) => boolean): Waiter[] {
    const taken = this.#waiting[priority].filter(isTaken);
    if (taken.length > 0) this.#waiting[priority] = this.#waiting[priority].filter((waiter) => !isTaken(waiter));
    return taken;
  }
}
