import { adapterJobs } from "./adapterRows";
import { clusterProgram, emptyProgram } from "./enginePrograms";
import { openProject, timeOf } from "./engineProject";
import type { Job } from "./jobs";
import { providerJob } from "./providerProcess";
import type { Row, Subject } from "./rows";

const sizes = [1, 50, 200];
/** Number of runs, of which the fastest counts: other load on the machine only makes a run slower. */
const repeats = 2;

/** The rows of the real engine, on the real clock. */
export const engineJobs: readonly Job[] = [
  ...sizes.flatMap((clusters) => [() => previews("empty", clusters), () => previews("ours", clusters)]),
  providerJob,
  ...adapterJobs,
];

/** Measures previews without changes, and the size of the state. */
async function previews(who: "ours" | "empty", clusters: number): Promise<Row[]> {
  const { simulator, workspace, close } = await openProject(
    who === "ours" ? clusterProgram(clusters) : emptyProgram(clusters),
  );
  try {
    await workspace.succeed("up", "--yes", "--skip-preview", "--parallel", "64");
    const subject: Subject = { kind: "preview", who, clusters };
    const times: number[] = [];
    const before = simulator.requests.length;
    for (let i = 0; i < repeats; i += 1) times.push(await timeOf(() => workspace.succeed("preview")));
    const requests = (simulator.requests.length - before) / repeats;
    const seconds = Math.min(...times) / 1_000;
    const rows: Row[] = [{ ...subject, figures: who === "ours" ? { seconds, requests } : { seconds } }];
    const [stored] = workspace.storedClusters();
    if (clusters > 1 || !stored) return rows;
    const bytes = Buffer.byteLength(JSON.stringify([stored.inputs, stored.outputs]));
    return [...rows, { kind: "state", who, clusters: 0, figures: { bytes } }];
  } finally {
    await close();
  }
}
