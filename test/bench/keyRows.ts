import type { Figures } from "./figures";
import { figuresOf } from "./fleet";
import type { Job } from "./jobs";
import { openOurs } from "./ours";
import { apart, apartMs, factor } from "./pace";
import { runProcesses } from "./processes";
import type { Row, Subject } from "./rows";
import { ScaledClock } from "./scaledClock";

const phasesMs = [0, 10_000, 20_000, 30_000, 40_000, 50_000];

/** Runs that begin at different phases of a window: no request may be refused in any. */
export async function phases(): Promise<Row[]> {
  const subject: Subject = { kind: "phases", who: "ours", clusters: 100, provisioningS: 30 };
  const runs = phasesMs.map((phaseMs) => () => {
    const run = { clusters: subject.clusters, provisioningMs: 30_000, phaseMs };
    return figuresOf(run, openOurs, new ScaledClock(factor));
  });
  const all = await apart(runs, apartMs.runs);
  const most = (figure: keyof Figures) => Math.max(...all.map((figures) => figures[figure] ?? Number.NaN));
  const { failed, refused, ...others } = {
    failed: most("failed"),
    refused: most("refused"),
    requests: most("requests"),
  };
  return [{ ...subject, figures: { ...others, ratio: most("ratio"), lag: most("lag"), failed, refused } }];
}

/** Three processes on one key, each with a third of the clusters. */
export async function processes(provisioningS: number): Promise<Row[]> {
  const run = { who: "ours", processes: 3, clusters: 100, provisioningMs: provisioningS * 1_000, factor } as const;
  const figures = await runProcesses(run);
  return [
    { kind: "processes", note: "fleets of 100", who: "ours", clusters: 300, processes: 3, provisioningS, figures },
  ];
}

/** Windows of 10 s, so that a run with many windows takes little time; a slow clock, because many processes run at once. */
const sharing = { clusters: 160, provisioningMs: 5_000, windowMs: 10_000, factor: 5 };

/** One fleet in more and more processes on one key, which begin at the same moment. */
export const sharingJobs: readonly Job[] = [1, 4, 8, 16].flatMap((processes) =>
  (["ours", "naive"] as const).map((who) => async () => {
    const { clusters, provisioningMs } = sharing;
    const figures = await runProcesses({ ...sharing, who, processes, clusters: clusters / processes });
    const provisioningS = provisioningMs / 1_000;
    return [{ kind: "processes", who, clusters, processes, provisioningS, figures } as const];
  }),
);
