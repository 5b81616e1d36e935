import type { Clock } from "../../base/clock";
import { ApiError, ConnectionError, isRejectedKey } from "../../base/errors";
import type { RequestLog } from "../../base/requestLog";
import type { Secret } from "../../base/text";
import type { Budget } from "./budget";
import { logAttempts } from "./log";
import { rateBudget } from "./rateLimiter";
import { deadline, retry } from "./retry";
import { type Handler, http, type Send } from "./send";
import { statusErrors } from "./statusErrors";

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** The rate budget of the requests; by default, the chain has one of its own. */
  readonly budget?: Budget;
  /** By default, the places where they may be set. */
  readonly sources?: Sources | undefined;
  /** By default, nothing is logged. */
  readonly log?: RequestLog | undefined;
  /** The end of the chain; by default, one over undici. */
  readonly end?: Send;
}

/**
 * Assembles the chain, outermost first. The order matters:
 * - the advice on settings is outermost: it ends the message, after the number of attempts;
 * - retry sees typed errors, and each attempt passes through all handlers below;
 * - attempts are logged around status errors, whose errors they log, and around the budget, whose wait they log;
 * - status errors wrap the budget, because the budget has to see the headers of every raw answer, a 429 included;
 * - the rate budget is below retry, so that each attempt takes a permit of its own;
 * - the deadline is below the budget, because it has to count the wait for a permit; an attempt has the time that is left then;
 * - auth is next to the network: above it, no request holds the key.
 */
export function createTransport({
  baseUrl,
  apiKey,
  userAgent,
  clock,
  random,
  budget,
  sources = { baseUrl: "gpucluster:baseUrl or GPUCLUSTER_BASE_URL", apiKey: "gpucluster:apiKey or GPUCLUSTER_API_KEY" },
  log,
  end = http(baseUrl),
}: TransportOptions): Send {
  const wire = deadline({ clock })(auth(apiKey, userAgent)(end));
  const [judged, budgeted] = [statusErrors(apiKey), rateBudget({ clock, random, budget })];
  const attempt = logAttempts({ log, clock, apiKey }, (next) => judged(budgeted(next)))(wire);
  return settingAdvice(sources)(retry({ clock, random })(attempt));
}

/** Adds the bearer key and the user agent to each request. Above this handler, no request contains the key. */
export function auth(apiKey: Secret, userAgent: string): Handler {
  return (next) => (request) => {
    const headers: Record<string, string> = {
      accept: "application/json",
      "user-agent": userAgent,
      authorization: `Bearer ${apiKey.reveal()}`,
    };
    if (request.body !== undefined) headers["content-type"] = "application/json";
    return next({ ...request, headers });
  };
}

/** Where the address and the key come from, for messages. */
export interface Sources {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Ends the message of a rejected key, an unreachable service and a redirect with the setting to check. */
export const settingAdvice =
  (sources: Sources): Handler =>
  (next) =>
  (request) =>
    next(request).catch((error: unknown) => {
      const advice = adviceFor(error, sources);
      if (advice && error instanceof Error) error.message += `. ${advice}`;
      throw error;
    });

function adviceFor(error: unknown, sources: Sources): string | undefined {
  const status = error instanceof ApiError ? error.status : 0;
  const isElsewhere = (status >= 300 && status < 400) || (error instanceof ConnectionError && error.isUnreachable);
  if (isElsewhere) return `Check the address of the service, ${sources.baseUrl}`;
  if (status === 401 || isRejectedKey(error)) return `Check the API key, ${sources.apiKey}`;
  if (status !== 403) return undefined;
  return "The API key is not allowed to do this; a key belongs to one organization (dashboard settings)";
}
