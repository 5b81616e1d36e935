import { type RateLimiter, readRateHeaders } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, HttpResponse, Send } from "../../../../provider/api/http/send";
import { priorityOf } from "../../../../provider/api/http/transport";
import type { Clock } from "../../../../provider/base/clock";
import { defaultMaxQueueMs } from "../../../../provider/base/times";
import type { VirtualClock } from "../../../support/virtualClock";
import { rateAnswer } from "./httpHarness";

/** How a service counts requests, and reports that. */
export interface RateServiceOptions {
  readonly limit: number;
  readonly windowMs?: number;
  /** How long before the first request a fixed window began. */
  readonly phaseMs?: number;
  /** How many requests of the first window were used before. */
  readonly usedBefore?: number;
  /** A request counts when it arrives, or when it is answered. */
  readonly countedAt?: "arrival" | "answer";
  /**
   * Fixed windows; windows that begin with the first request after the last one; or all of the last `windowMs`, with the
   * reset when the oldest is forgotten, or a window from now.
   */
  readonly kind?: "fixed" | "from the first request" | "sliding to the oldest" | "sliding from now";
  readonly resetForm?: "rounded up" | "rounded down" | "milliseconds" | "delta";
  /** The latency in each direction. */
  readonly wayMs?: () => readonly [number, number];
}

/** A service that counts requests; `excess` is the number of requests over the limit, from any process. */
export function rateService(clock: VirtualClock, options: RateServiceOptions) {
  const { limit, windowMs = 60_000, wayMs = () => [25, 25], countedAt = "arrival" } = options;
  const account = accountOf(clock.now(), { ...options, windowMs });
  const seen: { readonly atMs: number; readonly request: HttpRequest; readonly isOver: boolean }[] = [];
  const send: Send = async (request) => {
    const [thereMs, backMs] = wayMs();
    await clock.sleep(thereMs);
    const workMs = backMs / 2;
    if (countedAt === "answer") await clock.sleep(workMs);
    const isOver = !account.count(clock.now());
    seen.push({ atMs: clock.now(), request, isOver });
    if (countedAt === "arrival") await clock.sleep(workMs);
    const nowMs = clock.now();
    const { left, resetMs } = account.standing(nowMs);
    const headers = {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": String(resetForms[options.resetForm ?? "rounded up"](resetMs, nowMs)),
      date: new Date(nowMs).toUTCString(),
      ...(isOver && { "retry-after": String(Math.ceil((resetMs - nowMs) / 1000)) }),
    };
    await clock.sleep(backMs - workMs);
    return rateAnswer(headers, isOver ? 429 : 200);
  };
  return { send, seen, excess: () => seen.filter(({ isOver }) => isOver).length };
}

const resetForms = {
  "rounded up": (resetMs: number) => Math.ceil(resetMs / 1000),
  "rounded down": (resetMs: number) => Math.floor(resetMs / 1000),
  milliseconds: (resetMs: number) => Math.ceil(resetMs),
  delta: (resetMs: number, nowMs: number) => Math.ceil((resetMs - nowMs) / 1000),
};

function accountOf(startMs: number, options: RateServiceOptions & { windowMs: number }) {
  const { limit, windowMs, phaseMs = 0, usedBefore = 0, kind = "fixed" } = options;
  const isFixed = kind === "fixed" || kind === "from the first request";
  let firstMs = startMs - phaseMs;
  const windowAt = (nowMs: number) => {
    if (kind === "from the first request" && nowMs >= firstMs + windowMs) firstMs = nowMs;
    return firstMs + Math.floor((nowMs - firstMs) / windowMs) * windowMs;
  };
  const counted: number[] = Array.from({ length: usedBefore }, () => firstMs);
  /** Forgets the requests that count no longer, and returns the others. */
  const held = (nowMs: number) => {
    const beganMs = isFixed ? windowAt(nowMs) : nowMs - windowMs;
    const first = counted.findIndex((atMs) => (isFixed ? atMs >= beganMs : atMs > beganMs));
    counted.splice(0, first < 0 ? counted.length : first);
    return counted;
  };
  const resetMs = (nowMs: number) => {
    if (isFixed) return windowAt(nowMs) + windowMs;
    return kind === "sliding from now" ? nowMs + windowMs : (held(nowMs)[0] ?? nowMs) + windowMs;
  };
  return {
    count: (nowMs: number) => {
      const isFree = held(nowMs).length < limit;
      if (isFree) counted.push(nowMs);
      return isFree;
    },
    standing: (nowMs: number) => ({ left: limit - held(nowMs).length, resetMs: resetMs(nowMs) }),
  };
}

/** Sends through a rate limiter; a refusal is an answer too. Rejects if the wait would be too long. */
export function paced(rateLimiter: RateLimiter, clock: Clock, send: Send): Send {
  return async (request) => {
    const { maxQueueMs = defaultMaxQueueMs, signal } = request;
    const limits = { maxWaitMs: maxQueueMs, deadlineMs: Number.POSITIVE_INFINITY };
    const permit = await rateLimiter.acquire({ priority: priorityOf(request), signal, ...limits });
    if (!permit.release) throw new Error(`the limit is used up for ${permit.waitMs} ms`);
    try {
      signal?.throwIfAborted();
      const answer = await send(request);
      permit.release({ headers: readRateHeaders(answer.headers, clock.now()), isRefused: answer.status === 429 });
      return answer;
    } catch (error) {
      permit.release(undefined);
      throw error;
    }
  };
}

/** Records what arrives and when, and answers after `latencyMs`. */
export function fakeService(
  clock: VirtualClock,
  answer: (request: HttpRequest) => HttpResponse,
  latencyMs: (request: HttpRequest) => number = () => 50,
) {
  const arrivals: { atMs: number; request: HttpRequest }[] = [];
  const counts = { inFlight: 0, max: 0 };
  const send: Send = async (request) => {
    arrivals.push({ atMs: clock.now(), request });
    counts.inFlight += 1;
    counts.max = Math.max(counts.max, counts.inFlight);
    await clock.sleep(latencyMs(request));
    counts.inFlight -= 1;
    return answer(request);
  };
  return { send, arrivals, counts };
}
