import { defaultLimit, type RateHeaders, windowMs } from "./rateHeaders";
import { type Answered, admitsAtMs, type Priority } from "./ratePriority";

const maxInFlight = 6;
/** Two answers about the same end differ by less than this: by whole seconds and by latency. */
const sameEndMs = 2_000;
/** If other processes use the key: this many permits have to be left for each request in flight. */
const leftForEach = 8;
/** After this time without an answer, another probe is sent: the first may hang until its own time limit. */
const probeMs = 10_000;
/** If the clock goes back further than this, the recorded times are invalid. */
const clockStepMs = 5_000;

/** A request that may be sent. */
export interface Permit {
  /** Its number among all requests. */
  readonly number: number;
  readonly window: number;
  /** The number of other requests in flight when this one was sent. */
  readonly beside: number;
}

/** The known state of a window. */
interface Known {
  /** Permits left by the local count: never more than the service has, if no other process uses the key. */
  own: number;
  /** Permits left by the answer to the latest request: includes what other processes have used. */
  told: number;
  /** The number of the request whose answer gave `told`. */
  toldBy: number;
  /** The time of the reset by the local clock, never too early: permits come that are not in `own`. */
  resetAtMs: number;
  /** The number of the last request before `own` and `resetAtMs` were set: answers to older ones may be out of date. */
  sentBefore: number;
  /**
   * Reset times are whole seconds: an earlier wake-up could fall into the old window. With jitter, for other processes.
   */
  readonly guardMs: number;
  readonly sinceMs: number;
  /** Whether a refusal closed the window. */
  readonly isRefused: boolean;
}

/**
 * Counts the permits of one window after the other. The service counts a request at some moment between its sending and
 * its answer. So the permits that are certainly left are those that an answer reports, minus all requests that were in
 * flight at any time during that request. The headers are authoritative, because other processes may use the same key.
 * Pure: times and jitter are passed in.
 */
export class RateWindow {
  /** Absent while the state of this window is unknown: one probe may be sent. */
  #known: Known | undefined;
  #limit = defaultLimit;
  /** The number of the window: an answer to a request of an earlier window says nothing about this one. */
  #window = 0;
  #sent = 0;
  /** The number of requests sent in earlier windows. */
  #sentBefore = 0;
  #inFlight = 0;
  /** The probes of this window, while its state is unknown. */
  #probes = 0;
  #probedAtMs = 0;

  get limit(): number {
    return this.#limit;
  }

  /** Closes a window that is over; the state of the next one is unknown. */
  turnOver(nowMs: number): void {
    if (!this.#known) return;
    const isOver = nowMs >= this.#endMs(this.#known) || nowMs < this.#known.sinceMs - clockStepMs;
    if (isOver) this.#begin(undefined);
  }

  /** The time from which a priority may send, as far as known: in the past if it may send now. */
  opensAtMs(priority: Priority): number {
    if (!this.#known) return this.#probes > 0 ? this.#probedAtMs + probeMs : Number.NEGATIVE_INFINITY;
    return admitsAtMs(priority, { left: left(this.#known), limit: this.#limit, endMs: this.#endMs(this.#known) });
  }

  /** The time for which a priority may not send, as far as known. 0 if it is open, or if a probe is to find out. */
  closedForMs(priority: Priority, nowMs: number): number {
    return this.#known ? Math.max(0, this.opensAtMs(priority) - nowMs) : 0;
  }

  /** One place in flight stays free for urgent requests, so that these never wait for the answers to others. */
  hasPlace(priority: Priority): boolean {
    const places = this.#places() + (priority === "urgent" ? 1 : 0);
    // Requests in flight may count in a window whose state is still unknown.
    return this.#inFlight < (this.#known ? places : Math.min(places, this.#limit));
  }

  /**
   * The limit of requests in flight. If other processes use the key, the limit falls with the permits left: otherwise
   * each process would send its own requests into the same remainder.
   */
  #places(): number {
    const most = maxInFlight - 1;
    if (!this.#known || this.#known.told >= this.#known.own) return most;
    return Math.min(most, 1 + Math.floor(left(this.#known) / leftForEach));
  }

  send(nowMs: number): Permit {
    const permit = { number: ++this.#sent, window: this.#window, beside: this.#inFlight };
    this.#inFlight += 1;
    if (this.#known) {
      this.#known.own -= 1;
      this.#known.told -= 1;
    } else {
      this.#probes += 1;
      this.#probedAtMs = nowMs;
    }
    return permit;
  }

  /** A request has ended, with or without an answer. */
  end(permit: Permit, answered: Answered | undefined, nowMs: number, guardMs: number): void {
    this.#inFlight -= 1;
    if (permit.window === this.#window) this.#probes = Math.max(0, this.#probes - 1);
    if (answered?.isRefused) this.#close(answered.headers, nowMs, guardMs);
    else if (answered && permit.window === this.#window) this.#learn(permit, answered.headers, nowMs, guardMs);
  }

  /** The permits left and the time until the reset; absent while unknown. */
  standing(nowMs: number): { readonly left: number; readonly resetInMs: number } | undefined {
    this.turnOver(nowMs);
    return this.#known && { left: left(this.#known), resetInMs: this.#endMs(this.#known) - nowMs };
  }

  #learn(permit: Permit, headers: RateHeaders, nowMs: number, guardMs: number): void {
    const { limit = this.#limit, remaining = limit - 1, resetInMs = windowMs } = headers;
    this.#limit = limit;
    const told = Math.min(remaining, limit) - (this.#sent - permit.number);
    // Even if the service reports more permits, no more than the limit is sent in one window.
    const own = Math.min(told - permit.beside, limit - (this.#sent - this.#sentBefore));
    const base = { own, resetAtMs: nowMs + resetInMs, sentBefore: this.#sent };
    const known = this.#known;
    if (!known) {
      this.#known = { ...base, told, toldBy: permit.number, guardMs, sinceMs: nowMs, isRefused: false };
    } else if (headers.remaining !== undefined) {
      // The count rises after requests in flight have arrived. Permits of the next window have to wait for its start.
      const isMore = own > known.own && base.resetAtMs < known.resetAtMs + sameEndMs;
      if (isMore) Object.assign(known, base);
      // Each answer shows the end late, by its latency and by whole seconds; no answer shows it early.
      else if (permit.number > known.sentBefore) known.resetAtMs = Math.min(known.resetAtMs, base.resetAtMs);
      if (permit.number > known.toldBy) [known.told, known.toldBy] = [told, permit.number];
    }
  }

  /** After a refusal, answers to requests in flight do not count. Of several refusals, the longest wait counts. */
  #close({ limit, retryAfterMs, resetInMs }: RateHeaders, nowMs: number, guardMs: number): void {
    this.#limit = limit ?? this.#limit;
    const closedUntilMs = this.#known?.isRefused ? this.#known.resetAtMs : 0;
    const resetAtMs = Math.max(closedUntilMs, nowMs + (retryAfterMs ?? resetInMs ?? windowMs));
    const nothing = { own: 0, told: 0, toldBy: this.#sent, sentBefore: this.#sent };
    this.#begin({ ...nothing, resetAtMs, guardMs, sinceMs: nowMs, isRefused: true });
  }

  #begin(known: Known | undefined): void {
    this.#known = known;
    this.#window += 1;
    this.#sentBefore = this.#sent;
    this.#probes = 0;
  }

  #endMs({ resetAtMs, guardMs }: Known): number {
    return resetAtMs + guardMs;
  }
}

function left({ own, told }: Known): number {
  return Math.max(0, Math.min(own, told));
}
