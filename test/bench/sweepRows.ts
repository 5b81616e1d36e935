import type { Contender, Made } from "./contender";
import { openers } from "./contenders";
import { bringUp, type Fleet, sweep } from "./fleet";
import { openOurs } from "./ours";
import { factor, phaseMs } from "./pace";
import { listShowsAll, type Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { openService } from "./service";

export const sweptSizes = [100, 500];

const works: Record<"refresh" | "destroy", (contender: Contender, made: Made) => Promise<unknown>> = {
  refresh: (contender, made) => contender.read(made),
  destroy: (contender, made) => contender.remove(made),
};

/** A refresh, then a destroy of a whole fleet. */
export async function sweeps(fleet: Fleet, who: keyof typeof openers, clock: ScaledClock): Promise<Row[]> {
  const clusters = fleet.made.length;
  const refresh = await sweep(fleet, openers[who], clock, works.refresh);
  const destroy = await sweep(fleet, openers[who], clock, works.destroy);
  return [
    { kind: "refresh", who, clusters, figures: refresh },
    { kind: "destroy", who, clusters, figures: destroy },
  ];
}

/** A service whose lists show as much of a cluster as a read by id: the fields of the specification. */
export async function leanRefresh(clusters: number): Promise<Row[]> {
  const clock = new ScaledClock(factor);
  const dialect = { containerEcho: "none", envEcho: "none" } as const;
  const fleet = await bringUp({ clusters, provisioningMs: 1_000, phaseMs, dialect }, openOurs, clock);
  const figures = await sweep(fleet, openOurs, clock, works.refresh);
  await fleet.simulator.close();
  return [{ kind: "refresh", who: "ours", clusters, note: listShowsAll, figures }];
}

/** Sweeps existing clusters with the naive provider, because not all clusters that it creates become ready. */
export async function naiveSweeps(clusters: number): Promise<Row[]> {
  const clock = new ScaledClock(factor);
  const simulator = await openService(clock, { provisioningMs: 0, phaseMs: 0 });
  const made = Array.from({ length: clusters }, (_, index) => {
    const { id } = simulator.addCluster({ name: `bench-${index}`, gpuType: "h100" });
    return { id, state: {} };
  });
  const rows = await sweeps({ simulator, made, figures: {} }, "naive", clock);
  await simulator.close();
  return rows;
}
