import { closeBenches, living, openBench } from "./harness";
import { testPublishedFacts } from "./publishedFacts";
import { testPublishedLife } from "./publishedLife";
import { dynamicAdapter } from "./publishedPrograms";

afterAll(closeBenches);

testPublishedLife(dynamicAdapter, "client");
testPublishedFacts(dynamicAdapter, "client");

it("a cluster is adopted under the display name of its GPU, and corrected", async () => {
  const { workspace, simulator, writes } = await openBench("", { dialect: "client" });
  const env = { API_TOKEN: "canary-llama" };
  const seed = { gpuType: "rtx-4090", container: "acme/model:1", env };
  const { id } = simulator.addCluster({ ...seed, name: "prod", replicas: 2 });
  dynamicAdapter.writeCluster(workspace, { ...seed, gpuType: "RTX 4090", replicas: 3, adopt: id });
  const { output } = await workspace.preview();
  expect(output).toMatch(/web: adopts \S+ \("prod"\): replicas will be changed to match the program\n/);
  expect(output).toMatch(/hourlyCost\s*: 1\.47/);
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual([expect.stringMatching(/^POST .*\/scale$/)]);
  expect(living(simulator)).toMatchObject([{ id, name: "prod", replicas: 3, env }]);
  expect((await workspace.preview("--refresh", "--expect-no-changes")).code).toBe(0);
  expect(workspace.stateText()).not.toContain("canary");
});

it("the names of requests may be forced by the stack's config", async () => {
  const { workspace, simulator } = await openBench("", { dialect: { requestNames: "client" } });
  await workspace.succeed("config", "set", "gpucluster:requestNames", "client");
  dynamicAdapter.writeCluster(workspace, { gpuType: "h100", container: "acme/model:1" });
  expect((await workspace.up()).code).toBe(0);
  const bodies = simulator.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
  expect(bodies).toEqual([expect.objectContaining({ imageUrl: "acme/model:1", gpuModelId: expect.any(String) })]);
});
