/** What the service says of its rate limit. Pure; times are lengths, so that two clocks that differ do no harm. */
export interface RateHeaders {
  /** Requests in one window. */
  readonly limit?: number;
  /** Requests left in this window. */
  readonly remaining?: number;
  /** Milliseconds until the window resets, 0 to 300 000. */
  readonly resetInMs?: number;
  /** Milliseconds that the service asks to wait after a refusal. */
  readonly retryAfterMs?: number;
}

/** The limit of the specification (section 8), which counts until the headers say another one. */
export const defaultLimit = 100;
export const windowMs = 60_000;
/** The specified window and what stamps of whole seconds add; what is more may be a wrong clock of ours. */
const longestResetMs = windowMs + 5_000;
/** A longer window is believed up to here where our own clock plays no part; beyond, it is more likely another unit. */
const longestBelievedMs = 5 * 60_000;

type Headers = Readonly<Record<string, string>>;

/** Reads the headers; a value that makes no sense is as good as absent. */
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

/** Of several windows, as `RateLimit: "minute";r=42;t=12` names them, the one with the fewest requests left. */
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
 * The specification says a Unix timestamp. Numbers too small for one are a length in seconds, numbers too large are
 * milliseconds. The stamp is read against the answer's own `Date`: both come from the service's clock, so a wrong clock on
 * this side cannot shift it. A reset that has passed says nothing, so a whole window is assumed.
 */
function resetIn(value: number | undefined, sentAtMs: number, isTheirClock: boolean): number | undefined {
  if (value === undefined || value < 0) return undefined;
  const delayMs = value >= 1e11 ? value - sentAtMs : value >= 1e9 ? value * 1000 - sentAtMs : value * 1000;
  if (delayMs < 0) return windowMs;
  const isBelieved = delayMs <= longestBelievedMs && (isTheirClock || value < 1e9);
  return isBelieved ? delayMs : Math.min(delayMs, longestResetMs);
}

/** `Retry-After` is seconds or an HTTP date. Nothing is capped: a wait that is too long has to be refused, not shortened. */
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
  // Date.parse takes almost anything; only the form that HTTP defines counts.
  if (value === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value.trim())) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function atLeast(min: number, value: number | undefined): number | undefined {
  return value !== undefined && value >= min ? Math.floor(value) : undefined;
}
