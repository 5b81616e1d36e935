import { Workspace } from "../engine/workspace";
import { type Simulator, startSimulator } from "../simulator";
import { clusterProgram, emptyProgram } from "./enginePrograms";
import type { Job } from "./jobs";
import { providerJob } from "./providerProcess";
import type { Row, Subject } from "./rows";

const sizes = [1, 50, 200];
/** The fastest of so many counts: whatever else the machine does only makes a run slower. */
const repeats = 2;
const apiKey = "bench-key-0123456789abcdef";

/** The rows of the real engine, on the real clock. */
export const engineJobs: readonly Job[] = [
  ...sizes.flatMap((clusters) => [() => previews("empty", clusters), () => previews("ours", clusters)]),
  providerJob,
];

/** Times previews that find nothing to change, and measures what the state holds. */
async function previews(who: "ours" | "empty", clusters: number): Promise<Row[]> {
  const simulator = await openSimulator();
  const program = who === "ours" ? clusterProgram(clusters) : emptyProgram(clusters);
  const env = { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: apiKey };
  const workspace = new Workspace({ env, program });
  try {
    await workspace.init();
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
    await simulator.close();
    workspace.remove();
  }
}

function openSimulator(): Promise<Simulator> {
  return startSimulator({
    provisioningMs: 300,
    deletionMs: 100,
    rateLimit: 1_000_000,
    apiKeys: { [apiKey]: "org_bench" },
  });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
