import { allReadyMs } from "./bound";
import { openers } from "./contenders";
import { bestOf, type Figures } from "./figures";
import { bringUp, type FleetRun, figuresOf } from "./fleet";
import type { Job } from "./jobs";
import { apart, apartMs, factorOf, phaseMs } from "./pace";
import type { Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { windowOf } from "./service";
import { sweeps, sweptSizes } from "./sweepRows";

/** Sizes for the hasty provider: two are enough to show that its fleets do not become ready. */
const hastySizes = [10, 100];

/** Additional parallel runs: few clusters become ready together, at a random time between two polls, so one lag is random. */
const besides = (clusters: number, provisioningS: number) => (clusters <= 10 && provisioningS > 30 ? 3 : 0);

/** The creation of a fleet: the bound, then every provider. */
export function upJobs(clusters: number, provisioningS: number): Job[] {
  return [
    async () => [{ kind: "up", who: "bound", clusters, provisioningS, figures: boundOf(clusters, provisioningS) }],
    () => up(clusters, provisioningS, "ours", "status", provisioningS === 300 && sweptSizes.includes(clusters)),
    ...(provisioningS === 30 || clusters === 100 ? [() => up(clusters, provisioningS, "ours", "list")] : []),
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
async function up(
  clusters: number,
  provisioningS: number,
  who: keyof typeof openers,
  healthCheck: FleetRun["healthCheck"] = "status",
  isSwept = false,
): Promise<Row[]> {
  const clock = new ScaledClock(factorOf(boundMsOf(clusters, provisioningS)));
  const run = { clusters, provisioningMs: provisioningS * 1_000, phaseMs, healthCheck };
  const more = Array.from(
    { length: besides(clusters, provisioningS) },
    () => () => figuresOf(run, openers[who], clock),
  );
  const others = Promise.all(apart(more, apartMs.runs));
  const fleet = await bringUp(run, openers[who], clock);
  const rows = isSwept ? await sweeps(fleet, who, clock) : [];
  await fleet.simulator.close();
  const figures = bestOf([...(await others), fleet.figures]);
  return [{ kind: "up", who, clusters, provisioningS, healthCheck, figures }, ...rows];
}
