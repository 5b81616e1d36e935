import { openers } from "./contenders";
import { figuresOf } from "./fleet";
import type { Job } from "./jobs";
import { phases, processes, sharingJobs } from "./keyRows";
import { apart, apartMs, factor, phaseMs } from "./pace";
import type { Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { leanRefresh, naiveSweeps, sweptSizes } from "./sweepRows";
import { twins } from "./twinRows";
import { upJobs } from "./upRows";

const sizes = [1, 10, 90, 100, 500];
/** Runs of these sizes are made in parallel, because they do little; larger ones would slow each other down. */
const smallSizes = sizes.filter((clusters) => clusters <= 10);
const largeSizes = sizes.filter((clusters) => clusters > 10);

/** All fleet rows. */
export const fleetJobs: readonly Job[] = [
  warmUp,
  ...[30, 300].flatMap((provisioningS) => [
    () => together(smallSizes.flatMap((clusters) => upJobs(clusters, provisioningS))),
    ...largeSizes.flatMap((clusters) => upJobs(clusters, provisioningS)),
  ]),
  ...sweptSizes.map((clusters) => () => leanRefresh(clusters)),
  () => naiveSweeps(500),
  phases,
  () => processes(30),
  ...sharingJobs,
  twins,
];

/** Loads and compiles all code first: otherwise it would cost the first row seconds. */
async function warmUp(): Promise<Row[]> {
  const run = { clusters: 60, provisioningMs: 3_000, phaseMs, healthCheck: "status" } as const;
  for (const who of ["naive", "ours"] as const) await figuresOf(run, openers[who], new ScaledClock(factor));
  return [];
}

/** Their beginnings are apart, because what one fleet computes then would count as time of the others. */
async function together(jobs: readonly Job[]): Promise<Row[]> {
  return (await Promise.all(apart(jobs, apartMs.jobs))).flat();
}
