import type { Clock } from "../clock";
import { ConnectionError, type Outcome, RequestError, ResponseShapeError } from "../errors";
import { defaultAttemptMs, defaultMaxQueueMs, type Handler, type HttpRequest, type RequestKind, titleOf } from "./http";

/**
 * The reaction to a failed attempt:
 * - `again`: retry after a pause, if attempts are left;
 * - `wait`: retry when the rate budget permits it. This uses no attempt, because the service did not process the request;
 * - `fail`: the caller decides. If the request may have taken effect, the caller must read before it sends the request again.
 */
type Action = "again" | "wait" | "fail";

/**
 * The one table that decides every retry of one request. After the service was read, `writeTable` decides about a change
 * (cluster/sendWrite.ts).
 */
export const retryTable = {
  "not-sent": { read: "again", delete: "again", create: "again", write: "again", action: "again" },
  ambiguous: { read: "again", delete: "again", create: "fail", write: "fail", action: "fail" },
  "server-error": { read: "again", delete: "again", create: "fail", write: "fail", action: "fail" },
  "rate-limited": { read: "wait", delete: "wait", create: "wait", write: "wait", action: "wait" },
  busy: { read: "again", delete: "fail", create: "fail", write: "fail", action: "fail" },
  refused: { read: "fail", delete: "fail", create: "fail", write: "fail", action: "fail" },
} as const satisfies Record<Outcome, Record<RequestKind, Action>>;

const defaultAttempts = 5;
/** A second answer is as unreadable as the first, unless the first was truncated on its way. */
const unreadableAttempts = 2;
const firstPauseMs = 500;
const longestPauseMs = 20_000;

/**
 * Sends a request again if the table allows it: exponential backoff with full jitter, a bounded number of attempts, and no
 * pause past its deadline.
 */
export function retry(options: { clock: Clock; random: () => number }): Handler {
  const { clock, random } = options;
  const quota = retryQuota();
  return (next) => async (request) => {
    const startMs = clock.now();
    const { deadlineMs, maxQueueMs = deadlineMs === undefined ? defaultMaxQueueMs : Number.POSITIVE_INFINITY } =
      request;
    let unreadable = 0;
    for (let attempt = 1, sent = 1; ; sent += 1) {
      try {
        const left = maxQueueMs - (clock.now() - startMs);
        const response = await next({ ...request, attempt: sent, maxQueueMs: left });
        quota.succeeded();
        return response;
      } catch (error) {
        const action = actionFor(error, request);
        if (action === "wait") continue;
        if (request.kind === "read" && error instanceof ResponseShapeError) unreadable += 1;
        const isLast = attempt >= (request.attempts ?? defaultAttempts) || unreadable >= unreadableAttempts;
        if (action === "fail" || isLast || !quota.take()) {
          throw withAttempts(error, attempt);
        }
        const pause = pauseMs(attempt, random);
        if (pause >= leftMs(request, clock)) throw withAttempts(asCut(error), attempt);
        await clock.sleep(pause, request.signal);
        attempt += 1;
      }
    }
  };
}

function actionFor(error: unknown, request: HttpRequest): Action {
  return error instanceof RequestError ? retryTable[error.outcome][request.kind] : "fail";
}

/** Full jitter: a random part of the whole pause, so that many clients do not retry at once. */
function pauseMs(attempt: number, random: () => number): number {
  return random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
}

/** Limits retries when nearly every request fails, because they would add load: each costs 5 of 100, each success returns 1. */
function retryQuota(): { take(): boolean; succeeded(): void } {
  const full = 100;
  const cost = 5;
  let left = full;
  return {
    take: () => {
      if (left < cost) return false;
      left -= cost;
      return true;
    },
    succeeded: () => {
      left = Math.min(full, left + 1);
    },
  };
}

function withAttempts(error: unknown, attempts: number): unknown {
  if (attempts > 1 && error instanceof Error) error.message += ` (tried ${attempts} times)`;
  return error;
}

/** Before its deadline, a request is not sent for so many milliseconds: a create request without its answer loses an id. */
const sparedMs: Record<RequestKind, number> = { create: 2_000, read: 0, delete: 0, write: 0, action: 0 };

type Limited = Pick<HttpRequest, "kind" | "deadlineMs">;

/** The milliseconds in which a request may still be sent; infinite without a deadline. */
export function leftMs({ kind, deadlineMs = Number.POSITIVE_INFINITY }: Limited, clock: Pick<Clock, "now">): number {
  return deadlineMs - sparedMs[kind] - clock.now();
}

/** Sends no request at its deadline or later, and ends each attempt at the deadline. */
export function deadline({ clock }: { readonly clock: Clock }): Handler {
  return (next) => async (request) => {
    if (leftMs(request, clock) <= 0) throw unsent(request);
    const { deadlineMs = Number.POSITIVE_INFINITY, attemptTimeoutMs = defaultAttemptMs } = request;
    const untilMs = deadlineMs - clock.now();
    try {
      return await next({ ...request, attemptTimeoutMs: Math.min(attemptTimeoutMs, untilMs) });
    } catch (error) {
      throw untilMs < attemptTimeoutMs && error instanceof ConnectionError && error.isLate ? asCut(error) : error;
    }
  };
}

/** The error of a request that was not sent, because its deadline was reached. */
export function unsent(request: Pick<HttpRequest, "method" | "path" | "subject">): ConnectionError {
  const { method, path } = request;
  const text = `${titleOf(request)}: not sent, because its time limit is reached`;
  return new ConnectionError(text, { outcome: "not-sent", method, path, isCut: true });
}

/** Marks the error of a request that ended at its deadline, and says so in its message. */
export function asCut<T>(error: T): T {
  if (!(error instanceof RequestError) || error.isCut) return error;
  error.message += "; its time limit is reached";
  error.isCut = true;
  return error;
}
