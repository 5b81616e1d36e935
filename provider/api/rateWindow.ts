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

/** A request for a permit. */
export interface PermitRequest {
  readonly priority: Priority;
  /** The longest wait for a permit, in milliseconds. */
  readonly maxQueueMs: number;
  /** The time at which its wait ends in any case; infinite if there is none. */
  readonly lateAtMs: number;
  readonly signal?: AbortSignal;
  /** Creates the error for a request that would wait longer than `maxQueueMs`: it would wait `waitMs` from now. */
  refuse(waitMs: number, view: BudgetView): Error;
  /** Creates the error for a request that still waits at `lateAtMs`. */
  late(): Error;
}

/** The service's answer to a request. */
export interface Answered {
  readonly headers: RateHeaders;
  /** Whether the service refused the request because of the rate limit. */
  readonly isRefused: boolean;
}

/** Reports the end of a request, with its answer if there was one. Only the first call counts. */
export type ReleasePermit = (answered?: Answered) => void;

/** The permits for all requests to one service with one key. */
export interface Budget {
  /** Resolves when the request may be sent. Rejects when its signal aborts, or with an error of its `refuse` or `late`. */
  enter(ask: PermitRequest): Promise<ReleasePermit>;
  view(): BudgetView;
}

/** The current state of a budget. */
export interface BudgetView {
  /** Permits in one window. */
  readonly limit: number;
  /** Permits left in this window; absent while unknown, before the first answer of a window. */
  readonly left?: number;
  /** The number of these permits that our polls may use without delaying other requests; absent while unknown. */
  readonly spare?: number;
  /** Milliseconds until new permits; absent while unknown. While `left` is 0, the budget is closed for this time. */
  readonly resetInMs?: number;
  /** Requests that wait for a permit. */
  readonly queued: number;
  /** The share of this process in the requests with the key: 1 if no other process uses it. */
  readonly share: number;
}

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
  /** The requests of this window that have ended, and those of them with an answer. */
  #ended = 0;
  #answers = 0;
  /** Our last requests before this window: the service may have counted them in it. */
  #late = 0;
  /** The requests of others before our first one. They may have ended since: a preview has, when its update begins. */
  #earlier = 0;
  /** The requests of others, at least: what an answer counts beyond all that we have sent in this window and the one before. */
  #others = 0;
  #ownBefore = 0;
  /** Our share of the key in the window before; 0 if there was none. */
  #before = 0;
  /** Whether the permits of the window before were used up, as far as this process has seen. */
  #wasShort = false;
  /** The time by which windows begin later than the service says. */
  #guardMs = 0;
  /** The windows in a row whose first request of ours was refused. */
  #firstRefusals = 0;
  /** The longest time until a reset that an answer has shown: almost a whole window. */
  #longestMs = 0;
  /** The probes of this window, while its state is unknown. */
  #probes = 0;
  /** When the last request was sent. */
  #sentAtMs = 0;

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
    if (!this.#known) return this.#probes > 0 ? this.#sentAtMs + probeMs : Number.NEGATIVE_INFINITY;
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
    if (this.#before < 1 && this.#open > this.#answers + more) return false;
    return this.#isAlone(known) || this.#unseen(known) < placesIn(this.#part(known)) + more;
  }

  /** Our requests of this window in flight. */
  get #open(): number {
    return this.#own - this.#ended;
  }

  /** Those of them that the latest count does not contain. */
  #unseen({ toldBy }: Known): number {
    return Math.min(this.#open, this.#sent - toldBy);
  }

  /** Our requests in this window. */
  get #own(): number {
    return this.#sent - this.#sentBefore;
  }

  #use({ told }: Known): Use {
    const own = this.#own + this.#late;
    const used = Math.max(this.#limit - told - this.#earlier, own + this.#others);
    return { limit: this.#limit, used, own, before: this.#before, wasShort: this.#wasShort };
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
    return known && !known.isRefused ? shareOf(this.#use(known)) : this.#before || 1;
  }

  /** The polls that this process may send, of those that all may send. */
  ownPolls(spare: number): number {
    if (!this.#known || this.share === 1) return spare;
    return Math.max(spare * this.share, Math.min(spare, fewPolls(this.#use(this.#known))));
  }

  send(nowMs: number): Permit {
    const permit = { number: ++this.#sent, window: this.#window, sentAtMs: nowMs, beside: this.#inFlight };
    this.#sentAtMs = nowMs;
    this.#inFlight += 1;
    if (this.#known) {
      this.#known.own -= 1;
      this.#known.told -= 1;
      if (nowMs > this.#known.resetAtMs - wholeSecondMs) this.#known.sentLate += 1;
    } else {
      this.#probes += 1;
    }
    return permit;
  }

  /** A request has ended, with or without an answer. */
  end(permit: Permit, answered: Answered | undefined, nowMs: number, random: number): void {
    this.#inFlight -= 1;
    if (permit.window === this.#window) {
      this.#ended += 1;
      this.#probes = Math.max(0, this.#probes - 1);
    }
    if (answered?.isRefused) this.#close(permit, answered.headers, nowMs, random);
    else if (answered && permit.window === this.#window) this.#learn(permit, answered.headers, nowMs, random);
  }

  /** The permits left and the time until the reset; absent while unknown. */
  standing(nowMs: number): { readonly left: number; readonly resetInMs: number } | undefined {
    this.turnOver(nowMs);
    return this.#known && { left: left(this.#known), resetInMs: this.#endMs(this.#known) - nowMs };
  }

  #learn(permit: Permit, headers: RateHeaders, nowMs: number, random: number): void {
    this.#answers += 1;
    const known = this.#known;
    const { limit = this.#limit, remaining = limit - 1, resetInMs = windowMs } = headers;
    const isLatest = !known || (headers.remaining !== undefined && permit.number > known.toldBy);
    // Reads and changes may have limits of their own: the count and the limit of one answer belong together.
    if (limit !== this.#limit) this.#others = 0;
    if (isLatest) this.#limit = limit;
    const told = Math.min(remaining, limit) - (this.#sent - permit.number);
    // Even if the service reports more permits, no more than the limit is sent in one window.
    const own = Math.min(told - permit.beside, limit - this.#own);
    this.#longestMs = Math.max(this.#longestMs, resetInMs);
    // Whole seconds also show a window of a minute longer than it is.
    const isMinute = this.#longestMs <= windowMs + sameEndMs;
    // An end that is now was rounded down.
    const endsInMs = (isMinute ? Math.min(resetInMs, windowMs) : resetInMs) || guardMs;
    const base = { own, resetAtMs: nowMs + endsInMs, sentBefore: this.#sent };
    if (!known && this.#window === 0) this.#earlier = endedBefore(limit, limit - told - this.#own);
    const counted = limit === this.#limit && headers.remaining !== undefined ? limit - remaining - this.#earlier : 0;
    this.#others = Math.max(this.#others, counted - this.#own - this.#ownBefore);
    const others = { requests: limit - told - this.#own, atMs: permit.sentAtMs };
    if (!known) {
      this.#firstRefusals = 0;
      const pace = firstPace(others);
      const count = { told, toldBy: permit.number, toldAtMs: permit.sentAtMs, heardAtMs: nowMs, pace, sentLate: 0 };
      this.#known = { ...base, ...count, random, sinceMs: nowMs, isRefused: false };
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
    if (!this.#known && permit.window === this.#window) this.#refuseFirst(waitMs);
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
    const isUsedUp = this.#before < littleShare && waitMs > Math.max(sameEndMs, this.#longestMs / 2);
    this.#guardMs = this.#firstRefusals > 1 && isUsedUp ? 0 : guardMs;
  }

  #begin(known: Known | undefined): void {
    this.#wasShort = known?.isRefused || (this.#known ? isShort(this.#limit, this.#known) : this.#wasShort);
    if (this.#known && !this.#known.isRefused) this.#before = shareAfter(this.#use(this.#known));
    this.#late = Math.max(this.#known?.sentLate ?? 0, this.#inFlight);
    this.#earlier = 0;
    this.#others = 0;
    this.#ownBefore = this.#own;
    this.#ended = 0;
    this.#answers = 0;
    this.#known = known;
    this.#window += 1;
    this.#sentBefore = this.#sent;
    this.#probes = 0;
  }

  #endMs(known: Known): number {
    const jitter = this.#isAlone(known) && !known.isRefused ? 0 : jitterMs * known.random;
    return known.resetAtMs + this.#guardMs + jitter;
  }
}

function left({ own, told }: Known): number {
  return Math.max(0, Math.min(own, told));
}
