import type { Clock } from "../../base/clock";
import { messageOf, ResponseShapeError } from "../../base/errors";
import { Redactor } from "../../base/redact";
import type { RequestLog } from "../../base/requestLog";
import type { Secret } from "../../base/text";
import { readRateHeaders } from "./rateHeaders";
import { type Handler, type HttpResponse, titleOf } from "./send";
import { requestIdOf } from "./statusErrors";

interface LogOptions {
  readonly log?: RequestLog | undefined;
  readonly clock: Clock;
  readonly apiKey: Secret;
}

/**
 * Writes one line for each attempt of a request.
 * @param chain The handlers of one attempt: it calls the next one when the budget lets the request pass.
 */
export function logAttempts({ log, clock, apiKey }: LogOptions, chain: Handler): Handler {
  if (!log) return chain;
  return (wire) => async (request) => {
    const { method, path, route = path, attempt = 1, subject, redactor = new Redactor() } = request;
    const startMs = clock.now();
    const sent: { atMs?: number; endMs?: number; response?: HttpResponse } = {};
    const write = (failure?: { readonly error: unknown }) => {
      redactor.learn([apiKey.reveal()]);
      const { atMs = clock.now(), endMs, response } = sent;
      log({
        time: new Date(startMs).toISOString(),
        method,
        route,
        status: response?.status,
        attempt,
        durationMs: endMs && endMs - atMs,
        waitedMs: atMs - startMs,
        remaining: response && readRateHeaders(response.headers, clock.now()).remaining,
        cluster: route.includes(":id") ? path.split("/")[3] : undefined,
        subject,
        requestId: response && requestIdOf(response.headers, (text) => redactor.hide(text)),
        error: failure && redactor.hideInOwn(textOf(failure.error, titleOf(request), response)),
      });
    };
    const send = chain(async (passed) => {
      sent.atMs = clock.now();
      try {
        sent.response = await wire(passed);
        return sent.response;
      } finally {
        sent.endMs = clock.now();
      }
    });
    try {
      const answer = await send(request);
      write();
      return answer;
    } catch (error) {
      write({ error });
      throw error;
    }
  };
}

/** Without the words of the service, which may quote the `env` of any cluster: no request knows all secrets. */
function textOf(error: unknown, title: string, response: HttpResponse | undefined): string {
  if (!response) return messageOf(error);
  const why = error instanceof ResponseShapeError && error.why ? `: ${error.why}` : "";
  return `${title}: the service answered HTTP ${response.status}${why}`;
}
