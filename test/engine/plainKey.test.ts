import { canaryKey, closeBenches, openBench } from "./harness";
import type { Workspace } from "./workspace";

afterAll(closeBenches);

const cluster = { gpuType: "l4", container: "acme/model:1" };
const programOf = (name: string) => `
const own = require("${name}");
for (const name of ["one", "two"]) new own.Cluster(name, ${JSON.stringify(cluster)});
own.getClusters();
`;
const doors: [string, string, string[]][] = [
  // The engine itself copies the config into the entry of its own Node provider.
  ["dynamic", programOf("pulumi-gpucluster"), ["pulumi:providers:pulumi-nodejs"]],
  ["native", programOf("pulumi-gpucluster/native"), []],
];
const command = "pulumi config set --secret gpucluster:apiKey";

/** The types of the resources whose part of the state holds the key in clear. */
async function holders(workspace: Workspace): Promise<string[]> {
  const { deployment } = JSON.parse(await workspace.stateText());
  const entries: { type: string }[] = deployment.resources;
  return entries.filter((entry) => JSON.stringify(entry).includes(canaryKey)).map(({ type }) => type);
}

describe.each(doors)("a key in the stack's config that is no secret (%s)", (_door, text, places) => {
  it("is warned of once in a preview and in an update, with the command that mends it, until it is one", async () => {
    const { workspace } = await openBench(text);
    delete workspace.env["GPUCLUSTER_API_KEY"];
    await workspace.succeed("config", "set", "--plaintext", "gpucluster:apiKey", canaryKey);
    for (const { code, output } of [await workspace.preview(), await workspace.up()]) {
      // What is shown on a row while it runs is shown once more at the end.
      const warnings = output.split("\n").filter((line) => /^\s*warning: /.test(line));
      expect([code, warnings]).toEqual([0, [expect.stringContaining(command)]]);
      expect(output).not.toContain(canaryKey);
    }
    expect(await holders(workspace)).toEqual(places);
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    for (const { code, output } of [await workspace.preview(), await workspace.up()]) {
      expect([code, output.includes(command)]).toEqual([0, false]);
    }
    expect(await holders(workspace)).toEqual([]);
  });
});
