import { closeFixtures, openFixture } from "./harness";

afterAll(closeFixtures);

const cluster = (name: string) =>
  `new gpu.Cluster("${name}", { gpuType: "h100", replicas: 2, container: "acme/model:1" });`;

describe("a setting of the stack", () => {
  it("`maxHourlyCost` fails the preview of clusters that exceed it together, and an `up` without a preview before the last creation", async () => {
    const { workspace, writes } = await openFixture(["a", "b", "c"].map(cluster).join("\n"));
    await workspace.succeed("config", "set", "gpucluster:maxHourlyCost", "15");
    const preview = await workspace.preview();
    expect(preview.code).not.toBe(0);
    expect(preview.output).toMatch(
      /gpucluster:maxHourlyCost is 15\.00, but .* cost 17\.94 USD per hour: . 5\.98 \(2 x h100 at 2\.99 USD\)/,
    );
    expect(writes()).toEqual([]);
    expect((await workspace.up("--parallel", "1")).code).not.toBe(0);
    expect(writes().filter((line) => line !== "POST /v1/clusters")).toEqual([]);
    expect(workspace.storedClusters().length).toBeLessThanOrEqual(2);
  });

  it("`requestNames` decides the names in requests", async () => {
    const { workspace, simulator } = await openFixture(cluster("web"), { dialect: { requestNames: "client" } });
    await workspace.succeed("config", "set", "gpucluster:requestNames", "client");
    expect((await workspace.up()).code).toBe(0);
    const bodies = simulator.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    expect(bodies).toEqual([expect.objectContaining({ imageUrl: "acme/model:1", gpuModelId: expect.any(String) })]);
  });
});
