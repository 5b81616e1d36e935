import type { Clock } from "../clock";
import { ApiError } from "../errors";
import { isRateLimited } from "./errorBody";
import { defaultPatienceMs, type Handler, type HttpRequest, type RequestKind, titleOf } from "./http";
import { type RateHeaders, readRateHeaders, windowMs } from "./rateHeaders";

/** The limit of the specification (section 8), until the headers say another one. */
const defaultLimit = 100;
const maxInFlight = 6;
/** Reset times are whole seconds: an earlier wake-up could still be in the old window. */
const guardMs = 1_000;
const jitterMs = 1_000;

/** Who goes first when permits are short: what frees money, then what was asked for, then looks. */
const priority: Record<RequestKind, number> = { delete: 0, create: 1, write: 1, action: 1, read: 2 };

/**
 * One budget of requests, shared by everything that goes through this handler. It keeps its own count, and corrects it by
 * what every answer says (`X-RateLimit-*`), because other processes may use the same key: the headers are the truth, the
 * count is an estimate. When a window is not known, one request goes ahead and finds out.
 */
export function rateBudget(options: { clock: Clock; random: () => number }): Handler {
  const budget = new RateBudget(options.clock, options.random);
  return (next) => async (request) => {
    const window = await budget.enter(request);
    try {
      const response = await next(request);
      budget.record(readRateHeaders(response.headers, options.clock.now()), isRateLimited(response), window);
      return response;
    } finally {
      budget.leave(window);
    }
  };
}

interface Waiter {
  readonly request: HttpRequest;
  readonly priority: number;
  readonly sinceMs: number;
  readonly go: (window: number) => void;
  readonly refuse: (error: unknown) => void;
}

class RateBudget {
  /** Permits left in this window; `undefined`: not known, one probe may go. */
  #remaining: number | undefined;
  #limit = defaultLimit;
  /** When the window ends, by our clock. Meaningless while `#remaining` is undefined. */
  #resetAtMs = 0;
  /** Counts the windows: an answer to a request of an earlier one says nothing about this one. */
  #window = 0;
  #inFlight = 0;
  /** Those of `#inFlight` that were let go in this window. */
  #inFlightNow = 0;
  /** Ordered by priority, first come first served within one. */
  readonly #queue: Waiter[] = [];
  #wakeAtMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /**
   * Resolves with the window's number when the request may be sent; rejects when it is aborted, or would have to wait
   * longer than its patience.
   */
  enter(request: HttpRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(request.signal.reason);
      const leaveQueue = () => request.signal?.removeEventListener("abort", onAbort);
      const waiter: Waiter = {
        request,
        priority: priority[request.kind],
        sinceMs: this.clock.now(),
        go: (window) => {
          leaveQueue();
          resolve(window);
        },
        refuse: (error) => {
          leaveQueue();
          reject(error);
        },
      };
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        waiter.refuse(request.signal?.reason);
      };
      request.signal?.addEventListener("abort", onAbort, { once: true });
      const behind = this.#queue.findIndex((other) => other.priority > waiter.priority);
      this.#queue.splice(behind < 0 ? this.#queue.length : behind, 0, waiter);
      this.#pump();
    });
  }

  /** An answer has come: corrects the count. */
  record(headers: RateHeaders, isRefused: boolean, window: number): void {
    const nowMs = this.clock.now();
    this.#limit = headers.limit ?? this.#limit;
    if (isRefused) {
      const waitMs = headers.retryAfterMs ?? headers.resetInMs ?? windowMs;
      this.#closeUntil(nowMs + waitMs);
      return;
    }
    if (window !== this.#window) return;
    // Requests in flight may not be counted yet in what the service says is left; this one is.
    const others = this.#inFlightNow - 1;
    const left = Math.max(0, Math.min(headers.remaining ?? this.#limit - 1, this.#limit) - others);
    if (this.#remaining === undefined) {
      this.#remaining = left;
      this.#resetAtMs = nowMs + (headers.resetInMs ?? windowMs) + this.#guard();
    } else if (headers.remaining !== undefined) {
      this.#remaining = Math.min(this.#remaining, left);
    }
  }

  /** A request has ended, with or without an answer. */
  leave(window: number): void {
    this.#inFlight -= 1;
    if (window === this.#window) this.#inFlightNow -= 1;
    this.#pump();
  }

  #closeUntil(atMs: number): void {
    this.#remaining = 0;
    this.#resetAtMs = atMs + this.#guard();
  }

  #guard(): number {
    return guardMs + this.random() * jitterMs;
  }

  /** Lets go whoever may go, refuses whoever cannot wait that long, and wakes up when the window ends. */
  #pump(): void {
    const nowMs = this.clock.now();
    if (this.#remaining !== undefined && nowMs >= this.#resetAtMs) this.#openWindow();
    while (this.#queue.length > 0 && this.#mayGo()) {
      this.#inFlight += 1;
      this.#inFlightNow += 1;
      if (this.#remaining !== undefined) this.#remaining -= 1;
      this.#queue.shift()?.go(this.#window);
    }
    if (this.#remaining !== 0 || this.#queue.length === 0) return;
    this.#refuseImpatient(nowMs);
    if (this.#queue.length > 0) this.#wakeAt(this.#resetAtMs);
  }

  #openWindow(): void {
    this.#remaining = undefined;
    this.#window += 1;
    this.#inFlightNow = 0;
  }

  #mayGo(): boolean {
    if (this.#remaining === undefined) return this.#inFlightNow === 0 && this.#inFlight < maxInFlight;
    return this.#remaining > 0 && this.#inFlight < maxInFlight;
  }

  #refuseImpatient(nowMs: number): void {
    const waitMs = this.#resetAtMs - nowMs;
    for (const waiter of [...this.#queue]) {
      const leftMs = (waiter.request.patienceMs ?? defaultPatienceMs) - (nowMs - waiter.sinceMs);
      if (waitMs <= leftMs) continue;
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      waiter.refuse(tooLong(waiter.request, waitMs));
    }
  }

  #wakeAt(atMs: number): void {
    if (this.#wakeAtMs <= atMs) return;
    this.#wakeAtMs = atMs;
    void this.clock.sleep(Math.max(0, atMs - this.clock.now())).then(() => {
      if (this.#wakeAtMs === atMs) this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }
}

function tooLong(request: HttpRequest, waitMs: number): ApiError {
  const { method, path } = request;
  return new ApiError(
    `${titleOf(request)}: the rate limit of this API key is used up for another ${Math.ceil(waitMs / 1000)} s, ` +
      "which is longer than this request may wait (HTTP 429). Run the command again then",
    { outcome: "refused", method, path, status: 429, isApiAnswer: true },
  );
}
