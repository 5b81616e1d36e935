import { allReadyMs } from "./bound";
import { openers } from "./contenders";
import { type Figures, meanOf } from "./figures";
import { bringUp } from "./fleet";
import type { Job } from "./jobs";
import { apart, apartMs, factor, factorOf, phaseMs, repeats, untilFraction } from "./pace";
import type { Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { windowOf } from "./service";
import { sweeps, sweptSizes } from "./sweepRows";

/** Sizes for the hasty provider: two are enough to show that its fleets do not become ready. */
const hastySizes = [10, 100];

/** Fleets of these sizes are compared with those of the naive provider, which cannot bring up larger ones. */
export const comparedSizes = [1, 10, 90, 100];

/** The creation of a fleet: the bound, then this provider. */
export function ourUpJobs(clusters: number, provisioningS: number): Job[] {
  return [
    async () => [{ kind: "up", who: "bound", clusters, provisioningS, figures: boundOf(clusters, provisioningS) }],
    () => up(clusters, provisioningS, "ours", provisioningS === 300 && sweptSizes.includes(clusters)),
  ];
}

/** The creation of the same fleet by the naive provider. */
export function naiveUpJobs(clusters: number, provisioningS: number): Job[] {
  return [
    () => up(clusters, provisioningS, "naive"),
    ...(hastySizes.includes(clusters) ? [() => up(clusters, provisioningS, "hasty")] : []),
  ];
}

function boundMsOf(clusters: number, provisioningS: number): number {
  return allReadyMs(clusters, provisioningS * 1_000, windowOf({ phaseMs }));
}

function boundOf(clusters: number, provisioningS: number): Figures {
  const seconds = boundMsOf(clusters, provisioningS) / 1_000;
  return { seconds, ratio: 1, lag: 0, requests: clusters, refused: 0, failed: 0 };
}

/** One fleet of one contender, with refresh and destroy after its creation if `isSwept`. */
async function up(clusters: number, provisioningS: number, who: keyof typeof openers, isSwept = false): Promise<Row[]> {
  const isCompared = comparedSizes.includes(clusters);
  const clock = new ScaledClock(isCompared ? factorOf(boundMsOf(clusters, provisioningS)) : factor);
  const run = { clusters, provisioningMs: provisioningS * 1_000, phaseMs };
  const count = isCompared && who !== "hasty" ? repeats : 1;
  const runs = Array.from({ length: count }, (_, index) => async () => {
    await untilFraction(clock, index / repeats);
    return bringUp(run, openers[who], clock);
  });
  const fleets = await apart(runs, apartMs.runs);
  const [first] = fleets;
  const rows = isSwept && first ? await sweeps(first, who, clock) : [];
  await Promise.all(fleets.map(({ simulator }) => simulator.close()));
  const figures = meanOf(fleets.map((fleet) => fleet.figures));
  return [{ kind: "up", who, clusters, provisioningS, figures }, ...rows];
}
