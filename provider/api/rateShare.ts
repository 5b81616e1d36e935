import type { Priority } from "./ratePriority";

/**
 * The fair share of a key that other processes use too, as pure decisions. A process learns of the others only from the
 * headers of its own answers: whatever was used and not sent by itself, they have sent. `rateWindow.ts` counts.
 */

/** The use of a key in one window, as far as this process knows. */
export interface Use {
  /** The limit of the window. */
  readonly limit: number;
  /** Requests of all users. */
  readonly used: number;
  /** Requests of this process; never more than `used`. */
  readonly own: number;
  /** The share in the window before; 0 if this is the first one. */
  readonly before: number;
  /** Whether the window before was used up, as far as this process has seen. */
  readonly wasShort: boolean;
}

/** Of 100 requests that others had sent before our first one: so many may be those of a preview, which has ended. */
const previewRequests = 5;

/** The requests before our first one that tell nothing of other processes. */
export function endedBefore(limit: number, requests: number): number {
  return Math.max(0, Math.min(requests, (previewRequests * limit) / 100));
}

/**
 * The share of this process: 1 if it is alone. The share in the window before counts like a whole window, because the
 * first requests of a window tell little: whoever comes first would take all.
 */
export function shareOf({ limit, used, own, before }: Use): number {
  if (used === 0) return before || 1;
  return before === 0 ? own / used : (own + limit * before) / (used + limit);
}

/** The share that the next window begins with: after a window without requests of others, this process is alone. */
export function shareAfter(use: Use): number {
  return use.used <= use.own ? 1 : shareOf(use);
}

/**
 * The requests that this process may still send of the permits left. A fraction is rounded by chance: the processes
 * together send what is left, and none of them stops with a permit that nobody takes.
 */
export function partOf(left: number, share: number, random: number): number {
  return Math.floor(left * share + random);
}

/** For each of our requests without an answer, this many of our permits have to be left: the others send, too. */
const leftForEach = 3;

/** The limit of our requests since the latest answer: the count of the others is as old as that. */
export function placesIn(part: number): number {
  return Math.max(1, Math.floor(part / leftForEach));
}

/** Of 100 permits: what a process with more work leaves to those with little. */
const keptForOthers = 20;
/** Of 100 requests: a process with fewer in this window has little work. It takes from what the others leave. */
const littleWork = 10;
/** Of 100 permits: the last ones are not left to each process with little work, because all of them see the same ones. */
const lastPermits = 9;
/** Of 100 requests: the first ones of each process, such as the list and the creation of one cluster; then one poll. */
const firstRequests = 2;
const firstPoll = 3;

/** Whether a process has so little work that it need not heed its share: a large fleet must not starve it. */
export function hasLittleWork({ limit, own }: Use, left: number, priority: Priority): boolean {
  const isFirst = own < ((priority === "poll" ? firstPoll : firstRequests) * limit) / 100;
  return isFirst || (own < (littleWork * limit) / 100 && left > (lastPermits * limit) / 100);
}

/** A count of the requests of others in this window. */
interface Others {
  readonly requests: number;
  readonly atMs: number;
}

/** How fast other processes send, in requests for each millisecond. */
export interface Pace {
  readonly now: number;
  /** Since the first count of this window. */
  readonly average: number;
  readonly first: Others;
  /** The count from which the next pace is measured. */
  readonly last: Others;
}

export function firstPace(first: Others): Pace {
  return { now: 0, average: 0, first, last: first };
}

/** Less time between two counts does not tell how fast others send: of a burst, some answers show no request of others. */
const shortestPaceMs = 50;

/** The pace after another count. */
export function paceAfter(pace: Pace, others: Others): Pace {
  const since = ({ requests, atMs }: Others) => {
    return Math.max(0, others.requests - requests) / Math.max(shortestPaceMs, others.atMs - atMs);
  };
  const isSoon = others.atMs - pace.last.atMs < shortestPaceMs;
  const now = since(pace.last);
  const average = since(pace.first);
  return isSoon ? { ...pace, now: Math.max(pace.now, now), average } : { ...pace, now, average, last: others };
}

/** The latest count of the permits left. */
export interface Count {
  /** Permits left by the answer to the latest request: includes what other processes have used. */
  told: number;
  /** When that request was sent: the count is at most as old as that. */
  toldAtMs: number;
  /** When that answer came. */
  heardAtMs: number;
  pace: Pace;
}

/** A count that came longer ago tells little: others may have used up the permits since. */
const oldCountMs = 500;
/** Then the next request waits for the answer to the last one: so long at most, with 100 permits. */
const answerMs = 1_000;

/** The time from which the next request may go without the answer to the last one, which was sent at `sentAtMs`. */
export function unansweredUntilMs(limit: number, { heardAtMs }: Count, sentAtMs: number, nowMs: number): number {
  const isOld = nowMs - heardAtMs > oldCountMs;
  return isOld ? sentAtMs + answerMs * Math.min(1, 100 / limit) : Number.NEGATIVE_INFINITY;
}

/** Whether the latest count of a window shows that hardly any permits will be left. */
export function isShort(limit: number, { told }: Count): boolean {
  return told <= (keptForOthers * limit) / 100;
}

/** Of 100 permits: with so few left, an old count is no reason to send. */
const lastOnes = 14;
/** Nor is it with so many left for each process, if this one has had its turn in this window: so many of 100 requests. */
const lastOfEach = 6;
const turn = 5;

/** Whether the others have used up the permits by then, if they go on. */
export function areGone(use: Use, { told, toldAtMs, pace }: Count, atMs: number): boolean {
  const { limit, own, before, wasShort } = use;
  if (own < (firstRequests * limit) / 100) return false;
  const wouldBeGone = (perMs: number) => told - perMs * (atMs - toldAtMs) < 1;
  if (told <= (lastOnes * limit) / 100) return wouldBeGone(pace.now);
  const ofEach = lastOfEach * Math.min(1, limit / 100);
  const hasHadTurn = wasShort && own >= (turn * limit) / 100 && told <= ofEach / (before || shareOf(use));
  return hasHadTurn && wouldBeGone(Math.min(pace.now, pace.average));
}

/** The number of polls that a process with little work may count on. */
export function fewPolls({ limit, own }: Use): number {
  return Math.max(0, (littleWork * limit) / 100 - own);
}

/** The time from which a process with more work may send. What it leaves to others shrinks to nothing until the window ends. */
export function leavesUntilMs({ limit }: Use, left: number, window: { sinceMs: number; endMs: number }): number {
  const kept = (keptForOthers * limit) / 100;
  if (kept < left) return Number.NEGATIVE_INFINITY;
  return window.endMs - ((left - 0.5) / kept) * (window.endMs - window.sinceMs);
}
