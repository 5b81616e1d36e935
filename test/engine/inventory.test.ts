import { closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

describe("the inventory", () => {
  it("shows prices, the cheapest available type and the clusters, in previews too, and changes nothing", async () => {
    const { workspace, simulator, writes } = await openBench("");
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

describe("an argument that is not known yet", () => {
  it("delays the function until it is known, and no input is refused for it", async () => {
    const { workspace, simulator } = await openBench(`
      const web = new gpu.Cluster("web", { name: "web", gpuType: "h100", replicas: 2, container: "acme/model:1" });
      const env = { UPSTREAM: web.endpoint, SIZE: web.readyReplicas.apply(String) };
      new gpu.Cluster("second", { gpuType: "h100", container: "acme/model:1", env });
      exports.ready = gpu.getClusterStatusOutput({ id: web.id }).readyReplicas;
      exports.image = gpu.getClusterOutput({ id: web.id }).container;`);
    const { code } = await workspace.preview();
    expect(code).toBe(0);
    expect(simulator.requests.filter(({ path }) => path.startsWith("/v1/clusters/"))).toEqual([]);
    expect((await workspace.up()).code).toBe(0);
    const second = living(simulator).find(({ name }) => name.startsWith("second"));
    expect(second?.env).toMatchObject({ UPSTREAM: expect.stringContaining("https://web-"), SIZE: "2" });
    const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(outputs).toEqual({ ready: 2, image: "acme/model:1" });
  });
});
