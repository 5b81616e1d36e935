/** The rate limit at the beginning of a run. */
export interface WindowPhase {
  /** Requests in one window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds since the window began. */
  readonly phaseMs: number;
  /** Number of requests used in the window. */
  readonly used: number;
}

/**
 * The least time until all clusters are known to be ready, which no provider can beat: each takes one creation and, once it
 * is ready, one read of its replicas. All creations are sent as early as the limit allows, then the reads. There is no other
 * request, and no latency.
 */
export function boundMs(clusters: number, provisioningMs: number, { limit, windowMs, phaseMs, used }: WindowPhase) {
  const usedIn = [used];
  /** Takes a request of the first window from this time on that has one left, and returns the time at which it is sent. */
  const send = (earliestMs: number): number => {
    let window = Math.floor((earliestMs + phaseMs) / windowMs);
    while ((usedIn[window] ?? 0) >= limit) window += 1;
    usedIn[window] = (usedIn[window] ?? 0) + 1;
    return Math.max(earliestMs, window * windowMs - phaseMs);
  };
  const created = Array.from({ length: clusters }, () => send(0));
  return Math.max(...created.map((atMs) => send(atMs + provisioningMs)));
}
