import { type Clock, until } from "../clock";
import { ApiError } from "../errors";
import { leftMs, unsent } from "./deadline";
import { isRateLimited } from "./errorBody";
import { defaultPatienceMs, type Handler, type HttpRequest, titleOf } from "./http";
import type { Answered, Ask, Budget, Leave } from "./rateContract";
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
    const leave = await enter(shared, request, options.clock);
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

/** Waits for its turn, at most to its deadline: a budget refuses early, but does not foresee everything. */
function enter(budget: Budget, request: HttpRequest, clock: Clock): Promise<Leave> {
  const { patienceMs = defaultPatienceMs, signal } = request;
  const left = leftMs(request, clock);
  if (left <= 0) throw unsent(request);
  const isCut = left < patienceMs;
  const ask: Ask = {
    lane: laneOf(request),
    patienceMs: Math.min(patienceMs, left),
    signal,
    refuse: (waitMs) => tooLong(request, waitMs, isCut),
  };
  if (request.deadlineMs === undefined) return budget.enter(ask);
  const limit = { clock, deadlineMs: clock.now() + left, late: () => unsent(request) };
  return until(limit, (late) => budget.enter({ ...ask, signal: signal ? AbortSignal.any([signal, late]) : late }));
}

function tooLong(request: HttpRequest, waitMs: number, isCut: boolean): ApiError {
  const { method, path } = request;
  return new ApiError(
    `${titleOf(request)}: the rate limit of this API key is used up for another ${Math.ceil(waitMs / 1000)} s, ` +
      "which is longer than this request may wait (HTTP 429). Run the command again then",
    { outcome: "refused", method, path, status: 429, isApiAnswer: true, isCut },
  );
}
