import { closeFixtures, openFixture } from "./harness";

afterAll(closeFixtures);

describe("the inventory of the examples", () => {
  it("shows prices, the cheapest available type and the clusters, even in previews, and changes nothing", async () => {
    const { workspace, simulator, writes } = await openFixture("");
    const env = { TOKEN: "canary-env-value" };
    simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2, organization: "org_test", env });
    workspace.programFile("examples/inventory/index.ts");
    expect((await workspace.preview()).output).toContain('"web: 2 x h100, running"');
    expect((await workspace.up()).code).toBe(0);
    const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(outputs).toMatchObject({
      pricesPerHour: { h100: "2.99 USD", l4: "0.44 USD" },
      cheapestAvailable: "l4",
      clusters: ["web: 2 x h100, running"],
      isWholeList: true,
    });
    expect(writes()).toEqual([]);
    expect(workspace.stateText()).not.toContain("canary");
  });
});
