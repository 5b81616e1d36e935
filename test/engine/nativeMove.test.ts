import { closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

const properties = { gpuType: "h100", replicas: 2, container: "acme/model:1", env: { TOKEN: "canary-value" } };
const dynamicType = "pulumi-nodejs:dynamic/gpucluster:Cluster";
const nativeType = "gpucluster:index:Cluster";

const dynamicProgram = (options = "{}") => `new gpu.Cluster("web", ${JSON.stringify(properties)}, ${options});`;
const yamlProgram = (more: object) => ({ resources: { web: { type: "gpucluster:Cluster", properties, ...more } } });

it("a stack moves from one door to the other and back by one line: the same cluster, and no request that changes it", async () => {
  const { workspace, simulator, writes } = await openBench(dynamicProgram());
  expect((await workspace.up()).code).toBe(0);
  const [cluster] = living(simulator);
  expect(workspace.storedClusters()).toMatchObject([{ id: cluster?.id, type: dynamicType }]);
  writes();

  workspace.yaml(yamlProgram({ options: { aliases: [{ type: dynamicType }] } }));
  expect((await workspace.preview()).output).not.toMatch(/to (create|replace|update|delete)/);
  expect((await workspace.up()).code).toBe(0);
  expect(workspace.storedClusters()).toMatchObject([{ id: cluster?.id, type: nativeType }]);
  workspace.yaml(yamlProgram({}));
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);

  workspace.program(dynamicProgram(`{ aliases: [{ type: "${nativeType}" }] }`));
  expect((await workspace.preview()).output).not.toMatch(/to (create|replace|delete)/);
  expect((await workspace.up()).code).toBe(0);
  expect(workspace.storedClusters()).toMatchObject([{ id: cluster?.id, type: dynamicType }]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect(writes()).toEqual([]);
  expect(await workspace.stateText()).not.toContain("canary");
});
