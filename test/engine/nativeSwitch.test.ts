import { aliasOf, move } from "./adapterMove";
import { closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

const clusterOf = (module: string, replicas: number, options: object) => {
  const args = { gpuType: "h100", replicas, container: "acme/model:1", env: { TOKEN: "canary-value" } };
  return `exports.name = new ${module}.Cluster("web", ${JSON.stringify(args)}, ${JSON.stringify(options)}).name;`;
};
const dynamicProgram = (replicas: number, options = {}) => clusterOf("gpu", replicas, options);
const nativeProgram = (replicas: number, options = {}) =>
  `const native = require("pulumi-gpucluster/native");\n${clusterOf("native", replicas, options)}`;

it("a stack moves from the dynamic adapter to the plugin and back by one line, and scales with each", async () => {
  const bench = await openBench(dynamicProgram(2));
  const { workspace, simulator, writes } = bench;
  expect((await workspace.up()).code).toBe(0);

  await move(bench, "native", () => workspace.program(nativeProgram(2, aliasOf("dynamic"))));
  workspace.program(nativeProgram(3));
  expect((await workspace.preview()).output).toMatch(
    /^ +\[provider=.*\n +~ hourlyCost: .*\n +~ replicas {2}: 2 => 3\nResources:\n +~ 1 to update/m,
  );
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);

  await move(bench, "dynamic", () => workspace.program(dynamicProgram(3, aliasOf("native"))));
  workspace.program(dynamicProgram(2));
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);

  expect(await workspace.stateText()).not.toContain("canary");
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
