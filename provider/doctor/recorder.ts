import type { HttpRequest, HttpResponse, Send } from "../api/http";
import type { Ask, Budget, BudgetView, Leave } from "../api/rateContract";
import { defaultLimit, type RateHeaders, windowMs } from "../api/rateHeaders";
import { readable } from "../api/readable";
import type { Clock } from "../clock";
import { ResponseShapeError } from "../errors";

/** The result of one request. */
export interface Observation {
  readonly path: string;
  /** The JSON of the answer, if it was a success with JSON. */
  json?: unknown;
  /** The reason why there is no result. */
  error?: unknown;
  /** The service's clock minus the local clock, in milliseconds, from the `Date` header. */
  skewMs?: number;
}

/** Pages after the first one, of all lists together: a few pages are enough to see whether a list can be read. */
const mostPages = 3;

/** Sends each read once, and records the result. Only GET requests pass. */
export class Recorder {
  readonly #answers = new Map<string, Promise<HttpResponse>>();
  readonly #observations = new Map<string, Observation>();

  constructor(
    private readonly next: Send,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  /** By path, in the order of the requests. */
  get observations(): ReadonlyMap<string, Observation> {
    return this.#observations;
  }

  readonly send: Send = async (request) => {
    const { method, path } = request;
    if (method !== "GET") throw new TypeError(`a write must not be sent: ${method}`);
    const answer = this.#answers.get(path) ?? this.#ask(request);
    this.#answers.set(path, answer);
    const observation = this.#observations.get(path);
    try {
      const response = await answer;
      if (observation) observation.json = response.json;
      const { json, headers } = response;
      readable(request, () => request.accepts?.({ json, headers }));
      return response;
    } catch (error) {
      if (observation) observation.error = error;
      throw error;
    }
  };

  async #ask({ accepts: _accepts, ...request }: HttpRequest): Promise<HttpResponse> {
    const { method, path } = request;
    const pages = [...this.#observations.keys()].filter((each) => each.includes("?"));
    if (path.includes("?") && pages.length >= mostPages) {
      throw new ResponseShapeError("more pages are not read", { outcome: "ambiguous", method, path });
    }
    const observation: Observation = { path };
    this.#observations.set(path, observation);
    const sentAtMs = this.clock.now();
    const response = await this.next(request);
    observation.skewMs = skewOf(response.headers["date"], (sentAtMs + this.clock.now()) / 2);
    return response;
  }
}

function skewOf(date: string | undefined, nowMs: number): number | undefined {
  const theirMs = Date.parse(date ?? "");
  // The header has whole seconds: on average, half of one is cut off.
  return Number.isNaN(theirMs) ? undefined : theirMs + 500 - nowMs;
}

/** A budget that never waits: after a refusal because of the rate limit, it refuses each further request unsent. */
export class Ledger implements Budget {
  /** The latest headers, with the fewest requests left. */
  rate: RateHeaders = {};
  /** Requests that were sent. */
  sent = 0;
  #closedUntilMs = 0;

  constructor(private readonly clock: Pick<Clock, "now">) {}

  async enter(ask: Ask): Promise<Leave> {
    const waitMs = this.#closedUntilMs - this.clock.now();
    if (waitMs > 0) throw ask.refuse(waitMs);
    this.sent += 1;
    return (answered) => {
      if (!answered) return;
      const { headers, isRefused } = answered;
      const isFewer = (headers.remaining ?? Infinity) <= (this.rate.remaining ?? Infinity);
      if (isFewer || isRefused)
        this.rate = { ...this.rate, ...Object.fromEntries(Object.entries(headers).filter(isKnown)) };
      // At least long enough that the request is not sent again.
      const closedMs = Math.max(1_000, headers.retryAfterMs ?? headers.resetInMs ?? windowMs);
      if (isRefused) this.#closedUntilMs = this.clock.now() + closedMs;
    };
  }

  view(): BudgetView {
    return { limit: this.rate.limit ?? defaultLimit, queued: 0 };
  }
}

function isKnown([, value]: [string, unknown]): boolean {
  return value !== undefined;
}
