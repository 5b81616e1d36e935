import { PulumiCommand } from "@pulumi/pulumi/automation";
// The build, as programs import it.
import { report } from "pulumi-gpucluster/automation";
import { canaryKey, closeFixtures, openFixture } from "./harness";
import { cliRoot } from "./workspace";

afterAll(closeFixtures);

const program = `
new gpu.Cluster(pulumi.getStack() + "-web", {
  gpuType: "h100", replicas: 2, container: "acme/model:1", env: { TOKEN: "canary-env" },
});
if (pulumi.getStack() === "test") gpu.Cluster.get("theirs", process.env.THEIRS);
`;

describe("a report about two stacks and an unmanaged cluster", () => {
  it("names the manager, the cost and the state of each cluster, and what is in a state only, and changes nothing", async () => {
    const { workspace, simulator, writes } = await openFixture(program);
    const orphan = simulator.addCluster({
      name: "orphan",
      gpuType: "l4",
      replicas: 3,
      env: { TOKEN: "canary-orphan" },
    });
    workspace.env["THEIRS"] = orphan.id;
    await workspace.succeed("stack", "init", "other");
    for (const stack of ["test", "other"]) await workspace.succeed("up", "--yes", "--skip-preview", "--stack", stack);
    const [test, other] = ["test", "other"].map((stack) =>
      simulator.clusters().find(({ name }) => name.startsWith(stack)),
    );
    simulator.change(other?.id ?? "", { status: "gone" });
    const before = await workspace.succeed("stack", "ls", "--json");
    writes();

    const pulumiCommand = await PulumiCommand.get({ root: cliRoot });
    const of = (stackName: string) => ({ stackName, workDir: workspace.folder, pulumiCommand, envVars: workspace.env });
    const found = await report({ stacks: [of("test"), of("other")] });
    const urn = (stack: string) => expect.stringMatching(`^urn:pulumi:${stack}::.*gpucluster:Cluster::${stack}-web$`);
    expect(found).toMatchObject({
      unmanaged: [{ id: orphan.id, name: "orphan", managedBy: [], replicas: 3, hourlyCost: 1.32, status: "running" }],
      missing: [{ stack: "other", id: other?.id, urn: urn("other") }],
      unchecked: [],
      hourlyCost: 7.3,
      unmanagedHourlyCost: 1.32,
      complete: true,
    });
    expect(found.clusters).toHaveLength(2);
    expect(found.clusters[1]).toMatchObject({
      id: test?.id,
      service: simulator.url,
      managedBy: [{ stack: "test", urn: urn("test") }],
      hourlyCost: 5.98,
      ageSeconds: expect.any(Number),
    });

    const both = ["--cwd", workspace.folder, "--stack", "test", "--stack", "other"];
    const json = await workspace.command(["report", ...both, "--json"]);
    expect(JSON.parse(json.output).unmanaged).toHaveLength(1);
    const text = await workspace.command(["report", ...both]);
    expect(text.output).toMatch(
      /^cluster +managed by +state +per hour +age +ends\norphan +nobody +running +1\.32 +\d+[sm]\n/,
    );
    expect(Math.max(...text.output.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
    const markdown = await workspace.command(["report", ...both, "--markdown", "--fail-on-unmanaged"]);
    expect(markdown.output).toContain(`| \`orphan\` | \`${orphan.id}\` | **nobody** | \`running\` | 1.32 USD |`);
    expect([json.code, text.code, markdown.code]).toEqual([0, 0, 3]);
    for (const printed of [JSON.stringify(found), json.output, text.output, markdown.output]) {
      expect(printed).not.toContain("canary");
    }
    expect(writes()).toEqual([]);
    expect(await workspace.succeed("stack", "ls", "--json")).toBe(before);
  });

  it("takes the key from the config of a stack, and fails if a state cannot be read", async () => {
    const { workspace, simulator } = await openFixture(program);
    simulator.addCluster({ name: "orphan", gpuType: "l4" });
    delete workspace.env["GPUCLUSTER_API_KEY"];
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    const run = await workspace.command([
      "report",
      "--cwd",
      workspace.folder,
      "--stack",
      "test",
      "--fail-on-unmanaged",
    ]);
    expect(run).toEqual({ code: 3, output: expect.stringContaining("Unmanaged: 1") });
    const current = await workspace.command(["report", "--fail-on-unmanaged"]);
    expect(current).toEqual({ code: 3, output: expect.stringContaining("Unmanaged: 1") });
    expect(current.output).toContain("compares with the current stack, test;");
    const none = await workspace.command(["report", "--cwd", workspace.folder, "--stack", "none"]);
    expect(none).toEqual({
      code: 1,
      output: expect.stringContaining("The stack none cannot be read: no stack named 'none' found"),
    });
    const pulumiCommand = await PulumiCommand.get({ root: cliRoot });
    const stack = { stackName: "none", workDir: workspace.folder, pulumiCommand, envVars: workspace.env };
    await expect(report({ stacks: [stack] })).rejects.toThrow("The stack none cannot be read");
  });
});
