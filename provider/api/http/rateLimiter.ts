import { setMaxListeners } from "node:events";
import { type Clock, endSleep } from "../../base/clock";
import { ApiError } from "../../base/errors";
import { rateLimitStatus } from "../records";
import type { Answered, Budget, BudgetView, PermitRequest, ReleasePermit } from "./budget";
import { readRateHeaders } from "./rateHeaders";
import { priorities, priorityOf } from "./ratePriority";
import { RateWindow } from "./rateWindow";
import { leftMs, unsent } from "./retry";
import { defaultMaxQueueMs, type Handler, type HttpRequest, titleOf } from "./send";

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
    const { maxQueueMs = defaultMaxQueueMs, signal } = request;
    const left = leftMs(request, options.clock);
    if (left <= 0) throw unsent(request);
    const release = await shared.enter({
      priority: priorityOf(request),
      maxQueueMs: Math.min(maxQueueMs, left),
      lateAtMs: options.clock.now() + left,
      signal,
      refuse: (waitMs) => tooLong(request, waitMs, left < maxQueueMs),
      late: () => unsent(request),
    });
    let answered: Answered | undefined;
    try {
      // The abort may come together with the permit.
      signal?.throwIfAborted();
      const response = await next(request);
      const headers = readRateHeaders(response.headers, options.clock.now());
      answered = { headers, isRefused: response.status === rateLimitStatus };
      return response;
    } finally {
      release(answered);
    }
  };
}

function tooLong(request: HttpRequest, waitMs: number, hitDeadline: boolean): ApiError {
  const { method, path } = request;
  return new ApiError(
    `${titleOf(request)}: the rate limit of this API key is used up for another ${Math.ceil(waitMs / 1000)} s, which is ` +
      "longer than this request may wait (HTTP 429). Run the command again after that",
    { outcome: "refused", method, path, status: 429, isApiAnswer: true, hitDeadline },
  );
}

interface Waiter extends PermitRequest {
  readonly sinceMs: number;
  readonly go: (release: ReleasePermit) => void;
  readonly fail: (error: unknown) => void;
  readonly onAbort: () => void;
}

/** Gives permits to the waiting requests as the window allows, and wakes up when it allows more. */
class RateLimiter implements Budget {
  readonly #window = new RateWindow();
  /** Highest priority first; first come, first served within one. */
  readonly #queue: Waiter[] = [];
  #alarm: AbortController | undefined;

  constructor(private readonly options: BudgetOptions) {}

  enter(ask: PermitRequest): Promise<ReleasePermit> {
    const { signal, priority } = ask;
    return new Promise((go, fail) => {
      if (signal?.aborted) return fail(signal.reason);
      const onAbort = () => {
        this.#take(waiter).fail(signal?.reason);
        this.#pump();
      };
      const waiter = { ...ask, sinceMs: this.options.clock.now(), go, fail, onAbort };
      // One signal may end hundreds of requests; from the eleventh listener on, Node would warn of a leak.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener("abort", onAbort, { once: true });
      const rank = priorities.indexOf(priority);
      const before = this.#queue.findLastIndex((other) => priorities.indexOf(other.priority) <= rank);
      this.#queue.splice(before + 1, 0, waiter);
      this.#pump();
    });
  }

  view(): BudgetView {
    const queued = this.#queue.length;
    const standing = this.#window.standing(this.options.clock.now(), queued);
    return { limit: this.#window.limit, share: this.#window.share, queued, ...standing };
  }

  #take(waiter: Waiter): Waiter {
    this.#queue.splice(this.#queue.indexOf(waiter), 1);
    waiter.signal?.removeEventListener("abort", waiter.onAbort);
    return waiter;
  }

  /** Ends the requests that cannot wait long enough, gives permits to those that may go, and sets an alarm for the rest. */
  #pump(): void {
    const nowMs = this.options.clock.now();
    this.#window.turnOver(nowMs);
    for (const waiter of this.#queue.filter(({ lateAtMs }) => lateAtMs <= nowMs))
      this.#take(waiter).fail(waiter.late());
    for (let next = this.#next(nowMs); next; next = this.#next(nowMs)) this.#take(next).go(this.#send(nowMs));
    for (const waiter of [...this.#queue]) {
      const waitMs = this.#window.closedForMs(waiter.priority, nowMs);
      const mayWaitMs = Math.max(0, waiter.maxQueueMs - (nowMs - waiter.sinceMs));
      if (waitMs > mayWaitMs) this.#take(waiter).fail(waiter.refuse(waitMs));
    }
    const times = this.#queue.flatMap(({ priority, lateAtMs }) => [lateAtMs, this.#window.opensAtMs(priority)]);
    // One that is open waits for a place in flight: the end of another request wakes it.
    this.#wakeAt(
      times.reduce((first, atMs) => (atMs > nowMs ? Math.min(first, atMs) : first), Number.POSITIVE_INFINITY),
    );
  }

  /** The next request that may go. */
  #next(nowMs: number): Waiter | undefined {
    const open = priorities.filter((each) => this.#window.hasPlace(each) && this.#window.opensAtMs(each) <= nowMs);
    return this.#queue.find(({ priority }) => open.includes(priority));
  }

  #send(nowMs: number): ReleasePermit {
    const permit = this.#window.send(nowMs);
    return (answered) => {
      this.#window.end(permit, answered, this.options.clock.now(), this.options.random());
      this.#pump();
    };
  }

  /** No alarm if no request waits: it would keep the process alive. */
  #wakeAt(atMs: number): void {
    if (this.#alarm) endSleep(this.#alarm);
    this.#alarm = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#alarm = new AbortController();
    const { clock } = this.options;
    // Another alarm ends this one.
    clock.sleep(Math.max(0, atMs - clock.now()), this.#alarm.signal).then(
      () => this.#pump(),
      () => undefined,
    );
  }
}
