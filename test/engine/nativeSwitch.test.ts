import { closeFixtures, type Fixture, living, openFixture } from "./harness";
import { clusterTypes } from "./workspace";

afterAll(closeFixtures);

const clusterOf = (module: string, replicas: number, options: object) => {
  const args = { gpuType: "h100", replicas, container: "acme/model:1", env: { TOKEN: "canary-value" } };
  return `exports.name = new ${module}.Cluster("web", ${JSON.stringify(args)}, ${JSON.stringify(options)}).name;`;
};
const dynamicProgram = (replicas: number, options = {}) => clusterOf("gpu", replicas, options);
const nativeProgram = (replicas: number, options = {}) =>
  `const native = require("pulumi-gpucluster/native");\n${clusterOf("native", replicas, options)}`;

type Adapter = keyof typeof clusterTypes;

/** The one line with which a program takes over a cluster of this adapter. */
const aliasOf = (adapter: Adapter) => ({ aliases: [{ type: clusterTypes[adapter] }] });

/** Moves to a program of the other adapter: at most an update in the preview, no request, the same cluster. */
async function move({ workspace, simulator, writes }: Fixture, to: Adapter, program: string): Promise<void> {
  const [before] = living(simulator);
  writes();
  workspace.program(program);
  const { code, output } = await workspace.preview();
  expect(output).not.toMatch(/:Cluster: \((?!update)|warning|error/);
  expect(code).toBe(0);
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual([]);
  const type = clusterTypes[to];
  expect(workspace.storedClusters()).toMatchObject([{ id: before?.id, type, outputs: { name: before?.name } }]);
  expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);
}

test("a stack moves from the dynamic adapter to the plugin and back by one line, and scales with each", async () => {
  const fixture = await openFixture(dynamicProgram(2));
  const { workspace, simulator, writes } = fixture;
  expect((await workspace.up()).code).toBe(0);

  await move(fixture, "native", nativeProgram(2, aliasOf("dynamic")));
  workspace.program(nativeProgram(3));
  expect((await workspace.preview()).output).toMatch(
    /^ +\[provider=.*\n +~ hourlyCost: .*\n +~ replicas {2}: 2 => 3\nResources:\n +~ 1 to update/m,
  );
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);

  await move(fixture, "dynamic", dynamicProgram(3, aliasOf("native")));
  workspace.program(dynamicProgram(2));
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);

  expect(workspace.stateText()).not.toContain("canary");
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
