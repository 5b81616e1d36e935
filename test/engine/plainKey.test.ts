import { canaryKey, closeBenches, openBench } from "./harness";

afterAll(closeBenches);

const cluster = JSON.stringify({ gpuType: "l4", container: "acme/model:1" });
const program = `
for (const name of ["one", "two"]) new gpu.Cluster(name, ${cluster});
gpu.getClusters();
`;
const command = "pulumi config set --secret gpucluster:apiKey";

describe("a key in the stack's config that is no secret", () => {
  it("causes one warning in each preview and update, with the command that encrypts it, until it is a secret", async () => {
    const { workspace } = await openBench(program);
    delete workspace.env["GPUCLUSTER_API_KEY"];
    await workspace.succeed("config", "set", "--plaintext", "gpucluster:apiKey", canaryKey);
    for (const { code, output } of [await workspace.preview(), await workspace.up()]) {
      // The engine repeats at the end what it has shown on a row during the run.
      const warnings = output.split("\n").filter((line) => /^\s*warning: /.test(line));
      expect([code, warnings]).toEqual([0, [expect.stringContaining(command)]]);
      expect(output).not.toContain(canaryKey);
    }
    // The engine itself copies the config into the entry of its own Node provider.
    expect(workspace.typesWith(canaryKey)).toEqual(["pulumi:providers:pulumi-nodejs"]);
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    const { code, output } = await workspace.up();
    expect([code, output.includes(command)]).toEqual([0, false]);
    expect(workspace.typesWith(canaryKey)).toEqual([]);
  });
});
