import { type Bench, closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

const dynamicType = "pulumi-nodejs:dynamic/gpucluster:Cluster";
const nativeType = "gpucluster:index:Cluster";
const args = (replicas: number) =>
  `{ gpuType: "h100", replicas: ${replicas}, container: "acme/model:1", env: { TOKEN: "canary-value" } }`;
const aliasOf = (type: string) => `aliases: [{ type: "${type}" }]`;
const dynamicProgram = (replicas: number, options = "") =>
  `exports.name = new gpu.Cluster("web", ${args(replicas)}, { ${options} }).name;`;
const nativeProgram = (replicas: number, options = "") => `const native = require("pulumi-gpucluster/native");
  const own = (apiKey) => new native.Provider("own", { apiKey, baseUrl: process.env.GPUCLUSTER_BASE_URL });
  exports.name = new native.Cluster("web", ${args(replicas)}, { ${options} }).name;`;

/** Takes the program over: no preview of anything but an update, no request that changes anything, the same cluster. */
async function move({ workspace, simulator, writes }: Bench, to: string, program: string) {
  const [before] = living(simulator);
  writes();
  workspace.program(program);
  const { code, output } = await workspace.preview();
  expect(output).not.toMatch(/:Cluster: \((?!update)|warning|error/);
  expect(code).toBe(0);
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual([]);
  expect(workspace.storedClusters()).toMatchObject([{ id: before?.id, type: to, outputs: { name: before?.name } }]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);
}

it("a stack moves from the dynamic door to the native one and back by one line, and scales in each", async () => {
  const bench = await openBench(dynamicProgram(2));
  const { workspace, simulator, writes } = bench;
  expect((await workspace.up()).code).toBe(0);

  await move(bench, nativeType, nativeProgram(2, aliasOf(dynamicType)));
  workspace.program(nativeProgram(3));
  expect((await workspace.preview()).output).toMatch(
    /^ +\[provider=.*\n +~ replicas: 2 => 3\nResources:\n +~ 1 to update/m,
  );
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);

  await move(bench, dynamicType, dynamicProgram(3, aliasOf(nativeType)));
  workspace.program(dynamicProgram(2));
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);

  expect(await workspace.stateText()).not.toContain("canary");
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});

it("a stack moves to a provider of the program and back, and is destroyed right after it has", async () => {
  const bench = await openBench(dynamicProgram(1));
  expect((await bench.workspace.up()).code).toBe(0);
  const own = "provider: own(process.env.GPUCLUSTER_API_KEY)";
  await move(bench, nativeType, nativeProgram(1, `${own}, ${aliasOf(dynamicType)}`));
  bench.workspace.program(nativeProgram(2, own));
  expect((await bench.workspace.up()).code).toBe(0);
  await move(bench, dynamicType, dynamicProgram(2, aliasOf(nativeType)));
  expect((await bench.workspace.destroy()).code).toBe(0);
  expect(living(bench.simulator)).toEqual([]);
});
