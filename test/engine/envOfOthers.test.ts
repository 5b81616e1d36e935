import { type Bench, closeBenches, openBench } from "./harness";

afterAll(closeBenches);

const canary = "canary-";
const foreign = `${canary}by-somebody-else`;
const programOf = (name: string) => `
const own = require("${name}");
const env = { MODEL: "of-the-program", TOKEN: "canary-of-the-program" };
new own.Cluster("web", { gpuType: "l4", container: "acme/model:" + (config.get("tag") ?? 1), env });
`;

/** The output of a command that has to succeed and must not show the value. */
async function outputOf(run: Promise<{ code: number | null; output: string }>): Promise<string> {
  const { code, output } = await run;
  expect([code, output]).toEqual([0, expect.not.stringContaining(canary)]);
  return output;
}

/** Expects these names in the state in plain text, and no value. */
async function expectState({ workspace }: Bench, names: string[]): Promise<void> {
  const state = await workspace.stateText();
  for (const name of ["TOKEN", ...names]) expect(state).toContain(name);
  expect(state).not.toContain(canary);
}

it.each(["pulumi-gpucluster", "pulumi-gpucluster/native"])(
  "a variable that somebody else has set is secret in each refresh, preview and failure, as a token of the program (%s)",
  async (name) => {
    const bench = await openBench(programOf(name));
    const { workspace, simulator } = bench;
    await outputOf(workspace.up());
    simulator.change(simulator.clusters()[0]?.id ?? "", {
      env: { MODEL: "of-the-program", TOKEN: "canary-of-the-program", FOREIGN: foreign },
    });
    for (const _ of ["found", "known"]) {
      await outputOf(workspace.refresh());
      await expectState(bench, ["FOREIGN"]);
    }
    expect(await outputOf(workspace.preview())).toContain("FOREIGN");
    simulator.fault({ kind: "status", status: 422, method: "PATCH", message: `not with ${foreign}` });
    await workspace.succeed("config", "set", "tag", "2");
    const { code, output } = await workspace.up();
    expect([code, output]).toEqual([1, expect.stringContaining("not with [secret]")]);
    await expectState(bench, ["FOREIGN"]);
    await outputOf(workspace.up());
    await expectState(bench, []);
  },
);
