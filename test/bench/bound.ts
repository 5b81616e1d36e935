/**
 * The physical bound: what no provider can beat, whatever it does. Each creation takes one request of the rate limit, and
 * the last cluster to be created has to be provisioned; everything else is free.
 */

/** How the rate limit stands when a run begins. */
export interface WindowPhase {
  /** Requests in one window. */
  readonly limit: number;
  readonly windowMs: number;
  /** So long ago the window began. */
  readonly phaseMs: number;
  /** So many of its requests are used. */
  readonly used: number;
}

/** The earliest moment at which the last of so many requests can be sent, from the beginning of the run. */
export function lastRequestMs(requests: number, { limit, windowMs, phaseMs, used }: WindowPhase): number {
  const later = requests - (limit - used);
  return later <= 0 ? 0 : windowMs - phaseMs + windowMs * (Math.ceil(later / limit) - 1);
}

/** The earliest moment at which all of so many clusters can be ready. */
export function allReadyMs(clusters: number, provisioningMs: number, phase: WindowPhase): number {
  return lastRequestMs(clusters, phase) + provisioningMs;
}
