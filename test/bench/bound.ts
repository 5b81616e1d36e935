/**
 * The physical bound, which no provider can beat. Each creation takes one request of the rate limit, and the last created
 * cluster has to be provisioned; everything else is free.
 */

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

/** The earliest time at which the last of these requests can be sent, from the beginning of the run. */
export function lastRequestMs(requests: number, { limit, windowMs, phaseMs, used }: WindowPhase): number {
  const later = requests - (limit - used);
  return later <= 0 ? 0 : windowMs - phaseMs + windowMs * (Math.ceil(later / limit) - 1);
}

/** The earliest time at which all of these clusters can be ready. */
export function allReadyMs(clusters: number, provisioningMs: number, phase: WindowPhase): number {
  return lastRequestMs(clusters, phase) + provisioningMs;
}
