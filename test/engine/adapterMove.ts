import { type Bench, living } from "./harness";
import { clusterTypes } from "./workspace";

type Adapter = keyof typeof clusterTypes;

/** The one line with which a program takes over a cluster of this adapter. */
export const aliasOf = (adapter: Adapter) => ({ aliases: [{ type: clusterTypes[adapter] }] });

/** Moves to a program of the other adapter: at most an update in the preview, no request, the same cluster. */
export async function move(
  { workspace, simulator, writes }: Bench,
  to: Adapter,
  writeProgram: () => void,
): Promise<void> {
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
