/** The rate limit headers of an answer. Pure. Times are durations, so a difference between two clocks does no harm. */
export interface RateHeaders {
  /** Requests in one window. */
  readonly limit?: number;
  /** Requests left in this window. */
  readonly remaining?: number;
  /** Milliseconds until the window resets, 0 to 300 000. */
  readonly resetInMs?: number;
  /** The wait that the service requests after a refusal, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The limit of the specification (section 8), used until a header shows another one. */
export const defaultLimit = 100;
export const windowMs = 60_000;
/** The specified window plus the error of whole seconds. A longer time may come from a wrong local clock. */
const longestResetMs = windowMs + 5_000;
/** If the local clock plays no part, a longer window is accepted up to this. Beyond, the unit is probably another. */
const longestBelievedMs = 5 * 60_000;

type Headers = Readonly<Record<string, string>>;

/** Reads the headers. An invalid value counts as absent. */
export function readRateHeaders(headers: Headers, nowMs: number): RateHeaders {
  const date = parseDate(headers["date"]);
  const sentAtMs = date ?? nowMs;
  const said = (name: string) => parseNumber(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`]);
  const window = closestWindow(headers);
  return {
    limit: atLeast(1, said("limit") ?? window.limit),
    remaining: atLeast(0, said("remaining") ?? window.remaining),
    resetInMs: resetIn(said("reset") ?? window.reset, sentAtMs, date !== undefined),
    retryAfterMs: retryAfter(headers["retry-after"], sentAtMs),
  };
}

/** The window with the fewest requests left, from a header such as `RateLimit: "minute";r=42;t=12`. */
function closestWindow(headers: Headers): { limit?: number; remaining?: number; reset?: number } {
  const windows = (headers["ratelimit"] ?? "").split(",").map((text) => ({ text, remaining: parameter(text, "r") }));
  const left = windows.flatMap(({ text, remaining }) => (remaining === undefined ? [] : [{ text, remaining }]));
  const [closest] = left.sort((a, b) => a.remaining - b.remaining);
  if (!closest) return {};
  const name = closest.text.split(";")[0]?.trim();
  const policy = (headers["ratelimit-policy"] ?? "").split(",").find((text) => text.split(";")[0]?.trim() === name);
  return { limit: parameter(policy, "q"), remaining: closest.remaining, reset: parameter(closest.text, "t") };
}

function parameter(text = "", name: string): number | undefined {
  return parseNumber(new RegExp(`;\\s*${name}=(\\d+)`).exec(text)?.[1]);
}

/**
 * The specification defines a Unix timestamp. Smaller numbers are a duration in seconds, larger ones a timestamp in
 * milliseconds. The timestamp is compared with the answer's own `Date`: both come from the service's clock, so a wrong
 * local clock cannot shift it. A reset in the past says nothing, so a whole window is assumed.
 */
function resetIn(value: number | undefined, sentAtMs: number, isTheirClock: boolean): number | undefined {
  if (value === undefined || value < 0) return undefined;
  const delayMs = value >= 1e11 ? value - sentAtMs : value >= 1e9 ? value * 1000 - sentAtMs : value * 1000;
  if (delayMs < 0) return windowMs;
  const isBelieved = delayMs <= longestBelievedMs && (isTheirClock || value < 1e9);
  return isBelieved ? delayMs : Math.min(delayMs, longestResetMs);
}

/** `Retry-After` is seconds or an HTTP date. It is not capped: a wait that is too long is refused, not shortened. */
function retryAfter(value: string | undefined, sentAtMs: number): number | undefined {
  const seconds = parseNumber(value);
  if (seconds !== undefined) return seconds < 0 ? undefined : seconds * 1000;
  const date = parseDate(value);
  return date === undefined ? undefined : Math.max(0, date - sentAtMs);
}

function parseNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*-?\d{1,15}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function parseDate(value: string | undefined): number | undefined {
  // Date.parse accepts almost any text; only the format of an HTTP date counts.
  if (value === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value.trim())) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function atLeast(min: number, value: number | undefined): number | undefined {
  return value !== undefined && value >= min ? Math.floor(value) : undefined;
}
