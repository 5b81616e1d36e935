import type { Answered } from "./budget";
import { defaultLimit, type RateHeaders, windowMs } from "./rateHeaders";
import type { Priority } from "./ratePriority";
import { maxConnections } from "./send";

/**
 * Of the permits of a window: what changes and reads leave to polls, deletions and other processes. Without it, no wait would
 * see its cluster come up while a large fleet is created. Polls leave half of it. It shrinks until the window ends, so that
 * none stays unused.
 */
const reserve = 0.1;
/**
 * For each of our requests in flight, this many of our permits have to be left: other processes send in the meantime, too. With
 * 1, up to 11 % of the requests of 16 processes are refused (test/unit/cluster/wait/sharedKey.ts); from 2 on at most 7 %.
 */
const leftForEach = 3;
/** After this time without an answer, another probe is sent: the first one may hang until its own time limit. */
const probeMs = 10_000;
/** Times in headers are whole seconds, and a service may round them down: then a window begins up to this much later. */
const wholeSecondMs = 1_000;
/** Two answers about the same end differ by up to this: the times of the reset and of the answer are both whole seconds. */
const sameEndMs = 2 * wholeSecondMs;
/** So that not all processes that share a key begin a window at the same moment: long for a latency, short for a window. */
const jitterMs = 500;

/** What the answers tell of a window. */
interface Known {
  /** The fewest permits left that an answer has shown. It counts each of our requests that has ended with such an answer. */
  remaining: number;
  endMs: number;
  readonly sinceMs: number;
  readonly isRefused: boolean;
}

/** A request that was sent. */
interface Permit {
  /** The number of the window in which it was sent. */
  readonly window: number;
  readonly sentAtMs: number;
}

/** Counts the permits of one window after the other, by the headers alone. Pure: times and chance are passed in. */
export class RateWindow {
  limit = defaultLimit;
  /** Our part of the requests with this key in the latest window that answers have shown. */
  #share: number | undefined;
  /** Absent while nothing is known of this window: requests are sent one at a time, as probes. */
  #known: Known | undefined;
  #number = 0;
  /** Our requests of this window, and those of them that have ended. */
  #own = 0;
  #ended = 0;
  /** Requests that ended in this window, and that `remaining` may not count: of an earlier window, or without a count. */
  #uncounted = 0;
  #inFlight = 0;
  #sentAtMs = 0;
  /** Between 0 and 1, another number in each window and process. */
  #random = 0;
  /** By this much later than the service says, windows begin. */
  #guardMs = 0;

  /** 1 if no other process uses the key, or if nothing is known of others. */
  get share(): number {
    return this.#share ?? 1;
  }

  get #left(): number {
    return this.#known ? Math.max(0, this.#known.remaining - this.#uncounted - this.#inFlight) : 0;
  }

  /** So many more requests of this process need not heed its share: a large fleet must not starve a small one. */
  get #few(): number {
    return Math.max(0, reserve * this.limit - this.#own);
  }

  #endMs({ endMs, isRefused }: Known): number {
    return endMs + this.#guardMs + (this.share < 1 || isRefused ? jitterMs * this.#random : 0);
  }

  /** The permits that a priority leaves to others. */
  #kept(priority: Priority): number {
    if (priority === "poll") return Math.floor((reserve * this.limit) / 2);
    return priority === "urgent" || (this.share < 1 && this.#few > 0) ? 0 : Math.floor(reserve * this.limit);
  }

  /** Forgets a window that is over, and one that seems to lie in the future, because the clock was set back. */
  turnOver(nowMs: number): void {
    if (this.#known && (nowMs >= this.#endMs(this.#known) || nowMs < this.#known.sinceMs)) this.#begin();
  }

  #begin(known?: Known): void {
    this.#known = known;
    this.#number += 1;
    this.#own = 0;
    this.#ended = 0;
    this.#uncounted = 0;
  }

  /** The time from which a priority may send; 0 if it may send now. */
  opensAtMs(priority: Priority): number {
    // A request of the window before may count in this one, too.
    if (!this.#known) return this.#inFlight > 0 ? this.#sentAtMs + probeMs : 0;
    const left = this.#left;
    const endMs = this.#endMs(this.#known);
    if (left === 0) return endMs;
    if (priority === "lookup") return 0;
    // By chance: the more processes share the last permits, the earlier some of them stop.
    const mostOthers = this.#few > 0 ? (reserve * this.limit) / 2 : this.limit;
    if (left <= this.#random * Math.min(mostOthers, 2 * (1 / this.share - 1))) return endMs;
    const kept = this.#kept(priority);
    return left >= kept ? 0 : endMs - ((left - 0.5) / kept) * windowMs;
  }

  /** The time for which a priority may not send, as far as known: 0 if a probe is to find out. */
  closedForMs(priority: Priority, nowMs: number): number {
    return this.#known ? Math.max(0, this.opensAtMs(priority) - nowMs) : 0;
  }

  /**
   * Whether one more request may be in flight. Their number grows with the answers, so that processes that begin together see
   * each other. One place stays free for urgent requests.
   */
  hasPlace(priority: Priority): boolean {
    const isUrgent = priority === "lookup" || priority === "urgent";
    const ours = Math.floor(((this.#known?.remaining ?? 0) * this.share) / leftForEach);
    const most = this.#known && priority !== "lookup" ? Math.max(1, Math.min(1 + this.#ended, ours)) : this.limit;
    return this.#inFlight < Math.min(maxConnections - 1, most) + (isUrgent ? 1 : 0);
  }

  /** The permits left, those of them that our polls may use, and the time until the reset; absent while unknown. */
  standing(nowMs: number, queued: number): { left: number; spare: number; resetInMs: number } | undefined {
    this.turnOver(nowMs);
    if (!this.#known) return undefined;
    const resetInMs = this.#endMs(this.#known) - nowMs;
    const left = this.#left;
    const kept = this.#kept("poll") * Math.min(1, resetInMs / windowMs);
    const free = Math.max(0, Math.round(left - kept));
    const spare = Math.max(free - queued, Math.min(free, Math.round(kept)));
    return { left, spare: Math.max(spare * this.share, Math.min(spare, this.#few)), resetInMs };
  }

  send(nowMs: number): Permit {
    this.#sentAtMs = nowMs;
    this.#own += 1;
    this.#inFlight += 1;
    return { window: this.#number, sentAtMs: nowMs };
  }

  /** A request has ended, with or without an answer. After a refusal, answers to requests in flight tell nothing. */
  end(permit: Permit, answered: Answered | undefined, nowMs: number, random: number): void {
    this.#inFlight -= 1;
    const isOfThis = permit.window === this.#number;
    if (isOfThis) this.#ended += 1;
    if (answered?.isRefused) this.#close(answered.headers, nowMs, random);
    else if (answered && isOfThis) this.#learn(permit, answered.headers, nowMs, random);
    else this.#uncounted += 1;
  }

  #learn({ sentAtMs }: Permit, headers: RateHeaders, nowMs: number, random: number): void {
    const { limit = this.limit, remaining, resetInMs = windowMs } = headers;
    // The service looked at its clock at some moment between the request and the answer. If even the earliest possible end
    // is later than the known one, a new window has begun. The end in an answer that was only slow is no later.
    const isLater = this.#known && sentAtMs + resetInMs > this.#known.endMs + sameEndMs;
    if (isLater && remaining !== undefined) this.#begin();
    if (!this.#known) {
      // A window of the specification is a minute; whole seconds show it longer.
      const lastsMs = resetInMs <= windowMs + sameEndMs ? Math.min(resetInMs, windowMs) : resetInMs;
      this.#known = { remaining: limit, endMs: nowMs + lastsMs, sinceMs: nowMs, isRefused: false };
      this.#random = random;
    }
    if (remaining === undefined) {
      this.#uncounted += 1;
      return;
    }
    this.#known.remaining = Math.min(this.#known.remaining, remaining);
    // Latency and whole seconds show the end late, so the earliest counts.
    this.#known.endMs = Math.min(this.#known.endMs, nowMs + resetInMs);
    this.limit = limit;
    this.#share = Math.min(1, Math.max(1, this.#own) / Math.max(1, limit - remaining));
  }

  /** Of several refusals, the longest wait counts. */
  #close({ limit = this.limit, retryAfterMs, resetInMs }: RateHeaders, nowMs: number, random: number): void {
    const waitMs = retryAfterMs ?? resetInMs ?? windowMs;
    // The first request of a window came too early: the service rounds its times down.
    if (!this.#known && (this.#share === 1 || waitMs < sameEndMs)) this.#guardMs = wholeSecondMs;
    const endMs = Math.max(this.#known?.isRefused ? this.#known.endMs : 0, nowMs + waitMs);
    this.limit = limit;
    this.#random = random;
    this.#begin({ remaining: 0, endMs, sinceMs: nowMs, isRefused: true });
  }
}
