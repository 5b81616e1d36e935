import type { Job } from "./jobs";
import { phases, processes, sharingJobs } from "./keyRows";
import type { Row } from "./rows";
import { leanRefresh, naiveSweeps, sweptSizes } from "./sweepRows";
import { twins } from "./twinRows";
import { up, upJobs } from "./upRows";

const sizes = [1, 10, 90, 100, 500];
/** Long runs of these sizes may run in parallel, because they do little; larger ones would slow each other down. */
const smallSizes = sizes.filter((clusters) => clusters <= 10);
const largeSizes = sizes.filter((clusters) => clusters > 10);

/** All fleet rows. */
export const fleetJobs: readonly Job[] = [
  warmUp,
  ...sizes.flatMap((clusters) => upJobs(clusters, 30)),
  () => together(smallSizes.flatMap((clusters) => upJobs(clusters, 300))),
  ...largeSizes.flatMap((clusters) => upJobs(clusters, 300)),
  ...sweptSizes.map((clusters) => () => leanRefresh(clusters)),
  () => naiveSweeps(500),
  phases,
  () => processes(30),
  ...sharingJobs,
  twins,
];

/** Loads and compiles all code first: otherwise it would cost the first row seconds. */
async function warmUp(): Promise<Row[]> {
  await up(60, 3, "naive");
  await up(60, 3, "ours");
  return [];
}

async function together(jobs: readonly Job[]): Promise<Row[]> {
  return (await Promise.all(jobs.map((job) => job()))).flat();
}
