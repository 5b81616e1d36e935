import type { Clock } from "../../base/clock";
import { ConnectionError, type Outcome, RequestError, ResponseShapeError } from "../../base/errors";
import { defaultAttemptMs, defaultMaxQueueMs, type Handler, type HttpRequest, type RequestKind, titleOf } from "./send";

/**
 * The reaction to a failed attempt:
 * - `again`: retry after a pause, if attempts are left;
 * - `wait`: retry when the rate budget permits it. This uses no attempt, because the service did not process the request;
 * - `fail`: the caller decides. If the request may have taken effect, the caller must read before it sends the request again.
 */
type Action = "again" | "wait" | "fail";

/**
 * The one table that decides every retry of one request. After the service was read, `writeTable` decides about a change
 * (cluster/shared/sendWrite.ts).
 */
export const retryTable = {
  "not-sent": { read: "again", delete: "again", create: "again", write: "again", action: "again" },
  ambiguous: { read: "again", delete: "again", create: "fail", write: "fail", action: "fail" },
  "server-error": { read: "again", delete: "again", create: "fail", write: "fail", action: "fail" },
  "rate-limited": { read: "wait", delete: "wait", create: "wait", write: "wait", action: "wait" },
  busy: { read: "again", delete: "fail", create: "fail", write: "fail", action: "fail" },
  "no-capacity": { read: "fail", delete: "fail", create: "fail", write: "fail", action: "fail" },
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
export function retry({ clock, random }: { clock: Clock; random: () => number }): Handler {
  return (next) => async (request) => {
    const startMs = clock.now();
    const { kind, deadlineMs, attempts = defaultAttempts, signal } = request;
    const { maxQueueMs = deadlineMs === undefined ? defaultMaxQueueMs : Number.POSITIVE_INFINITY } = request;
    for (let attempt = 1, sent = 1; ; sent += 1) {
      try {
        return await next({ ...request, attempt: sent, maxQueueMs: maxQueueMs - (clock.now() - startMs) });
      } catch (error) {
        const action: Action = error instanceof RequestError ? retryTable[error.outcome][kind] : "fail";
        if (action === "wait") continue;
        const most = error instanceof ResponseShapeError ? Math.min(attempts, unreadableAttempts) : attempts;
        if (action === "fail" || attempt >= most) throw withAttempts(error, attempt);
        // Full jitter: a random part of the whole pause, so that many clients do not retry at once.
        const pauseMs = random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
        if (pauseMs >= leftMs(request, clock)) throw withAttempts(withDeadlineNote(error), attempt);
        await clock.sleep(pauseMs, signal);
        attempt += 1;
      }
    }
  };
}

function withAttempts(error: unknown, attempts: number): unknown {
  if (attempts > 1 && error instanceof Error) error.message += ` (tried ${attempts} times)`;
  return error;
}

/** Before its deadline, a request is not sent for so many milliseconds: a create request without its answer loses an id. */
const reserveBeforeDeadlineMs: Record<RequestKind, number> = { create: 2_000, read: 0, delete: 0, write: 0, action: 0 };

type Limited = Pick<HttpRequest, "kind" | "deadlineMs">;

/** The milliseconds in which a request may still be sent; infinite without a deadline. */
export function leftMs({ kind, deadlineMs = Number.POSITIVE_INFINITY }: Limited, clock: Pick<Clock, "now">): number {
  return deadlineMs - reserveBeforeDeadlineMs[kind] - clock.now();
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
      throw untilMs < attemptTimeoutMs && error instanceof ConnectionError && error.isLate
        ? withDeadlineNote(error)
        : error;
    }
  };
}

/** The error of a request that was not sent, because its deadline was reached. */
export function unsent(request: Pick<HttpRequest, "method" | "path" | "subject">): ConnectionError {
  const { method, path } = request;
  const text = `${titleOf(request)}: not sent, because its time limit is reached`;
  return new ConnectionError(text, { outcome: "not-sent", method, path, hitDeadline: true });
}

/** Marks the error of a request that ended at its deadline, and says so in its message. */
export function withDeadlineNote<T>(error: T): T {
  if (!(error instanceof RequestError) || error.hitDeadline) return error;
  error.message += "; its time limit is reached";
  error.hitDeadline = true;
  return error;
}
