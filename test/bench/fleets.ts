import type { Simulator } from "../../simulator";
import { boundMs } from "./bound";
import { type Contender, type Made, openers, type Who } from "./contenders";
import { atMost, cleanTargets, type Figures, meanOf, type Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { openService, type ServiceOptions, service, trafficOf, windowOf } from "./service";

/** The phase of the window in which runs begin: in its first half, so that creations wait long for the next window. */
const phaseMs = 20_000;
/** One minute takes two seconds. */
const fastest = 30;
/** The minimum real time of a run of up to 100 clusters: on a faster clock, what the process computes would count as much. */
const minRealMs = 40_000;

/**
 * A single time would sample one phase of the polls, so small fleets are created with several times around it: multiples of the
 * golden ratio meet the phases of any interval evenly.
 */
const aroundS: Readonly<Record<number, number>> = { 30: 10, 300: 30 };
const parts = Array.from({ length: 12 }, (_, index) => ((index * 0.618_034) % 1) * 2 - 1);
/** A single cluster has to be as early as with the naive provider. Its mean differs by so much between two runs. */
const noiseS = 0.5;
/** The number of clusters up to which a fleet is small. */
const small = 10;
/** The maximum time over the bound. Ten clusters are confirmed one after the other, and a poll may come 4 s late. */
function maxOverBound(clusters: number, provisioningS: number): number {
  return clusters === small && provisioningS === 30 ? 1.09 : 1.04;
}
/** The maximum number of requests of one cluster alone. */
const maxOfOne: Readonly<Record<number, number>> = { 30: 30, 300: 89 };

/** A fleet after its creation. */
interface Fleet {
  readonly simulator: Simulator;
  readonly clock: ScaledClock;
  readonly made: readonly Made[];
  readonly figures: Figures;
}

/** Loads and compiles all code first: otherwise it would cost the first run seconds. */
export async function warmUp(clusters: number): Promise<void> {
  for (const who of ["ours", "naive"] as const) {
    const { simulator } = await bringUp(who, clusters, { provisioningMs: 3_000, phaseMs: 0 }, fastest);
    await simulator.close();
  }
}

/** Creations of a fleet by this package and by the naive provider, side by side or, if large, one after the other. */
export async function creation(clusters: number, provisioningS: number): Promise<Row> {
  const spreadS = aroundS[provisioningS] ?? 0;
  const times = clusters <= small ? parts.map((part) => provisioningS + part * spreadS) : [provisioningS];
  const runs = await Promise.all(times.map((seconds) => creationOnce(clusters, 1_000 * seconds)));
  const ours = meanOf(runs.map((each) => each.ours));
  const naive = meanOf(runs.map((each) => each.naive));
  const bound = meanOf(runs.map((each) => each.bound));
  const seconds = ours.seconds ?? Number.NaN;
  const early = atMost("s", seconds, (naive.seconds ?? Number.NaN) + noiseS, 1);
  const overBound = atMost(
    "of the bound",
    seconds / (bound.seconds ?? Number.NaN),
    maxOverBound(clusters, provisioningS),
    2,
  );
  return {
    run: `create ${clusters}, ${provisioningS} s`,
    fleet: { clusters, provisioningS },
    ours,
    naive,
    bound,
    targets: [
      ...cleanTargets(ours),
      clusters === 1 ? early : overBound,
      atMost("requests", ours.requests, clusters === 1 ? (maxOfOne[provisioningS] ?? 0) : (naive.requests ?? 0)),
    ],
  };
}

async function creationOnce(clusters: number, provisioningMs: number) {
  const run = { provisioningMs, phaseMs };
  const minMs = boundMs(clusters, provisioningMs, windowOf(run));
  const factor = clusters <= 100 ? Math.min(fastest, minMs / minRealMs) : fastest;
  const measure = async (who: Who) => {
    const { simulator, figures } = await bringUp(who, clusters, run, factor);
    await simulator.close();
    return figures;
  };
  const first = measure("ours");
  if (clusters > 100) await first;
  const [ours, naive] = await Promise.all([first, measure("naive")]);
  return { ours, naive, bound: { seconds: minMs / 1_000, requests: 2 * clusters } };
}

/** A refresh and a destroy of 500 clusters, each by a new process in a new window. */
export async function sweeps(): Promise<Row[]> {
  const clusters = 500;
  const run = { provisioningMs: 1_000, phaseMs };
  const fleet = await bringUp("ours", clusters, run, fastest);
  const refresh = (contender: Contender, made: Made) => contender.read(made);
  const destroy = (contender: Contender, made: Made) => contender.remove(made);
  const rows = [
    // Each cluster is read by its id, and the replicas of the first 40.
    sweepRow(`refresh ${clusters}`, await sweep(fleet, refresh), clusters + 50),
    sweepRow(`destroy ${clusters}`, await sweep(fleet, destroy), clusters + 60),
  ];
  await fleet.simulator.close();
  return rows;
}

function sweepRow(run: string, ours: Figures, maxRequests: number): Row {
  return { run, ours, targets: [...cleanTargets(ours), atMost("requests", ours.requests, maxRequests)] };
}

/** Creates a whole fleet concurrently; the caller closes its service. */
async function bringUp(who: Who, clusters: number, run: ServiceOptions, factor: number): Promise<Fleet> {
  const clock = new ScaledClock(factor);
  const simulator = await openService(clock, run);
  const startMs = clock.now();
  const made = await createAll(openers[who](simulator, clock), namesOf("bench", clusters));
  const figures = figuresSince(startMs, { simulator, clock }, clusters - made.length);
  return { simulator, clock, made, figures };
}

/** What a run that has just ended needed. A run in which something failed has no time. */
function figuresSince(startMs: number, { simulator, clock }: Pick<Fleet, "simulator" | "clock">, failed: number) {
  const seconds = (clock.now() - startMs) / 1_000;
  return { ...(failed > 0 ? {} : { seconds }), ...trafficOf(simulator, startMs), failed };
}

/** One operation on each cluster of a fleet concurrently. */
async function sweep(fleet: Fleet, work: (contender: Contender, made: Made) => Promise<unknown>): Promise<Figures> {
  const { simulator, clock, made } = fleet;
  await clock.sleep(service.windowMs);
  const contender = openers.ours(simulator, clock);
  const startMs = clock.now();
  const results = await Promise.allSettled(made.map((each) => work(contender, each)));
  return figuresSince(startMs, fleet, results.filter(({ status }) => status === "rejected").length);
}

export function namesOf(prefix: string, clusters: number): string[] {
  return Array.from({ length: clusters }, (_, index) => `${prefix}-${index}`);
}

/** Those that became ready. */
export async function createAll(contender: Contender, names: readonly string[]): Promise<Made[]> {
  const results = await Promise.allSettled(names.map((name) => contender.create(name)));
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}
