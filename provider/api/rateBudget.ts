import type { Clock } from "../clock";
import { ApiError } from "../errors";
import { isRateLimited } from "./errorBody";
import { defaultPatienceMs, type Handler, type HttpRequest, titleOf } from "./http";
import type { Answered, Ask, Budget } from "./rateContract";
import { readRateHeaders } from "./rateHeaders";
import { laneOf } from "./rateLanes";
import { Turnstile } from "./rateTurnstile";

interface BudgetOptions {
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** Creates the budget of one service and key. */
export function createBudget(options: BudgetOptions): Budget {
  return new Turnstile(options);
}

/** Each request takes a permit from the budget. Without a `budget`, the handler creates one of its own. */
export function rateBudget({ budget, ...options }: BudgetOptions & { readonly budget?: Budget }): Handler {
  const shared = budget ?? createBudget(options);
  return (next) => async (request) => {
    const leave = await shared.enter(askOf(request));
    let answered: Answered | undefined;
    try {
      // The abort may come together with the permit.
      request.signal?.throwIfAborted();
      const response = await next(request);
      const headers = readRateHeaders(response.headers, options.clock.now());
      answered = { headers, isRefused: isRateLimited(response) };
      return response;
    } finally {
      leave(answered);
    }
  };
}

function askOf(request: HttpRequest): Ask {
  const { patienceMs = defaultPatienceMs, signal } = request;
  return { lane: laneOf(request), patienceMs, signal, refuse: (waitMs) => tooLong(request, waitMs) };
}

function tooLong(request: HttpRequest, waitMs: number): ApiError {
  const { method, path } = request;
  return new ApiError(
    `${titleOf(request)}: the rate limit of this API key is used up for another ${Math.ceil(waitMs / 1000)} s, ` +
      "which is longer than this request may wait (HTTP 429). Run the command again then",
    { outcome: "refused", method, path, status: 429, isApiAnswer: true },
  );
}
