/** One minute takes two seconds. */
export const factor = 30;

/** The least real time of a creation, if nothing but the limit and the provisioning takes time. */
const leastRealMs = 10_000;

/** Computing counts as often as the clock is fast. So that it decides nothing, the clock of a short run is slower. */
export function factorOf(boundMs: number): number {
  return Math.min(factor, boundMs / leastRealMs);
}

/** The phase of the window in which runs begin: in its first half, so that creations wait long for the next window. */
export const phaseMs = 20_000;
