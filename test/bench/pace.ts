import { setTimeout } from "node:timers/promises";

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

/** The real time between the beginnings of parallel runs: of the same fleet, and of different ones. */
export const apartMs = { runs: 150, jobs: 400 };

/** Runs in parallel that begin one after the other; the first one waits too. */
export function apart<T>(runs: readonly (() => Promise<T>)[], ms: number): Promise<T>[] {
  return runs.map(async (run, index) => {
    await setTimeout((index + 1) * ms);
    return run();
  });
}
