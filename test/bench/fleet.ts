import type { Clock } from "../../provider/base/clock";
import type { Simulator } from "../../simulator";
import { allReadyMs } from "./bound";
import type { Contender, Made, Open, Wanted } from "./contender";
import { type Figures, mean } from "./figures";
import { openService, type ServiceOptions, service, trafficOf, windowOf } from "./service";

/** A run in which a whole fleet is created concurrently. */
export interface FleetRun extends ServiceOptions {
  readonly clusters: number;
}

/** A fleet after its creation. */
export interface Fleet {
  readonly simulator: Simulator;
  readonly made: readonly Made[];
  readonly figures: Figures;
}

/** Creates a whole fleet concurrently; the caller closes its service. */
export async function bringUp(run: FleetRun, open: Open, clock: Clock): Promise<Fleet> {
  const simulator = await openService(clock, run);
  const contender = open(simulator, clock);
  const startMs = clock.now();
  const wanted = wantedOf("bench", run.clusters);
  const endings = await Promise.all(wanted.map((each) => createOne(contender, each, clock)));
  const { requests, refused } = trafficOf(simulator, startMs);
  const ready = endings.filter((ending) => ending !== undefined);
  const lags = ready.map(({ made, endMs }) => endMs - readyAtMs(simulator, made, run.provisioningMs));
  const failed = endings.length - ready.length;
  const readyMs = Math.max(...ready.map(({ endMs }) => endMs)) - startMs;
  const boundMs = allReadyMs(run.clusters, run.provisioningMs, windowOf(run));
  const times = failed > 0 ? {} : { seconds: readyMs / 1_000, ratio: readyMs / boundMs };
  const lag = ready.length > 0 ? { lag: mean(lags) / 1_000 } : {};
  return { simulator, made: ready.map(({ made }) => made), figures: { ...times, ...lag, requests, refused, failed } };
}

/** The figures of a fleet whose service is not needed after its creation. */
export async function figuresOf(run: FleetRun, open: Open, clock: Clock): Promise<Figures> {
  const { simulator, figures } = await bringUp(run, open, clock);
  await simulator.close();
  return figures;
}

/** The clusters of a whole fleet, to be created. */
export function wantedOf(prefix: string, clusters: number): Wanted[] {
  return Array.from({ length: clusters }, (_, index) => ({ name: `${prefix}-${index}` }));
}

export interface Ending {
  readonly made: Made;
  /** Time at which the creation returned. */
  readonly endMs: number;
}

/** `undefined` for a creation that failed. */
export async function createOne(contender: Contender, wanted: Wanted, clock: Clock): Promise<Ending | undefined> {
  try {
    const made = await contender.create(wanted);
    return { made, endMs: clock.now() };
  } catch {
    return undefined;
  }
}

/** One operation on each cluster of a fleet concurrently, by a new process, in a new window. */
export async function sweep(
  { simulator, made }: Fleet,
  open: Open,
  clock: Clock,
  work: (contender: Contender, made: Made) => Promise<unknown>,
): Promise<Figures> {
  await clock.sleep(service.windowMs);
  const contender = open(simulator, clock);
  const startMs = clock.now();
  const results = await Promise.allSettled(made.map((each) => work(contender, each)));
  const seconds = (clock.now() - startMs) / 1_000;
  return {
    seconds,
    ...trafficOf(simulator, startMs),
    failed: results.filter(({ status }) => status === "rejected").length,
  };
}

/** Time at which the service had a cluster ready: with one replica, exactly the provisioning time after the creation. */
export function readyAtMs(simulator: Simulator, { id }: Made, provisioningMs: number): number {
  return Date.parse(simulator.cluster(id)?.createdAt ?? "") + provisioningMs;
}
