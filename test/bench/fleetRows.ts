import { openers } from "./contenders";
import { figuresOf } from "./fleet";
import type { Job } from "./jobs";
import { phases, processes, sharingJobs } from "./keyRows";
import { apart, apartMs, factor, phaseMs } from "./pace";
import type { Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { leanRefresh, naiveSweeps, sweptSizes } from "./sweepRows";
import { twins } from "./twinRows";
import { comparedSizes, naiveUpJobs, ourUpJobs } from "./upRows";

const largeSize = 500;

/** All fleet rows. */
export const fleetJobs: readonly Job[] = [
  warmUp,
  () => compared(30),
  ...larger(30),
  () => compared(300),
  ...larger(300),
  ...sweptSizes.map((clusters) => () => leanRefresh(clusters)),
  () => naiveSweeps(largeSize),
  phases,
  () => processes(30),
  ...sharingJobs,
  twins,
];

/** Loads and compiles all code first: otherwise it would cost the first row seconds. */
async function warmUp(): Promise<Row[]> {
  const run = { clusters: 60, provisioningMs: 3_000, phaseMs };
  for (const who of ["naive", "ours"] as const) await figuresOf(run, openers[who], new ScaledClock(factor));
  return [];
}

/**
 * The fleets of this provider, then those of the naive one. Fleets that poll for 300 s on a fast clock keep the process busy, so
 * only those of them that are small are parallel.
 */
async function compared(provisioningS: number): Promise<Row[]> {
  const parallel = comparedSizes.filter((clusters) => provisioningS === 30 || clusters <= 10);
  const others = comparedSizes.filter((clusters) => !parallel.includes(clusters));
  const rows = await together(parallel.flatMap((clusters) => ourUpJobs(clusters, provisioningS)));
  for (const job of others.flatMap((clusters) => ourUpJobs(clusters, provisioningS))) rows.push(...(await job()));
  rows.push(...(await together(comparedSizes.flatMap((clusters) => naiveUpJobs(clusters, provisioningS)))));
  return rows.sort((one, other) => one.clusters - other.clusters);
}

function larger(provisioningS: number): Job[] {
  return [...ourUpJobs(largeSize, provisioningS), ...naiveUpJobs(largeSize, provisioningS)];
}

async function together(jobs: readonly Job[]): Promise<Row[]> {
  return (await apart(jobs, apartMs.jobs)).flat();
}
