import { ApiError, ConnectionError, isRejectedKey } from "../errors";
import type { Handler } from "./http";

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
