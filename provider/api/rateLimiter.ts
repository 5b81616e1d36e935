import { setMaxListeners } from "node:events";
import { type Clock, endSleep } from "../clock";
import { ApiError } from "../errors";
import type { Answered, Budget, BudgetView, PermitRequest, ReleasePermit } from "./budget";
import { defaultMaxQueueMs, type Handler, type HttpRequest, titleOf } from "./http";
import { readRateHeaders } from "./rateHeaders";
import { type Priority, priorities, priorityOf, spareForPolls } from "./ratePriority";
import { RateWindow } from "./rateWindow";
import { leftMs, unsent } from "./retry";
import { isRateLimited } from "./statusErrors";

interface BudgetOptions {
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** Creates the budget of one service and key. */
export function createBudget(options: BudgetOptions): Budget {
  return new RateLimiter(options);
}

/** Each request takes a permit from the budget. Without a `budget`, the handler creates one of its own. */
export function rateBudget({ budget, ...options }: BudgetOptions & { readonly budget?: Budget }): Handler {
  const shared = budget ?? createBudget(options);
  return (next) => async (request) => {
    const release = await enter(shared, request, options.clock);
    let answered: Answered | undefined;
    try {
      // The abort may come together with the permit.
      request.signal?.throwIfAborted();
      const response = await next(request);
      const headers = readRateHeaders(response.headers, options.clock.now());
      answered = { headers, isRefused: isRateLimited(response) };
      return response;
    } finally {
      release(answered);
    }
  };
}

/** Waits for a permit, at most until the deadline: a budget refuses early if it can, but cannot foresee every wait. */
function enter(budget: Budget, request: HttpRequest, clock: Clock): Promise<ReleasePermit> {
  const { maxQueueMs = defaultMaxQueueMs, signal } = request;
  const left = leftMs(request, clock);
  if (left <= 0) throw unsent(request);
  return budget.enter({
    priority: priorityOf(request),
    maxQueueMs: Math.min(maxQueueMs, left),
    lateAtMs: clock.now() + left,
    signal,
    refuse: (waitMs, view) => tooLong(request, waitMs, left < maxQueueMs, view),
    late: () => unsent(request),
  });
}

function tooLong(request: HttpRequest, waitMs: number, isCut: boolean, { left = 0, share }: BudgetView): ApiError {
  const { method, path } = request;
  // Of the permits left, those of this process are used up: see `partOf`.
  const isShared = left > 0 && share < 1;
  return new ApiError(
    `${titleOf(request)}: ${isShared ? "the share of this process in " : ""}the rate limit of this API key is used up for ` +
      `another ${Math.ceil(waitMs / 1000)} s, which is longer than this request may wait (HTTP 429)` +
      `${isShared ? ": other processes use the key too" : ""}. Run the command again after that`,
    { outcome: "refused", method, path, status: 429, isApiAnswer: true, isCut },
  );
}

interface Waiter extends Omit<PermitRequest, "signal"> {
  readonly sinceMs: number;
  readonly go: (release: ReleasePermit) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The budget of one service and key: gives permits as the window allows, and wakes up when the window allows more. It decides
 * nothing itself: the queue chooses the next request, and the window counts the permits left.
 */
export class RateLimiter implements Budget {
  readonly #window = new RateWindow();
  readonly #queue = new RateQueue<Waiter>();
  #alarm: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(private readonly options: { readonly clock: Clock; readonly random: () => number }) {}

  enter({ signal, ...ask }: PermitRequest): Promise<ReleasePermit> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#queue.remove(waiter);
        reject(signal?.reason);
        this.#pump();
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          signal?.removeEventListener("abort", onAbort);
          settle(value);
        };
      };
      const waiter = { ...ask, sinceMs: this.options.clock.now(), go: settled(resolve), fail: settled(reject) };
      // One signal may end hundreds of requests; from the eleventh listener on, Node would warn of a leak.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.add(waiter);
      this.#pump();
    });
  }

  view(): BudgetView {
    return this.#viewAt(this.options.clock.now());
  }

  #viewAt(nowMs: number): BudgetView {
    const standing = this.#window.standing(nowMs);
    const { limit, share } = this.#window;
    const view = { limit, share, queued: this.#queue.size };
    if (!standing) return view;
    return { ...view, ...standing, spare: this.#window.ownPolls(spareForPolls({ ...view, ...standing })) };
  }

  /** Gives permits to the requests that may go, ends those that cannot wait long enough, and sets the alarm for the rest. */
  #pump(): void {
    const nowMs = this.options.clock.now();
    this.#window.turnOver(nowMs);
    // First: a permit for a late request would be lost.
    this.#endLate(nowMs);
    for (;;) {
      const waiter = this.#queue.take((priority) => this.#isOpen(priority, nowMs), nowMs);
      if (!waiter) break;
      waiter.go(this.#releaseOf(nowMs));
    }
    this.#refuseTooLong(nowMs);
    const opening = this.#queue.priorities().map((priority) => this.#window.opensAtMs(priority, nowMs));
    this.#wakeAt(Math.min(this.#queue.firstLateMs(), ...opening.filter((atMs) => atMs > nowMs)));
  }

  #isOpen(priority: Priority, nowMs: number): boolean {
    return this.#window.hasPlace(priority) && this.#window.opensAtMs(priority, nowMs) <= nowMs;
  }

  #releaseOf(nowMs: number): ReleasePermit {
    const permit = this.#window.send(nowMs);
    let isOver = false;
    return (answered) => {
      if (isOver) return;
      isOver = true;
      this.#window.end(permit, answered, this.options.clock.now(), this.options.random());
      this.#pump();
    };
  }

  #endLate(nowMs: number): void {
    for (const priority of this.#queue.priorities()) {
      for (const waiter of this.#queue.takeAll(priority, ({ lateAtMs }) => lateAtMs <= nowMs))
        waiter.fail(waiter.late());
    }
  }

  #refuseTooLong(nowMs: number): void {
    for (const priority of this.#queue.priorities()) {
      const waitMs = this.#window.closedForMs(priority, nowMs);
      if (waitMs === 0) continue;
      const waitsTooLong = ({ maxQueueMs, sinceMs }: Waiter) => waitMs > maxQueueMs - (nowMs - sinceMs);
      // Of the same time: if the window ended here, nothing would wake the others.
      for (const waiter of this.#queue.takeAll(priority, waitsTooLong))
        waiter.fail(waiter.refuse(waitMs, this.#viewAt(nowMs)));
    }
  }

  /** Sets one alarm for all waiting requests, and none if no request waits: an alarm would keep the process alive. */
  #wakeAt(atMs: number): void {
    if (this.#alarm?.atMs === atMs) return;
    if (this.#alarm) endSleep(this.#alarm.stop);
    this.#alarm = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const stop = new AbortController();
    this.#alarm = { atMs, stop };
    this.options.clock.sleep(Math.max(0, atMs - this.options.clock.now()), stop.signal).then(
      () => {
        if (this.#alarm?.stop !== stop) return;
        this.#alarm = undefined;
        this.#pump();
      },
      () => undefined, // another alarm was set, or no request waits
    );
  }
}

/** The properties of a waiting request that the queue needs. */
export interface Queued {
  readonly priority: Priority;
  readonly sinceMs: number;
  readonly lateAtMs: number;
}

/** A request that has waited this long is overdue: a whole window has passed. */
export const overdueMs = 60_000;
/** One permit in this many goes to the oldest request, if that is overdue, so that no priority starves. */
export const turnEvery = 10;

/** The waiting requests by priority; first come, first served within one. It changes only its own state. */
export class RateQueue<Waiter extends Queued> {
  readonly #waiting: Record<Priority, Waiter[]> = { lookup: [], urgent: [], change: [], read: [], poll: [] };
  #sinceTurn = 0;

  get size(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].length, 0);
  }

  /** The priorities of the waiting requests. */
  priorities(): Priority[] {
    return priorities.filter((priority) => this.#waiting[priority].length > 0);
  }

  /** The earliest time at which a request waits too long; infinite if none does. */
  firstLateMs(): number {
    let firstMs = Number.POSITIVE_INFINITY;
    for (const priority of priorities) {
      for (const { lateAtMs } of this.#waiting[priority]) if (lateAtMs < firstMs) firstMs = lateAtMs;
    }
    return firstMs;
  }

  add(waiter: Waiter): void {
    this.#waiting[waiter.priority].push(waiter);
  }

  /** False if the request does not wait any more. */
  remove(waiter: Waiter): boolean {
    const peers = this.#waiting[waiter.priority];
    const index = peers.indexOf(waiter);
    if (index >= 0) peers.splice(index, 1);
    return index >= 0;
  }

  /** Removes and returns the next request among the open priorities. */
  take(isOpen: (priority: Priority) => boolean, nowMs: number): Waiter | undefined {
    const heads = this.priorities()
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
  takeAll(priority: Priority, isTaken: (waiter: Waiter) => boolean): Waiter[] {
    const taken = this.#waiting[priority].filter(isTaken);
    if (taken.length > 0) this.#waiting[priority] = this.#waiting[priority].filter((waiter) => !isTaken(waiter));
    return taken;
  }
}
