import { clusterProgram, nativeProgram } from "./enginePrograms";
import { openProject, timeOf } from "./engineProject";
import type { Job } from "./jobs";
import type { Row } from "./rows";

const clusters = 60;
const programs = { ours: clusterProgram(clusters), native: nativeProgram(clusters) };

/** The same clusters through both adapters, one after the other. */
export const adapterJobs: readonly Job[] = [() => throughAdapter("ours"), () => throughAdapter("native")];

async function throughAdapter(who: keyof typeof programs): Promise<Row[]> {
  const { workspace, close } = await openProject(programs[who]);
  const timed = async (note: string, ...command: string[]): Promise<Row> => {
    const seconds = (await timeOf(() => workspace.succeed(...command))) / 1_000;
    return { kind: "adapter", who, clusters, note, figures: { seconds } };
  };
  try {
    const rows = [
      await timed("up", "up", "--yes", "--skip-preview", "--parallel", "64"),
      await timed("preview without changes", "preview"),
      await timed("refresh", "refresh", "--yes", "--skip-preview", "--parallel", "64"),
    ];
    const state = workspace.storedClusters().map(({ inputs, outputs }) => JSON.stringify([inputs, outputs]));
    const bytes = Buffer.byteLength(state.join("")) / clusters;
    return [...rows, { kind: "adapter", who, clusters, note: "state of each", figures: { bytes } }];
  } finally {
    await close();
  }
}
