import type { Clock } from "../clock";
import { ConnectionError, RequestError } from "../errors";
import { defaultAttemptMs, type Handler, type HttpRequest, type RequestKind, titleOf } from "./http";

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
