import { closeFixtures, living, openFixture, openNativeFixture } from "./harness";

afterAll(closeFixtures);

/** A project whose `pulumi:autonaming` has a rule for clusters. */
const projectOf = (naming: object, properties: object = {}) => ({
  config: {
    "pulumi:autonaming": {
      value: { providers: { gpucluster: { resources: { "gpucluster:index:Cluster": naming } } } },
    },
  },
  resources: {
    web: { type: "gpucluster:Cluster", properties: { gpuType: "h100", container: "acme/model:1", ...properties } },
  },
});

describe("the stack's pulumi:autonaming", () => {
  it("names a new cluster of the plugin, keeps the name, and replaces the cluster without a second one of the name", async () => {
    const naming = { pattern: `\${stack}-\${name}`, enforce: true };
    const { workspace, simulator } = await openNativeFixture(projectOf(naming));
    const { code, output } = await workspace.up();
    expect(output).not.toContain("autonaming");
    expect(code).toBe(0);
    expect(living(simulator).map(({ name }) => name)).toEqual(["test-web"]);
    workspace.yaml(projectOf({ pattern: `other-\${name}` }));
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    workspace.yaml(projectOf(naming, { gpuType: "l4" }));
    const replaced = await workspace.up();
    expect(replaced.output).toMatch(
      /it is replaced: the old cluster with its only replica is deleted, or kept and billed with `retainOnDelete`$/m,
    );
    expect(replaced.code).toBe(0);
    expect(living(simulator).map(({ name, gpuType }) => [name, gpuType])).toEqual([["test-web", "l4"]]);
  });

  it("fails the preview if its name is not valid for a cluster", async () => {
    const { workspace } = await openNativeFixture(projectOf({ pattern: `\${name}_\${stack}` }));
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(/name: "web_test", from pulumi:autonaming, .*must be 1 to 63/);
  });

  it("causes one warning in a dynamic program, to which the engine does not apply it", async () => {
    const { workspace } = await openFixture(
      `for (const name of ["a", "b"]) new gpu.Cluster(name, { gpuType: "h100", container: "acme/model:1" });`,
    );
    await workspace.succeed("config", "set", "--path", "pulumi:autonaming.mode", "verbatim");
    const { code, output } = await workspace.preview();
    expect(code).toBe(0);
    expect(new Set(output.match(/warning: pulumi:autonaming of the stack does not apply.*/g)).size).toBe(1);
    expect(output.match(/name *: "[ab]-[0-9a-f]{7}"/g)).toHaveLength(2);
  });
});
