import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../provider/base/clock";

/** One minute takes two seconds. */
export const factor = 30;

/** The least real time of a creation that is compared, if nothing but the limit and the provisioning takes time. */
const leastRealMs = 20_000;

/** Computing counts as often as the clock is fast. So that it decides nothing, the clock of compared runs is slower. */
export function factorOf(boundMs: number): number {
  return Math.min(factor, boundMs / leastRealMs);
}

/** The phase of the window in which runs begin: in its first half, so that creations wait long for the next window. */
export const phaseMs = 20_000;

/** Runs of each fleet that is compared. */
export const repeats = 4;

/** The real time between the beginnings of parallel runs, and of parallel jobs: computing of one would count as time of others. */
export const apartMs = { runs: 600, jobs: repeats * 600 };

/** Runs in parallel that begin one after the other; the first one waits too. */
export function apart<T>(runs: readonly (() => Promise<T>)[], ms: number): Promise<T[]> {
  return Promise.all(
    runs.map(async (run, index) => {
      await setTimeout((index + 1) * ms);
      return run();
    }),
  );
}

/** Waits until this fraction of a second of the clock: the service gives the end of a window in whole seconds. */
export async function untilFraction(clock: Clock, fraction: number): Promise<void> {
  const secondMs = 1_000;
  const aheadMs = fraction * secondMs - (clock.now() % secondMs);
  await clock.sleep(aheadMs < 0 ? aheadMs + secondMs : aheadMs);
}
