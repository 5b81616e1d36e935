import { closeBenches, openBench } from "./harness";

afterAll(closeBenches);

const good = 'gpuType: "h100", container: "acme/model:1"';
const cluster = (args: string) => `new gpu.Cluster("web", { ${args} });`;

describe("bad inputs", () => {
  it("are refused in the preview, all together, each with its path and a valid form, before any request", async () => {
    const args = `name: "-bad-", gpuType: "", replicas: 0, container: "no-tag", env: { "1X": "a", PORT: 8080 }, colour: "red"`;
    const { workspace, simulator } = await openBench(cluster(args));
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    for (const line of [
      /name: must be 1 to 63 letters/,
      /gpuType: must be the identifier of a GPU type/,
      /replicas: must be a whole number from 1 to 10000, got 0/,
      /container: must be an image reference with a tag/,
      /env\.1X: must be a name/,
      /env\.PORT: must be a string; write numbers and booleans in quotes/,
      /colour: is not an input of a cluster/,
    ]) {
      expect(output).toMatch(line);
    }
    expect(simulator.requests).toEqual([]);
  });

  it("never show a secret", async () => {
    const args =
      'gpuType: "h100", container: pulumi.secret("canary value"), env: { "A B": "canary-a", C: ["canary-c"] }';
    const { workspace } = await openBench(cluster(args));
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).not.toContain("canary");
  });

  it("include a name that is taken: the preview names its cluster, and nothing is sent", async () => {
    const { workspace, simulator, writes } = await openBench(cluster(`${good}, name: "taken"`));
    const other = simulator.addCluster({ name: "taken", gpuType: "h100", organization: "org_test" });
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toContain(`"taken" is already the name of ${other.id}`);
    expect((await workspace.up()).code).not.toBe(0);
    expect(writes()).toEqual([]);
  });

  it("include an invalid time limit", async () => {
    const program = `new gpu.Cluster("web", { ${good} }, { customTimeouts: { create: "soon" } });`;
    const { workspace, simulator } = await openBench(program);
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(/soon|customTimeouts\.create/);
    expect(simulator.requests).toEqual([]);
  });
});
