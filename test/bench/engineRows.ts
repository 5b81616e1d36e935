import { adapterJobs } from "./adapterRows";
import { clusterProgram, emptyProgram, inertProgram, nativeProgram } from "./enginePrograms";
import { openProject, type Project, timeOf } from "./engineProject";
import type { Job } from "./jobs";
import { providerJob } from "./providerProcess";
import type { Row, Subject } from "./rows";

const sizes = [1, 50, 200];
const nativeSize = 60;
/** Number of runs, of which the fastest counts: other load on the machine only makes a run slower. More if a ratio has a target. */
const repeatsOf = (clusters: number) => (clusters >= nativeSize ? 3 : 2);

/** The rows of the real engine, on the real clock. */
export const engineJobs: readonly Job[] = [
  ...sizes.map((clusters) => () => previewsOf("preview", "ours", "empty", clusters)),
  () => previewsOf("nativePreview", "native", "inert", nativeSize),
  providerJob,
  ...adapterJobs,
];

type Who = "ours" | "empty" | "native" | "inert";

const programs: Record<Who, (clusters: number) => string> = {
  ours: clusterProgram,
  empty: emptyProgram,
  native: nativeProgram,
  inert: inertProgram,
};

/** Measures previews without changes and the size of the state, beside previews of as many resources that do nothing. */
async function previewsOf(kind: Subject["kind"], who: Who, base: Who, clusters: number): Promise<Row[]> {
  const [idle, ours] = [await upProject(base, clusters), await upProject(who, clusters)];
  try {
    const repeats = repeatsOf(clusters);
    const before = ours.simulator.requests.length;
    const times = { idle: Number.POSITIVE_INFINITY, ours: Number.POSITIVE_INFINITY };
    const preview = ({ workspace }: Project) => timeOf(() => workspace.succeed("preview"));
    // In turn, so that other load on the machine slows both.
    for (let i = 0; i < repeats; i += 1) {
      times.idle = Math.min(times.idle, await preview(idle));
      times.ours = Math.min(times.ours, await preview(ours));
    }
    const requests = (ours.simulator.requests.length - before) / repeats;
    const figures = { seconds: times.ours / 1_000, overEmpty: times.ours / times.idle, requests };
    return [
      { kind, who: base, clusters, figures: { seconds: times.idle / 1_000 } },
      { kind, who, clusters, figures },
      ...(clusters === 1 ? stateOf(ours, who) : []),
    ];
  } finally {
    await Promise.all([idle.close(), ours.close()]);
  }
}

async function upProject(who: Who, clusters: number): Promise<Project> {
  const project = await openProject(programs[who](clusters));
  await project.workspace.succeed("up", "--yes", "--skip-preview", "--parallel", "64");
  return project;
}

function stateOf({ workspace }: Project, who: Who): Row[] {
  const [stored] = workspace.storedClusters();
  const bytes = Buffer.byteLength(JSON.stringify([stored?.inputs, stored?.outputs]));
  return [{ kind: "state", who, clusters: 0, figures: { bytes } }];
}
