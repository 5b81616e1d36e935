import type { Clock } from "../../provider/clock";
import type { Simulator } from "../simulator";
import { allReadyMs } from "./bound";
import type { Contender, Made, Open, Wanted } from "./contender";
import { type Figures, mean } from "./figures";
import { openService, type ServiceOptions, service, trafficOf, windowOf } from "./service";

/** A fleet that comes up at once. */
export interface FleetRun extends ServiceOptions {
  readonly clusters: number;
  readonly healthCheck: Wanted["healthCheck"];
}

/** A fleet that is up. */
export interface Fleet {
  readonly simulator: Simulator;
  readonly made: readonly Made[];
  readonly figures: Figures;
}

/** Creates a whole fleet at once; the caller closes its service. */
export async function bringUp(run: FleetRun, open: Open, clock: Clock): Promise<Fleet> {
  const simulator = await openService(clock, run);
  const contender = open(simulator, clock);
  const startMs = clock.now();
  const wanted = wantedOf("bench", run);
  const endings = await Promise.all(wanted.map((each) => createOne(contender, each, clock)));
  const { requests, refused } = trafficOf(simulator, startMs);
  const ready = endings.filter((ending) => ending !== undefined);
  const lags = ready.map(({ made, endMs }) => endMs - readyAtMs(simulator, made, run.provisioningMs));
  const failed = endings.length - ready.length;
  const readyMs = Math.max(...ready.map(({ endMs }) => endMs)) - startMs;
  const boundMs = allReadyMs(run.clusters, run.provisioningMs, windowOf(run.phaseMs));
  const times = failed > 0 ? {} : { seconds: readyMs / 1_000, ratio: readyMs / boundMs };
  const lag = ready.length > 0 ? { lag: mean(lags) / 1_000 } : {};
  return { simulator, made: ready.map(({ made }) => made), figures: { ...times, ...lag, requests, refused, failed } };
}

/** Names and what is asked for, of a whole fleet. */
export function wantedOf(prefix: string, { clusters, healthCheck }: Pick<FleetRun, "clusters" | "healthCheck">) {
  return Array.from({ length: clusters }, (_, index): Wanted => ({ name: `${prefix}-${index}`, healthCheck }));
}

export interface Ending {
  readonly made: Made;
  /** When the creation returned. */
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

/** One operation on each cluster of a fleet at once, by a process that knows nothing, in a window of its own. */
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

/** When the service had a cluster ready: with one replica, neither sooner nor later than it says. */
export function readyAtMs(simulator: Simulator, { id }: Made, provisioningMs: number): number {
  return Date.parse(simulator.cluster(id)?.createdAt ?? "") + provisioningMs;
}
