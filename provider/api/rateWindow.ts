import type { Answered } from "./budget";
import { maxConnections } from "./http";
import { defaultLimit, type RateHeaders, windowMs } from "./rateHeaders";
import { admitsAtMs, isUrgent, type Priority } from "./ratePriority";
import {
  areGone,
  type Count,
  endedBefore,
  fewPolls,
  firstPace,
  hasLittleWork,
  isShort,
  leavesUntilMs,
  paceAfter,
  partOf,
  placesIn,
  shareAfter,
  shareOf,
  type Use,
  unansweredUntilMs,
} from "./rateShare";

/**
 * The rate limit as pure decisions: how many permits a window has left, for all users of the key and for this process.
 * `rateLimiter.ts` waits and wakes by them.
 */

/** Two answers about the same end differ by less than this: by whole seconds and by latency. */
const sameEndMs = 2_000;
/** After this time without an answer, another probe is sent: the first may hang until its own time limit. */
const probeMs = 10_000;
/** Reset times are whole seconds, and a service may round them down: a window may begin this much later than they say. */
const guardMs = 1_000;
/** With a smaller share in the window before, most requests are those of others. */
const littleShare = 0.125;
/** Answers in whole seconds show the end of a window late by this: what is sent until then may count in the next one. */
const wholeSecondMs = 1_000;
/**
 * If others use the key, and a window is longer than this: an older count keeps no request waiting, because the others may have
 * ended. Within a minute, each of many processes would find out by a refusal.
 */
const oldestCountMs = windowMs;
/** If others use the key: so that not all processes send at the same moment. */
const jitterMs = 500;
/** If the clock goes back further than this, the recorded times are invalid. */
const clockStepMs = 5_000;

/** A request that may be sent. */
export interface Permit {
  /** Its number among all requests. */
  readonly number: number;
  readonly window: number;
  readonly sentAtMs: number;
  /** The number of other requests in flight when this one was sent. */
  readonly beside: number;
}

/** The known state of a window. */
interface Known extends Count {
  /** Permits left by the local count: never more than the service has, if no other process uses the key. */
  own: number;
  /** The number of the request whose answer gave `told`. */
  toldBy: number;
  /** The time of the reset by the local clock, never too early: permits come that are not in `own`. */
  resetAtMs: number;
  /** The number of the last request before `own` and `resetAtMs` were set: answers to older ones may be out of date. */
  sentBefore: number;
  /** Between 0 and 1: rounds our part of the last permits, and shifts our beginning of the next window. */
  readonly random: number;
  readonly sinceMs: number;
  /** Our requests of the last second, by the end known at that time. */
  sentLate: number;
  /** Whether a refusal closed the window. */
  readonly isRefused: boolean;
}

/** What this process knows of one window, and keeps of the one before. */
interface Window {
  /** Absent while the state of this window is unknown: one probe may be sent. */
  known: Known | undefined;
  /** An answer to a request of an earlier window says nothing about this one. */
  readonly number: number;
  /** The number of requests sent in earlier windows. */
  readonly sentBefore: number;
  /** The requests of this window that have ended, and those of them with an answer. */
  ended: number;
  answers: number;
  /** The probes, while its state is unknown. */
  probes: number;
  /** Our last requests before this window: the service may have counted them in it. */
  readonly late: number;
  /** The requests of others before our first one. They may have ended since: a preview has, when its update begins. */
  earlier: number;
  /** The requests of others, at least: what an answer counts beyond all that we have sent in this window and the one before. */
  others: number;
  /** Our requests in the window before. */
  readonly ownBefore: number;
  /** Our share of the key in the window before; 0 if there was none. */
  readonly before: number;
  /** Whether the permits of the window before were used up, as far as this process has seen. */
  readonly wasShort: boolean;
}

const firstWindow: Readonly<Window> = {
  known: undefined,
  number: 0,
  sentBefore: 0,
  ended: 0,
  answers: 0,
  probes: 0,
  late: 0,
  earlier: 0,
  others: 0,
  ownBefore: 0,
  before: 0,
  wasShort: false,
};

/**
 * Counts the permits of one window after the other. The service counts a request at some moment between its sending and
 * its answer. So the permits that are certainly left are those that an answer reports, minus all requests that were in
 * flight at any time during that request. The headers are authoritative, because other processes may use the same key.
 * Pure: times and jitter are passed in.
 */
export class RateWindow {
  #current: Window = { ...firstWindow };
  #limit = defaultLimit;
  #sent = 0;
  #inFlight = 0;
  /** When the last request was sent. */
  #sentAtMs = 0;
  /** The time by which windows begin later than the service says. */
  #guardMs = 0;
  /** The windows in a row whose first request of ours was refused. */
  #firstRefusals = 0;
  /** The longest time until a reset that an answer has shown: almost a whole window. */
  #longestMs = 0;

  get #known(): Known | undefined {
    return this.#current.known;
  }

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
  opensAtMs(priority: Priority, nowMs: number): number {
    if (!this.#known) return this.#current.probes > 0 ? this.#sentAtMs + probeMs : Number.NEGATIVE_INFINITY;
    return Math.max(this.#opensAtMs(this.#known, priority, nowMs), this.#answeredAtMs(this.#known, priority, nowMs));
  }

  #opensAtMs(known: Known, priority: Priority, nowMs: number): number {
    const window = { sinceMs: known.sinceMs, endMs: this.#endMs(known) };
    const most = left(known);
    const opensAtMs = admitsAtMs(priority, { left: most, limit: this.#limit, endMs: window.endMs });
    if (most <= 0 || priority === "lookup" || this.#isAlone(known)) return opensAtMs;
    const use = this.#use(known);
    const isLittle = hasLittleWork(use, most, priority);
    // Without an answer for so long, one request finds out whether the others go on.
    const findsOutMs = Math.min(window.endMs, Math.max(opensAtMs, known.toldAtMs + oldestCountMs));
    if (!isLittle && this.#part(known) < 1) return findsOutMs;
    const atMs = isLittle ? Number.NEGATIVE_INFINITY : Math.max(opensAtMs, leavesUntilMs(use, most, window));
    return areGone(use, known, Math.max(nowMs, atMs)) ? findsOutMs : Math.min(atMs, findsOutMs);
  }

  /** The time until which a priority waits for the answer to our last request, if the count is old. */
  #answeredAtMs(known: Known, priority: Priority, nowMs: number): number {
    const isFree = priority === "lookup" || this.#isAlone(known) || this.#unseen(known) === 0;
    return isFree ? Number.NEGATIVE_INFINITY : unansweredUntilMs(this.#limit, known, this.#sentAtMs, nowMs);
  }

  /** The time for which a priority may not send, as far as known. 0 if it is open, or if a probe is to find out. */
  closedForMs(priority: Priority, nowMs: number): number {
    return this.#known ? Math.max(0, this.#opensAtMs(this.#known, priority, nowMs) - nowMs) : 0;
  }

  /** One place in flight stays free for urgent requests, so that these never wait for the answers to others. */
  hasPlace(priority: Priority): boolean {
    const more = isUrgent(priority) ? 1 : 0;
    const known = this.#known;
    const places = maxConnections - 1 + more;
    // Requests in flight may count in a window whose state is still unknown.
    if (!known) return this.#inFlight < Math.min(places, this.#limit);
    if (this.#inFlight >= places) return false;
    if (priority === "lookup") return true;
    // The places grow with the answers, so that processes that begin together see each other.
    if (this.#current.before < 1 && this.#open > this.#current.answers + more) return false;
    return this.#isAlone(known) || this.#unseen(known) < placesIn(this.#part(known)) + more;
  }

  /** Our requests of this window in flight. */
  get #open(): number {
    return this.#own - this.#current.ended;
  }

  /** Those of them that the latest count does not contain. */
  #unseen({ toldBy }: Known): number {
    return Math.min(this.#open, this.#sent - toldBy);
  }

  /** Our requests in this window. */
  get #own(): number {
    return this.#sent - this.#current.sentBefore;
  }

  #use({ told }: Known): Use {
    const { late, earlier, others, before, wasShort } = this.#current;
    const own = this.#own + late;
    const used = Math.max(this.#limit - told - earlier, own + others);
    return { limit: this.#limit, used, own, before, wasShort };
  }

  #isAlone(known: Known): boolean {
    return shareOf(this.#use(known)) === 1;
  }

  /** The permits left that this process may take. */
  #part(known: Known): number {
    return partOf(known.told, shareOf(this.#use(known)), known.random);
  }

  get share(): number {
    const known = this.#known;
    return known && !known.isRefused ? shareOf(this.#use(known)) : this.#current.before || 1;
  }

  /** The polls that this process may send, of those that all may send. */
  ownPolls(spare: number): number {
    if (!this.#known || this.share === 1) return spare;
    return Math.max(spare * this.share, Math.min(spare, fewPolls(this.#use(this.#known))));
  }

  send(nowMs: number): Permit {
    const permit = { number: ++this.#sent, window: this.#current.number, sentAtMs: nowMs, beside: this.#inFlight };
    this.#sentAtMs = nowMs;
    this.#inFlight += 1;
    if (this.#known) {
      this.#known.own -= 1;
      this.#known.told -= 1;
      if (nowMs > this.#known.resetAtMs - wholeSecondMs) this.#known.sentLate += 1;
    } else {
      this.#current.probes += 1;
    }
    return permit;
  }

  /** A request has ended, with or without an answer. */
  end(permit: Permit, answered: Answered | undefined, nowMs: number, random: number): void {
    this.#inFlight -= 1;
    if (permit.window === this.#current.number) {
      this.#current.ended += 1;
      this.#current.probes = Math.max(0, this.#current.probes - 1);
    }
    if (answered?.isRefused) this.#close(permit, answered.headers, nowMs, random);
    else if (answered && permit.window === this.#current.number) this.#learn(permit, answered.headers, nowMs, random);
  }

  /** The permits left and the time until the reset; absent while unknown. */
  standing(nowMs: number): { readonly left: number; readonly resetInMs: number } | undefined {
    this.turnOver(nowMs);
    return this.#known && { left: left(this.#known), resetInMs: this.#endMs(this.#known) - nowMs };
  }

  #learn(permit: Permit, headers: RateHeaders, nowMs: number, random: number): void {
    this.#current.answers += 1;
    const known = this.#known;
    const { limit = this.#limit, remaining = limit - 1, resetInMs = windowMs } = headers;
    const isLatest = !known || (headers.remaining !== undefined && permit.number > known.toldBy);
    // Reads and changes may have limits of their own: the count and the limit of one answer belong together.
    if (limit !== this.#limit) this.#current.others = 0;
    if (isLatest) this.#limit = limit;
    const told = Math.min(remaining, limit) - (this.#sent - permit.number);
    // Even if the service reports more permits, no more than the limit is sent in one window.
    const own = Math.min(told - permit.beside, limit - this.#own);
    this.#longestMs = Math.max(this.#longestMs, resetInMs);
    // Whole seconds also show a window of a minute longer than it is.
    const isMinute = this.#longestMs <= windowMs + sameEndMs;
    // An end that is now was rounded down, unless the service always says so.
    const leastMs = this.#longestMs > 0 && resetInMs === 0 ? guardMs : 0;
    const endsInMs = Math.max(leastMs, isMinute ? Math.min(resetInMs, windowMs) : resetInMs);
    const base = { own, resetAtMs: nowMs + endsInMs, sentBefore: this.#sent };
    if (!known && this.#current.number === 0) this.#current.earlier = endedBefore(limit, limit - told - this.#own);
    const counted =
      limit === this.#limit && headers.remaining !== undefined ? limit - remaining - this.#current.earlier : 0;
    this.#current.others = Math.max(this.#current.others, counted - this.#own - this.#current.ownBefore);
    const others = { requests: limit - told - this.#own, atMs: permit.sentAtMs };
    if (!known) {
      this.#firstRefusals = 0;
      const pace = firstPace(others);
      const count = { told, toldBy: permit.number, toldAtMs: permit.sentAtMs, heardAtMs: nowMs, pace, sentLate: 0 };
      this.#current.known = { ...base, ...count, random, sinceMs: nowMs, isRefused: false };
    } else if (headers.remaining !== undefined) {
      // The count rises after requests in flight have arrived. Permits of the next window have to wait for its start.
      const isMore = own > known.own && base.resetAtMs < known.resetAtMs + sameEndMs;
      if (isMore) Object.assign(known, base);
      // Each answer shows the end late, by its latency and by whole seconds; no answer shows it early.
      else if (permit.number > known.sentBefore) known.resetAtMs = Math.min(known.resetAtMs, base.resetAtMs);
      if (isLatest) {
        known.pace = paceAfter(known.pace, others);
        Object.assign(known, { told, toldBy: permit.number, toldAtMs: permit.sentAtMs, heardAtMs: nowMs });
      }
    }
  }

  /** After a refusal, answers to requests in flight do not count. Of several refusals, the longest wait counts. */
  #close(permit: Permit, { limit, retryAfterMs, resetInMs }: RateHeaders, nowMs: number, random: number): void {
    const waitMs = retryAfterMs ?? resetInMs ?? windowMs;
    if (!this.#known && permit.window === this.#current.number) this.#refuseFirst(waitMs);
    this.#limit = limit ?? this.#limit;
    const closedUntilMs = this.#known?.isRefused ? this.#known.resetAtMs : 0;
    const resetAtMs = Math.max(closedUntilMs, nowMs + waitMs);
    const nothing = {
      own: 0,
      told: 0,
      toldBy: this.#sent,
      toldAtMs: nowMs,
      heardAtMs: nowMs,
      pace: firstPace({ requests: 0, atMs: nowMs }),
      sentLate: 0,
      sentBefore: this.#sent,
    };
    this.#begin({ ...nothing, resetAtMs, random, sinceMs: nowMs, isRefused: true });
  }

  /** After the refusal of our first request in a window, the next ones begin later. */
  #refuseFirst(waitMs: number): void {
    this.#firstRefusals += 1;
    // If most requests are those of others, they have used up two windows before it came: to begin later does harm.
    const isUsedUp = this.#current.before < littleShare && waitMs > Math.max(sameEndMs, this.#longestMs / 2);
    this.#guardMs = this.#firstRefusals > 1 && isUsedUp ? 0 : guardMs;
  }

  #begin(known: Known | undefined): void {
    const last = this.#current;
    this.#current = {
      ...firstWindow,
      known,
      number: last.number + 1,
      sentBefore: this.#sent,
      late: Math.max(last.known?.sentLate ?? 0, this.#inFlight),
      ownBefore: this.#own,
      before: last.known && !last.known.isRefused ? shareAfter(this.#use(last.known)) : last.before,
      wasShort: known?.isRefused || (last.known ? isShort(this.#limit, last.known) : last.wasShort),
    };
  }

  #endMs(known: Known): number {
    const jitter = this.#isAlone(known) && !known.isRefused ? 0 : jitterMs * known.random;
    return known.resetAtMs + this.#guardMs + jitter;
  }
}

function left({ own, told }: Known): number {
  return Math.max(0, Math.min(own, told));
}
