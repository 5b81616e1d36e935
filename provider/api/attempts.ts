import type { Clock } from "../clock";
import { messageOf, RequestError, ResponseShapeError } from "../errors";
import type { RequestEntry, RequestLog } from "../requestLog";
import type { Secret } from "../text";
import { type Attributes, errorType, noTracer, type Span, type SpanFailure, type Tracer } from "../trace";
import { parametersOf } from "./endpoints";
import { type Handler, type HttpRequest, type HttpResponse, titleOf } from "./http";
import { readRateHeaders } from "./rateHeaders";
import { redactor } from "./redact/redactor";
import { requestIdOf } from "./statusErrors";

export interface AttemptOptions {
  readonly tracer: Tracer;
  readonly log?: RequestLog | undefined;
  readonly clock: Clock;
  readonly apiKey: Secret;
  readonly baseUrl: string;
}

/**
 * Records each attempt of a request: a span for its wait in the rate budget, a span from sending it to its answer or error,
 * and one line in the log.
 * @param chain The handlers of one attempt: it calls the next one when the budget lets the request pass.
 */
export function recordAttempts(options: AttemptOptions, chain: Handler): Handler {
  if (options.tracer === noTracer && !options.log) return chain;
  return (wire) => async (request) => {
    const attempt = new Attempt(options, request);
    const send = chain((sent) => attempt.send(() => wire(sent)));
    try {
      const response = await send(request);
      attempt.end();
      return response;
    } catch (error) {
      attempt.end({ error });
      throw error;
    }
  };
}

interface Sent {
  readonly atMs: number;
  readonly span: Span;
  endMs?: number;
  response?: HttpResponse;
}

/** One attempt, from the wait for its permit on. */
class Attempt {
  readonly #startMs: number;
  readonly #path: ReturnType<typeof parametersOf>;
  #sent: Sent | undefined;

  constructor(
    private readonly options: AttemptOptions,
    private readonly request: HttpRequest,
  ) {
    this.#startMs = options.clock.now();
    this.#path = parametersOf(request.path);
  }

  async send(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const { clock, tracer, baseUrl } = this.options;
    this.#waited();
    const { method } = this.request;
    const about = { ...serverOf(baseUrl), ...this.#asked() };
    const span = tracer.start(`${method} ${this.#path.route}`, about, { isRequest: true });
    const sent: Sent = { atMs: clock.now(), span };
    this.#sent = sent;
    try {
      sent.response = await tracer.within(span, work);
      return sent.response;
    } finally {
      sent.endMs = clock.now();
    }
  }

  end(failure?: { readonly error: unknown }): void {
    const { apiKey, log } = this.options;
    const hide = redactor([apiKey.reveal(), ...(this.request.secrets ?? [])]);
    const error = failure && hide(this.#textOf(failure.error));
    const answer = this.#answer(hide);
    const ended = failure && { type: typeOf(failure.error, answer.status), message: error };
    if (!this.#sent) this.#waited(ended);
    this.#sent?.span.set({
      "http.response.status_code": answer.status,
      "gpucluster.rate_limit.remaining": answer.remaining,
      "gpucluster.request.id": answer.requestId,
    });
    this.#sent?.span.end(ended);
    log?.(this.#entry({ ...answer, error }));
  }

  /**
   * Without the words of the service, which may quote the `env` of any cluster: no request knows all secrets. The error of the
   * operation has these words, without its secrets.
   */
  #textOf(error: unknown): string {
    const response = this.#sent?.response;
    if (!response) return messageOf(error);
    const why = error instanceof ResponseShapeError && error.why ? `: ${error.why}` : "";
    return `${titleOf(this.request)}: the service answered HTTP ${response.status}${why}`;
  }

  /** A wait that did not happen has no span: most requests pass at once. */
  #waited(failure?: SpanFailure): void {
    const { tracer, clock } = this.options;
    const startMs = this.#startMs;
    if (clock.now() === startMs && !failure) return;
    tracer.start("wait for rate limit", { "gpucluster.cluster.id": this.#path.id }, { startMs }).end(failure);
  }

  #asked(): Attributes {
    const { method, attempt = 1, subject } = this.request;
    return {
      "http.request.method": method,
      "url.template": this.#path.route,
      "http.request.resend_count": attempt > 1 ? attempt - 1 : undefined,
      "gpucluster.cluster.id": this.#path.id,
      "gpucluster.subject": subject,
    };
  }

  #answer(hide: (text: string) => string): Pick<RequestEntry, "status" | "remaining" | "requestId"> {
    const response = this.#sent?.response;
    if (!response) return {};
    const { remaining } = readRateHeaders(response.headers, this.options.clock.now());
    return { status: response.status, remaining, requestId: requestIdOf(response.headers, hide) };
  }

  #entry(result: Pick<RequestEntry, "status" | "remaining" | "requestId" | "error">): RequestEntry {
    const { method, attempt = 1, subject } = this.request;
    const nowMs = this.options.clock.now();
    const { atMs = nowMs, endMs = nowMs } = this.#sent ?? {};
    return {
      time: new Date(this.#startMs).toISOString(),
      method,
      route: this.#path.route,
      status: result.status,
      attempt,
      durationMs: this.#sent && endMs - atMs,
      waitedMs: atMs - this.#startMs,
      remaining: result.remaining,
      cluster: this.#path.id,
      subject,
      requestId: result.requestId,
      error: result.error,
    };
  }
}

function serverOf(baseUrl: string): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl);
  return { "server.address": hostname, "server.port": Number(port) || (protocol === "https:" ? 443 : 80) };
}

/** By the conventions: the status if it is that of an error, else a word for the failure. */
function typeOf(error: unknown, status: number | undefined): string {
  if (status !== undefined && (status < 200 || status >= 300)) return String(status);
  return error instanceof RequestError ? error.outcome : errorType(error);
}
