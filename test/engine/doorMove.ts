import { type Bench, living } from "./harness";
import { clusterTypes } from "./workspace";

type Door = keyof typeof clusterTypes;

/** The one line by which a program takes over what this door has made. */
export const aliasOf = (door: Door) => ({ aliases: [{ type: clusterTypes[door] }] });

/** Takes a program of the other door: the preview shows at most an update, nothing is sent, the cluster is the same. */
export async function move({ workspace, simulator, writes }: Bench, to: Door, writeProgram: () => void): Promise<void> {
  const [before] = living(simulator);
  writes();
  writeProgram();
  const { code, output } = await workspace.preview();
  expect(output).not.toMatch(/:Cluster: \((?!update)|warning|error/);
  expect(code).toBe(0);
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual([]);
  const type = clusterTypes[to];
  expect(workspace.storedClusters()).toMatchObject([{ id: before?.id, type, outputs: { name: before?.name } }]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);
}
