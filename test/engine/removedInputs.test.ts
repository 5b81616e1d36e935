import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { removedInputs } from "../../provider/config/removed";
import { type Bench, closeBenches, living, openBench, openNativeBench } from "./harness";

afterAll(closeBenches);

const args = { gpuType: "h100", container: "acme/model:1" };
const removed = 'deletionPolicy was removed: use the option retainOnDelete or protect, or desiredStatus "stopped"';
const program = (more: object = {}) => `new gpu.Cluster("web", ${JSON.stringify({ ...args, ...more })});`;
const yaml = (more: object = {}) => ({
  resources: { web: { type: "gpucluster:Cluster", properties: { ...args, ...more } } },
});

async function expectRefusal({ workspace, simulator }: Bench) {
  for (const { code, output } of [await workspace.preview(), await workspace.up()]) {
    expect(code).not.toBe(0);
    expect(output).toContain(removed);
  }
  expect(simulator.requests).toEqual([]);
}

/** Puts properties into the inputs and the outputs of the cluster in the state, as an earlier version did. */
async function putIntoState({ workspace }: Bench, properties: object) {
  const file = join(workspace.folder, "state.json");
  const state = JSON.parse(await workspace.succeed("stack", "export"));
  const web = state.deployment.resources.find(({ urn }: { urn: string }) => urn.endsWith("::web"));
  for (const part of [web.inputs, web.outputs]) Object.assign(part, properties);
  writeFileSync(file, JSON.stringify(state));
  await workspace.succeed("stack", "import", "--file", file);
}

describe("an input that was removed", () => {
  it("is an error that says what to use, before any request, in TypeScript and YAML", async () => {
    await expectRefusal(await openBench(program({ deletionPolicy: "stop" })));
    await expectRefusal(await openNativeBench(yaml({ deletionPolicy: "stop" })));
  });
});

describe("a state of an earlier version", () => {
  it("with inputs that were removed shows no change, is refreshed and is deleted", async () => {
    const bench = await openBench(program());
    const { workspace, simulator } = bench;
    await workspace.up();
    const old = Object.fromEntries([...removedInputs.keys()].map((name) => [name, "old"]));
    await putIntoState(bench, { ...old, deletionPolicy: "delete" });
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect((await workspace.refresh()).code).toBe(0);
    const [web] = workspace.storedClusters();
    for (const name of removedInputs.keys()) expect(web?.inputs).not.toHaveProperty(name);
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });

  it('with `deletionPolicy: "stop"` is not deleted until an update, also after a refresh', async () => {
    const bench = await openNativeBench(yaml());
    const { workspace, simulator, writes } = bench;
    await workspace.up();
    await putIntoState(bench, { deletionPolicy: "stop" });
    writes();
    expect((await workspace.destroy()).output).toContain('was not deleted: its state has `deletionPolicy: "stop"`');
    expect((await workspace.refresh()).code).toBe(0);
    expect((await workspace.destroy()).output).toContain("pulumi state delete 'urn:pulumi:test::");
    expect(living(simulator)).toHaveLength(1);
    const update = await workspace.up();
    expect(update.code).toBe(0);
    expect(update.output).toMatch(/1 updated|~ 1/);
    expect(writes()).toEqual([]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
});
