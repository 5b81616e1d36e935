import type { Clock } from "../clock";
import { ApiError, ConnectionError, isRejectedKey } from "../errors";
import type { RequestLog } from "../requestLog";
import type { Secret } from "../text";
import { noTracer, type Tracer } from "../trace";
import { recordAttempts } from "./attempts";
import type { Budget } from "./budget";
import { type Handler, http, type Send } from "./http";
import { rateBudget } from "./rateLimiter";
import { deadline, retry } from "./retry";
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
  /** By default, nothing is traced or logged. */
  readonly tracer?: Tracer;
  readonly log?: RequestLog | undefined;
  /** The end of the chain; by default, one over undici. */
  readonly end?: Send;
}

/**
 * Assembles the chain, outermost first. The order matters:
 * - the advice on settings is outermost: it ends the message, after the number of attempts;
 * - retry sees typed errors, and each attempt passes through all handlers below;
 * - attempts are recorded around status errors, whose kind and status they record, and from inside the budget on, so that its
 *   wait has a span of its own;
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
  tracer = noTracer,
  log,
  end = http(baseUrl),
}: TransportOptions): Send {
  const wire = deadline({ clock })(auth(apiKey, userAgent)(end));
  const [judged, budgeted] = [statusErrors(apiKey), rateBudget({ clock, random, budget })];
  const attempt = recordAttempts({ tracer, log, clock, apiKey, baseUrl }, (next) => judged(budgeted(next)))(wire);
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

/** The settings that an address and a key come from, such as `the environment variable GPUCLUSTER_API_KEY`. */
export interface Sources {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Every source of one address and key in this process; empty if it is not known. */
export interface KnownSources {
  readonly baseUrl: Set<string>;
  readonly apiKey: Set<string>;
}

export function noSources(): KnownSources {
  return { baseUrl: new Set(), apiKey: new Set() };
}

export function addSources(known: KnownSources, sources: Sources | undefined): void {
  if (!sources) return;
  known.baseUrl.add(sources.baseUrl);
  known.apiKey.add(sources.apiKey);
}

/** Ends the message of a rejected key, an unreachable service and a redirect with the setting to check. */
export function settingAdvice(sources: KnownSources): Handler {
  return (next) => (request) =>
    next(request).catch((error: unknown) => {
      const advice = adviceFor(error, sources);
      if (advice && error instanceof Error) error.message += `. ${advice}`;
      throw error;
    });
}

function adviceFor(error: unknown, { baseUrl, apiKey }: KnownSources): string | undefined {
  if (error instanceof ConnectionError) return error.isUnreachable ? checkAddress(baseUrl) : undefined;
  if (!(error instanceof ApiError)) return undefined;
  const { status } = error;
  if (status >= 300 && status < 400) return checkAddress(baseUrl);
  if (status === 401 || isRejectedKey(error)) return `Check the API key${whichComesFrom(apiKey)}`;
  if (status !== 403) return undefined;
  return `The API key${whichComesFrom(apiKey, ",")} is not allowed to do this; a key belongs to one organization (dashboard settings)`;
}

function checkAddress(sources: ReadonlySet<string>): string {
  return `Check the address of the service${whichComesFrom(sources)}`;
}

function whichComesFrom(sources: ReadonlySet<string>, end = ""): string {
  return sources.size > 0 ? `, which comes from ${[...sources].join(" or ")}${end}` : "";
}
