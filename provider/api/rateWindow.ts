import type { Answered, Lane } from "./rateContract";
import { defaultLimit, type RateHeaders, windowMs } from "./rateHeaders";
import { opensAtMs } from "./rateLanes";

const maxInFlight = 6;
/** What two answers say of one end differs by less: whole seconds, and the time that each was on its way. */
const sameEndMs = 2_000;
/** Where a key is shared: one request in flight for so many permits that are left. */
const leftForEach = 8;
/** A probe without an answer for so long is followed by another one: it may hang until its own time limit. */
const probeMs = 10_000;
/** So far back a clock may go before the times that were noted by it mean nothing. */
const clockStepMs = 5_000;

/** A request that was let go. */
export interface Permit {
  /** Counts all requests. */
  readonly number: number;
  readonly window: number;
  /** How many others were in flight when it was sent. */
  readonly beside: number;
}

/** What is known of a window. */
interface Known {
  /** Permits left by our own count: never more than there are, as long as nobody else uses the key. */
  own: number;
  /** Permits left by the answer to the latest request: tells what others have taken. */
  told: number;
  /** The number of that request. */
  toldBy: number;
  /** When permits come that are not in `own`, by our clock: never too early. */
  resetAtMs: number;
  /** The number of the last request before these two were found out: answers to older ones may be of an earlier moment. */
  sentBefore: number;
  /** Reset times are whole seconds: an earlier wake-up could still be in the old window. With jitter, for others wake too. */
  readonly guardMs: number;
  readonly sinceMs: number;
  /** Closed by a refusal. */
  readonly isRefused: boolean;
}

/**
 * The account of one window after the other. The service counts a request at some moment between its sending and its
 * answer. So what an answer says is left, less the requests that were on their way at any time while it was, is there for
 * certain; and the headers are the truth, because other processes may use the same key. Pure: times and jitter are passed in.
 */
export class RateWindow {
  /** Absent: nothing is known of this window, one probe may go. */
  #known: Known | undefined;
  #limit = defaultLimit;
  /** Counts the windows: an answer to a request of an earlier one says nothing about this one. */
  #window = 0;
  #sent = 0;
  /** Of those, how many in earlier windows. */
  #sentBefore = 0;
  #inFlight = 0;
  /** Those of this window, while nothing is known of it. */
  #probes = 0;
  #probedAtMs = 0;

  get limit(): number {
    return this.#limit;
  }

  /** Closes a window that is over; what comes next is not known. */
  turnOver(nowMs: number): void {
    if (!this.#known) return;
    const isOver = nowMs >= this.#endMs(this.#known) || nowMs < this.#known.sinceMs - clockStepMs;
    if (isOver) this.#begin(undefined);
  }

  /** The moment from which on a lane may send: in the past where it may do so now, for all that is known. */
  opensAtMs(lane: Lane): number {
    if (!this.#known) return this.#probes > 0 ? this.#probedAtMs + probeMs : Number.NEGATIVE_INFINITY;
    return opensAtMs(lane, { left: left(this.#known), limit: this.#limit, endMs: this.#endMs(this.#known) });
  }

  /** For so long nothing goes in a lane, for all that is known; 0 where it is open, or where a probe is to find out. */
  closedForMs(lane: Lane, nowMs: number): number {
    return this.#known ? Math.max(0, this.opensAtMs(lane) - nowMs) : 0;
  }

  /** One place stays free for what is urgent, so that it never waits for the answers of others. */
  hasPlace(lane: Lane): boolean {
    const places = this.#places() + (lane === "urgent" ? 1 : 0);
    // What is on its way may be counted in a window of which nothing is known yet.
    return this.#inFlight < (this.#known ? places : Math.min(places, this.#limit));
  }

  /**
   * How many may be in flight. Where others use the key too, fewer as the end of the permits comes near: each process would
   * send its own into what is left for all of them.
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

  /** What is left until when; absent while that is not known. */
  standing(nowMs: number): { readonly left: number; readonly resetInMs: number } | undefined {
    this.turnOver(nowMs);
    return this.#known && { left: left(this.#known), resetInMs: this.#endMs(this.#known) - nowMs };
  }

  #learn(permit: Permit, headers: RateHeaders, nowMs: number, guardMs: number): void {
    const { limit = this.#limit, remaining = limit - 1, resetInMs = windowMs } = headers;
    this.#limit = limit;
    const told = Math.min(remaining, limit) - (this.#sent - permit.number);
    // Whatever the service says is left, no more than the limit goes out in one window.
    const own = Math.min(told - permit.beside, limit - (this.#sent - this.#sentBefore));
    const base = { own, resetAtMs: nowMs + resetInMs, sentBefore: this.#sent };
    const known = this.#known;
    if (!known) {
      this.#known = { ...base, told, toldBy: permit.number, guardMs, sinceMs: nowMs, isRefused: false };
    } else if (headers.remaining !== undefined) {
      // More is certain once those that were on their way have arrived. Another window's permits wait for the end of this.
      const isMore = own > known.own && base.resetAtMs < known.resetAtMs + sameEndMs;
      if (isMore) Object.assign(known, base);
      // Each answer says the end late, by its own way and by whole seconds; none says it early.
      else if (permit.number > known.sentBefore) known.resetAtMs = Math.min(known.resetAtMs, base.resetAtMs);
      if (permit.number > known.toldBy) [known.told, known.toldBy] = [told, permit.number];
    }
  }

  /** What is in flight says nothing any more: the refusal is the last word. Of several, the one that asks for most. */
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
