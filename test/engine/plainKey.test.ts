import { canaryKey, closeBenches, openBench } from "./harness";

afterAll(closeBenches);

const cluster = { gpuType: "l4", container: "acme/model:1" };
const programOf = (name: string) => `
const own = require("${name}");
for (const name of ["one", "two"]) new own.Cluster(name, ${JSON.stringify(cluster)});
own.getClusters();
`;
const adapters: [string, string, string[]][] = [
  // The engine itself copies the config into the entry of its own Node provider.
  ["dynamic", programOf("pulumi-gpucluster"), ["pulumi:providers:pulumi-nodejs"]],
  ["native", programOf("pulumi-gpucluster/native"), []],
];
const command = "pulumi config set --secret gpucluster:apiKey";

describe.each(adapters)("a key in the stack's config that is no secret (%s)", (_adapter, text, places) => {
  it("causes one warning in each preview and update, with the command that encrypts it, until it is a secret", async () => {
    const { workspace } = await openBench(text);
    delete workspace.env["GPUCLUSTER_API_KEY"];
    await workspace.succeed("config", "set", "--plaintext", "gpucluster:apiKey", canaryKey);
    for (const { code, output } of [await workspace.preview(), await workspace.up()]) {
      // The engine repeats at the end what it has shown on a row during the run.
      const warnings = output.split("\n").filter((line) => /^\s*warning: /.test(line));
      expect([code, warnings]).toEqual([0, [expect.stringContaining(command)]]);
      expect(output).not.toContain(canaryKey);
    }
    expect(workspace.typesWith(canaryKey)).toEqual(places);
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    for (const { code, output } of [await workspace.preview(), await workspace.up()]) {
      expect([code, output.includes(command)]).toEqual([0, false]);
    }
    expect(workspace.typesWith(canaryKey)).toEqual([]);
  });
});
