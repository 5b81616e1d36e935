import type { HttpRequest } from "./http";

/**
 * The rate limit as pure decisions: what the headers of an answer tell, which request goes first, and how many permits a
 * window has left. `rateLimiter.ts` waits and wakes by them.
 */

/** The rate limit headers of an answer. Pure. Times are durations, so a difference between two clocks does no harm. */
export interface RateHeaders {
  /** Requests in one window. */
  readonly limit?: number;
  /** Requests left in this window. */
  readonly remaining?: number;
  /** Milliseconds until the window resets, 0 to 300 000. */
  readonly resetInMs?: number;
  /** The wait that the service requests after a refusal, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The limit of the specification (section 8), used until a header shows another one. */
export const defaultLimit = 100;
export const windowMs = 60_000;
/** The specified window plus the error of whole seconds. A longer time may come from a wrong local clock. */
const longestResetMs = windowMs + 5_000;
/** If the local clock plays no part, a longer window is accepted up to this. Beyond, the unit is probably another. */
const longestBelievedMs = 5 * 60_000;

type Headers = Readonly<Record<string, string>>;

/** Reads the headers. An invalid value counts as absent. */
export function readRateHeaders(headers: Headers, nowMs: number): RateHeaders {
  const date = parseDate(headers["date"]);
  const sentAtMs = date ?? nowMs;
  const said = (name: string) => parseNumber(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`]);
  const window = closestWindow(headers);
  return {
    limit: atLeast(1, said("limit") ?? window.limit),
    remaining: atLeast(0, said("remaining") ?? window.remaining),
    resetInMs: resetIn(said("reset") ?? window.reset, sentAtMs, date !== undefined),
    retryAfterMs: retryAfter(headers["retry-after"], sentAtMs),
  };
}

/** The window with the fewest requests left, from a header such as `RateLimit: "minute";r=42;t=12`. */
function closestWindow(headers: Headers): { limit?: number; remaining?: number; reset?: number } {
  const windows = (headers["ratelimit"] ?? "").split(",").map((text) => ({ text, remaining: parameter(text, "r") }));
  const left = windows.flatMap(({ text, remaining }) => (remaining === undefined ? [] : [{ text, remaining }]));
  const [closest] = left.sort((a, b) => a.remaining - b.remaining);
  if (!closest) return {};
  const name = closest.text.split(";")[0]?.trim();
  const policy = (headers["ratelimit-policy"] ?? "").split(",").find((text) => text.split(";")[0]?.trim() === name);
  return { limit: parameter(policy, "q"), remaining: closest.remaining, reset: parameter(closest.text, "t") };
}

function parameter(text = "", name: string): number | undefined {
  return parseNumber(new RegExp(`;\\s*${name}=(\\d+)`).exec(text)?.[1]);
}

/**
 * The specification defines a Unix timestamp. Smaller numbers are a duration in seconds, larger ones a timestamp in
 * milliseconds. The timestamp is compared with the answer's own `Date`: both come from the service's clock, so a wrong
 * local clock cannot shift it. A reset in the past says nothing, so a whole window is assumed.
 */
function resetIn(value: number | undefined, sentAtMs: number, isTheirClock: boolean): number | undefined {
  if (value === undefined || value < 0) return undefined;
  const delayMs = value >= 1e11 ? value - sentAtMs : value >= 1e9 ? value * 1000 - sentAtMs : value * 1000;
  if (delayMs < 0) return windowMs;
  const isBelieved = delayMs <= longestBelievedMs && (isTheirClock || value < 1e9);
  return isBelieved ? delayMs : Math.min(delayMs, longestResetMs);
}

/** `Retry-After` is seconds or an HTTP date. It is not capped: a wait that is too long is refused, not shortened. */
function retryAfter(value: string | undefined, sentAtMs: number): number | undefined {
  const seconds = parseNumber(value);
  if (seconds !== undefined) return seconds < 0 ? undefined : seconds * 1000;
  const date = parseDate(value);
  return date === undefined ? undefined : Math.max(0, date - sentAtMs);
}

function parseNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*-?\d{1,15}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function parseDate(value: string | undefined): number | undefined {
  // Date.parse accepts almost any text; only the format of an HTTP date counts.
  if (value === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value.trim())) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function atLeast(min: number, value: number | undefined): number | undefined {
  return value !== undefined && value >= min ? Math.floor(value) : undefined;
}

/** The priorities of requests when permits are short, highest first. */
export const priorities = ["urgent", "change", "read", "poll"] as const;
export type Priority = (typeof priorities)[number];

/** A request for a permit. */
export interface PermitRequest {
  readonly priority: Priority;
  /** The longest wait for a permit, in milliseconds. */
  readonly maxQueueMs: number;
  readonly signal?: AbortSignal;
  /** Creates the error for a request that would wait longer than `maxQueueMs`: it would wait `waitMs` from now. */
  refuse(waitMs: number): Error;
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
  /** Resolves when the request may be sent. Rejects when its signal aborts, or with the error of its `refuse`. */
  enter(ask: PermitRequest): Promise<ReleasePermit>;
  view(): BudgetView;
}

/** The current state of a budget. */
export interface BudgetView {
  /** Permits in one window. */
  readonly limit: number;
  /** Permits left in this window; absent while unknown, before the first answer of a window. */
  readonly left?: number;
  /** The number of these permits that polls may use without delaying other requests; absent while unknown. */
  readonly spare?: number;
  /** Milliseconds until new permits; absent while unknown. While `left` is 0, the budget is closed for this time. */
  readonly resetInMs?: number;
  /** Requests that wait for a permit. */
  readonly queued: number;
}

/**
 * The priorities of requests, highest first, and the reasons:
 * - `urgent`: deletions, because a cluster is billed until its deletion; lookups after a lost answer, because until
 *   then a cluster may exist that no state contains; and a read that many operations wait for;
 * - `change`: creations and other changes. The last creation decides when everything is ready;
 * - `read`: single reads, including a poll that confirms a result: each of them starts or ends an operation;
 * - `poll`: repeated polls; the next poll makes up for a late one.
 */
export function priorityOf({ kind, urgency }: Pick<HttpRequest, "kind" | "urgency">): Priority {
  if (kind === "delete") return "urgent";
  if (kind !== "read") return "change";
  return urgency === "reconcile" ? "urgent" : urgency === "poll" ? "poll" : "read";
}

/**
 * The permits that a priority leaves to the others, of 100 permits per minute. Three remain for urgent requests.
 * Changes leave six more, one for each 10 s: without these, no wait would see its cluster come up while creations
 * queue. Of the six, reads leave three to polls. Beside that, one list and 90 creations just fit into one window.
 */
const leftOf100: Record<Priority, number> = { urgent: 0, change: 9, read: 6, poll: 3 };
const minuteMs = 60_000;
/** With fewer permits per window, none can be reserved for polls: they get a permit only when they are overdue. */
const fewest = 4;

/** The reserve of a full window. A small limit has none, except one permit that changes leave to reads and polls. */
function keptBack(priority: Priority, limit: number): number {
  const share = Math.floor((leftOf100[priority] * limit) / 100);
  return priority === "change" && limit >= fewest ? Math.max(1, share) : share;
}

/**
 * The time from which a priority may send, with `left` permits until the window ends. The reserve shrinks towards the
 * end, so that no reserved permit stays unused. A priority is open as soon as its reserve is below `left`.
 */
export function admitsAtMs(
  priority: Priority,
  { left, limit, endMs }: { left: number; limit: number; endMs: number },
): number {
  if (left <= 0) return endMs;
  const kept = keptBack(priority, limit);
  return kept < left ? Number.NEGATIVE_INFINITY : endMs - ((left - 0.5) * minuteMs) / kept;
}

/** The permits that polls may use in the rest of a window: those that no request waits for, or their own reserve. */
export function spareForPolls(view: { left: number; limit: number; resetInMs: number; queued: number }): number {
  const { left, limit, resetInMs, queued } = view;
  const share = Math.min(1, resetInMs / minuteMs);
  const kept = (priority: Priority) => keptBack(priority, limit) * share;
  const free = Math.max(0, Math.round(left - kept("poll")));
  return Math.max(free - queued, Math.min(free, Math.round(kept("change") - kept("poll"))));
}

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
