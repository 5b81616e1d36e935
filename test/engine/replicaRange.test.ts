import { type Bench, closeBenches, living, openBench, openNativeBench } from "./harness";

/** Replicas that an autoscaler owns, through the real engine and both adapters: as a range, and with `ignoreChanges`. */

afterAll(closeBenches);

const dynamicProgram = (replicas: string, options: object) => `
const web = new gpu.Cluster("web", {
  gpuType: "h100", replicas: ${replicas}, container: config.get("container") ?? "acme/model:1",
}, ${JSON.stringify(options)});
exports.twice = web.replicas.apply((count) => count * 2);
`;

const yamlProgram = (replicas: object | number, options: object) => ({
  config: { max: { type: "integer", default: 8 }, container: { type: "string", default: "acme/model:1" } },
  resources: {
    web: {
      type: "gpucluster:Cluster",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: YAML of Pulumi
      properties: { gpuType: "h100", replicas, container: "${container}" },
      options,
    },
  },
});

const adapters: [string, (range: boolean) => Promise<Bench>][] = [
  [
    "dynamic",
    (range) =>
      range
        ? openBench(dynamicProgram('{ min: 2, max: config.getNumber("max") ?? 8 }', {}))
        : openBench(dynamicProgram("2", { ignoreChanges: ["replicas"] })),
  ],
  [
    "native",
    (range) =>
      range
        ? // biome-ignore lint/suspicious/noTemplateCurlyInString: YAML of Pulumi
          openNativeBench(yamlProgram({ min: 2, max: "${max}" }, {}))
        : openNativeBench(yamlProgram(2, { ignoreChanges: ["replicas"] })),
  ],
];

/** What somebody else has made of the number, and what it is now. */
const scaleTo = ({ simulator }: Bench, replicas: number) =>
  simulator.change(living(simulator)[0]?.id ?? "", { replicas });
const count = ({ simulator }: Bench) => living(simulator)[0]?.replicas;

async function expectNoChanges({ workspace }: Bench) {
  for (const command of [workspace.refresh, workspace.preview]) {
    const { code, output } = await command.call(workspace, "--expect-no-changes");
    expect({ code, output }).toMatchObject({ code: 0 });
  }
}

describe.each(adapters)("a range of replicas, through the %s adapter", (name, open) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open(true);
  });

  it("shows the range and its cost in the preview, and creates the least number", async () => {
    const { output } = await bench.workspace.preview();
    expect(output).toContain("web: costs 5.98 to 23.92 USD per hour: 2 to 8 x h100 at 2.99 USD");
    if (name === "dynamic") expect(output).toMatch(/replicas\s*: \{\s*max: 8\s*min: 2\s*\}/);
    if (name === "dynamic") expect(output).toMatch(/twice\s*: 4/);
    const { code, output: shown } = await bench.workspace.up();
    expect({ code, shown }).toMatchObject({ code: 0 });
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
    expect(count(bench)).toBe(2);
    expect(bench.workspace.storedClusters()).toMatchObject([
      { inputs: { replicas: { min: 2, max: 8 } }, outputs: { replicas: 2, hourlyCost: 5.98 } },
    ]);
    await expectNoChanges(bench);
  });

  it("finds no difference in another number within it, which the state follows", async () => {
    scaleTo(bench, 6);
    await expectNoChanges(bench);
    expect(bench.workspace.storedClusters()).toMatchObject([
      { inputs: { replicas: { min: 2, max: 8 } }, outputs: { replicas: 6, readyReplicas: 6, hourlyCost: 17.94 } },
    ]);
    expect(bench.writes()).toEqual([]);
  });

  it("keeps the number if only the container changes, whether or not a refresh has found it", async () => {
    scaleTo(bench, 5);
    await bench.workspace.succeed("config", "set", "container", "acme/model:2");
    const { code, output } = await bench.workspace.up();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(bench.writes()).toEqual(["PATCH /v1/clusters/:id"]);
    expect(count(bench)).toBe(5);
    expect(bench.workspace.storedClusters()).toMatchObject([{ outputs: { replicas: 5, settled: true } }]);
    await expectNoChanges(bench);
  });

  it("shows another range, and sends nothing if the number is within it", async () => {
    await bench.workspace.succeed("config", "set", "max", "7");
    const { output } = await bench.workspace.preview();
    expect(output).toContain("web: costs 5.98 to 20.93 per hour: 2 to 7 x h100 at 2.99");
    expect(output).toMatch(/replicas/);
    const { code } = await bench.workspace.up();
    expect(code).toBe(0);
    expect(bench.writes()).toEqual([]);
    expect(count(bench)).toBe(5);
  });

  it("finds a number outside, and corrects it to the nearest bound", async () => {
    scaleTo(bench, 12);
    const { output } = await bench.workspace.refresh();
    expect(output).toMatch(/replicas\s*: .* => 12|replicas\s*: 12/s);
    const preview = await bench.workspace.preview();
    expect(preview.output).toContain("12 -> 7 replicas: 5 are removed");
    const { code } = await bench.workspace.up();
    expect(code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
    expect(count(bench)).toBe(7);
    await expectNoChanges(bench);
    expect((await bench.workspace.destroy()).code).toBe(0);
  });
});

it.each(adapters)("`ignoreChanges` of replicas keeps the number of others, through the %s adapter", async (_, open) => {
  const bench = await open(false);
  await bench.workspace.succeed("up", "--yes", "--skip-preview");
  scaleTo(bench, 6);
  await bench.workspace.succeed("config", "set", "container", "acme/model:2");
  bench.writes();
  const { code, output } = await bench.workspace.up();
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(bench.writes()).toEqual(["PATCH /v1/clusters/:id"]);
  expect(count(bench)).toBe(6);
});
