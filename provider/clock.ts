/** Time is passed in wherever it matters, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Waits; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest timer of Node; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The real clock. */
export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    for (let leftMs = ms; leftMs > 0 || leftMs === ms; leftMs -= longestTimerMs) {
      await timer(Math.min(leftMs, longestTimerMs), signal);
    }
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Settles like `promise`, or rejects with the signal's reason if the abort comes first. The work itself continues. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Runs work with a signal that aborts at the deadline, with the error of `late`. */
export async function until<T>(
  { clock, deadlineMs, late }: { readonly clock: Clock; readonly deadlineMs: number; readonly late: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  if (deadlineMs === Number.POSITIVE_INFINITY) return work(limit.signal);
  const stop = new AbortController();
  const timer = clock.sleep(Math.max(0, deadlineMs - clock.now()), stop.signal).then(
    () => limit.abort(late()),
    () => undefined, // the work ended first
  );
  try {
    return await work(limit.signal);
  } finally {
    stop.abort();
    await timer;
  }
}

/** Formats a duration for people: `45s`, `3m10s`, `60m`; from two hours on without seconds: `6h`, `2h30m`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return parts([minutes, "m"], [seconds % 60, "s"]) || "0s";
  return parts([Math.floor(minutes / 60), "h"], [minutes % 60, "m"]);
}

function parts(...counts: readonly (readonly [count: number, unit: string])[]): string {
  return counts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : "")).join("");
}
