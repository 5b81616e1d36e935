import type { Clock } from "../clock";
import type { Secret } from "../text";
import { type Handler, http, type Send } from "./http";
import { rateBudget } from "./rateLimiter";
import type { Budget } from "./rateWindow";
import { deadline, retry } from "./retry";
import { type KnownSources, noSources, settingAdvice } from "./settingAdvice";
import { statusErrors } from "./statusErrors";

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** The rate budget of the requests; by default, the chain has one of its own. */
  readonly budget?: Budget;
  /** The settings that the address and the key come from, for messages. */
  readonly sources?: KnownSources;
  /** The end of the chain; by default, one over undici. */
  readonly end?: Send;
}

/**
 * Assembles the chain, outermost first. The order matters:
 * - the advice on settings is outermost: it ends the message, after the number of attempts;
 * - retry sees typed errors, and each attempt passes through all handlers below;
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
  sources = noSources(),
  end = http(baseUrl),
}: TransportOptions): Send {
  const wire = deadline({ clock })(auth(apiKey, userAgent)(end));
  const attempt = statusErrors(apiKey)(rateBudget({ clock, random, budget })(wire));
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
