import { closeFixtures, type Fixture, openFixture } from "./harness";

/** One cluster of each adapter, and functions that look it up: by its name, which a preview knows, and by a text made of it. */
const program = `
const native = require("pulumi-gpucluster/native");
for (const [name, sdk] of Object.entries({ web: gpu, api: native })) {
  const cluster = new sdk.Cluster(name, { name: config.get(name) ?? name, gpuType: "h100", container: "acme/model:1" });
  const { endpoint } = sdk.getClusterOutput({ name: pulumi.interpolate\`\${cluster.name}\` });
  exports[name] = sdk.getClusterOutput({ name: cluster.name }).status;
  exports[name + "Endpoint"] = endpoint;
}
`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture(program);
});
afterAll(closeFixtures);

describe("a function whose arguments come from a cluster, in both adapters, in order", () => {
  it("is not called by the preview of a new cluster, and answers after its creation", async () => {
    const preview = await fixture.workspace.preview();
    expect(preview).toMatchObject({ code: 0, output: expect.stringMatching(/web *: *\[unknown\]|web *: *output/) });
    const { code, output } = await fixture.workspace.up();
    expect(output).toMatch(/api *: "running"[\s\S]*web *: "running"/);
    expect(code).toBe(0);
  });

  it("is not called by the preview of a replacement, and answers with the new cluster", async () => {
    const { workspace, simulator } = fixture;
    await workspace.succeed("config", "set-all", "--plaintext", "web=web-2", "--plaintext", "api=api-2");
    expect((await workspace.preview()).code).toBe(0);
    const { code, output } = await workspace.up();
    expect(code).toBe(0);
    for (const name of ["web-2", "api-2"])
      expect(output).toContain(simulator.clusters().find((cluster) => cluster.name === name)?.endpoint);
  });
});
