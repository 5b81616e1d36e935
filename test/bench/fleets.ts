import type { Simulator } from "../../simulator";
import { boundMs } from "./bound";
import { type Contender, type Made, openers, type Who } from "./contenders";
import { atMost, cleanTargets, type Figures, type Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { openService, type ServiceOptions, service, trafficOf, windowOf } from "./service";

/** The phase of the window in which runs begin: in its first half, so that creations wait long for the next window. */
const phaseMs = 20_000;
/** One minute takes two seconds. */
const fastest = 30;
/** The minimum real time of a run of up to 100 clusters: on a faster clock, what the process computes would count as much. */
const minRealMs = 20_000;

/** The maximum time over the bound: polls come after 2 s, or 3 % of the time waited. */
function maxOverBound(clusters: number, provisioningS: number): number {
  if (clusters > 10) return 1.04;
  if (provisioningS === 300) return clusters === 1 ? 1.03 : 1.04;
  // In the worst case, a poll comes 2 s late, and a few clusters are confirmed one after the other.
  return clusters === 1 ? 1.07 : 1.09;
}
/** The maximum number of requests of one cluster alone. */
const maxOfOne: Readonly<Record<number, number>> = { 30: 30, 300: 90 };

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

/** The creation of a fleet by this package and by the naive provider, side by side or, if large, one after the other. */
export async function creation(clusters: number, provisioningS: number): Promise<Row> {
  const run = { provisioningMs: provisioningS * 1_000, phaseMs };
  const minMs = boundMs(clusters, run.provisioningMs, windowOf(run));
  const factor = clusters <= 100 ? Math.min(fastest, minMs / minRealMs) : fastest;
  const measure = async (who: Who) => {
    const { simulator, figures } = await bringUp(who, clusters, run, factor);
    await simulator.close();
    return figures;
  };
  const first = measure("ours");
  if (clusters > 100) await first;
  const [ours, naive] = await Promise.all([first, measure("naive")]);
  const overBound = (1_000 * (ours.seconds ?? Number.NaN)) / minMs;
  return {
    run: `create ${clusters}, ${provisioningS} s`,
    fleet: { clusters, provisioningS },
    ours,
    naive,
    bound: { seconds: minMs / 1_000, requests: 2 * clusters },
    targets: [
      ...cleanTargets(ours),
      atMost("of the bound", overBound, maxOverBound(clusters, provisioningS), 2),
      atMost("requests", ours.requests, clusters === 1 ? (maxOfOne[provisioningS] ?? 0) : (naive.requests ?? 0)),
    ],
  };
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
