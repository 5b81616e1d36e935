import type { Dialect } from "../../simulator";
import { canaryKey, closeFixtures, living, openFixture, openNativeFixture } from "./harness";

/** Clusters that exist before the program: adopted, imported or only read. */

afterAll(closeFixtures);

const seed = { name: "prod", gpuType: "rtx-4090", replicas: 2, container: "acme/model:1", env: { MODEL: "llama" } };

describe("an adopted cluster, in a dynamic program", () => {
  it("is corrected under the display name of its GPU, and has the cost of the program in its preview", async () => {
    const { workspace, simulator, writes } = await openFixture("", { dialect: "client" });
    const { id } = simulator.addCluster(seed);
    const { name, ...inputs } = { ...seed, gpuType: "RTX 4090", replicas: 3, adopt: id };
    workspace.program(`new gpu.Cluster("web", ${JSON.stringify(inputs)});`);
    const { output } = await workspace.preview();
    expect(output).toMatch(/web: adopts \S+ \("prod"\): replicas will be changed to match the program\n/);
    expect(output).toMatch(/hourlyCost\s*: 1\.47/);
    expect((await workspace.up()).code).toBe(0);
    expect(writes()).toEqual([expect.stringMatching(/^POST .*\/scale$/)]);
    expect(living(simulator)).toMatchObject([{ id, name, replicas: 3, env: seed.env }]);
    expect((await workspace.preview("--refresh", "--expect-no-changes")).code).toBe(0);
  });
});

const importOf = (id: string) => [
  "import",
  "gpucluster:index:Cluster",
  "web",
  id,
  "--yes",
  "--skip-preview",
  "--protect=false",
];
const yaml = (inputs: object) => ({ resources: { web: { type: "gpucluster:Cluster", properties: inputs } } });

describe("pulumi import", () => {
  it("gives a program that previews as no change, in any spelling", async () => {
    const { workspace, simulator, writes } = await openNativeFixture({}, { dialect: "client" });
    const output = await workspace.succeed(...importOf(simulator.addCluster(seed).id));
    expect(output).toMatch(/container: acme\/model:1[\s\S]*gpuType: (rtx-4090|RTX 4090)\s+name: prod\s+replicas: 2/);
    expect(output).not.toMatch(/failed to validate|warning/);
    for (const gpuType of ["RTX 4090", "rtx-4090"]) {
      workspace.yaml(yaml({ ...seed, gpuType }));
      expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    }
    expect(writes()).toEqual([]);
  });

  it("gives a program that previews as a change in place if the service does not show all fields", async () => {
    const dialect: Partial<Dialect> = { containerEcho: "none", envEcho: "none" };
    const { workspace, simulator } = await openNativeFixture({}, { dialect });
    const { id } = simulator.addCluster({ ...seed, gpuType: "h100" });
    await workspace.succeed(...importOf(id));
    workspace.yaml(yaml({ ...seed, gpuType: "h100" }));
    const { output } = await workspace.preview();
    expect(output).toContain("~ 1 to update");
    expect(output).not.toContain("to replace");
    expect((await workspace.up()).code).toBe(0);
    expect(living(simulator)).toMatchObject([{ id, container: seed.container, env: seed.env }]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("fails for an id that the service does not know", async () => {
    const { workspace } = await openNativeFixture({});
    const { code, output } = await workspace.pulumi(...importOf("cl_00000000"));
    expect(code).not.toBe(0);
    expect(output).toContain("'cl_00000000' does not exist");
  });
});

describe("a native program", () => {
  const native = 'const native = require("pulumi-gpucluster/native");';
  const search = { ...seed, name: "search", gpuType: "h100", env: { TOKEN: "canary-env" } };

  it("imports a cluster by the option `import`, and reads one by `get`", async () => {
    const { workspace, simulator, writes } = await openFixture("");
    const [imported, read] = [simulator.addCluster(search), simulator.addCluster({ ...search, name: "theirs" })];
    const code = (options: string) => `${native}
      new native.Cluster("search", ${JSON.stringify(search)}, ${options});
      exports.image = native.Cluster.get("theirs", "${read.id}").container;`;
    workspace.program(code(`{ import: "${imported.id}" }`));
    const { code: ended, output } = await workspace.up();
    expect(output).toContain("1 imported");
    expect(ended).toBe(0);
    workspace.program(code("{}"));
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect(workspace.stateText()).not.toContain("canary");
    expect(writes()).toEqual([]);
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator).map(({ name }) => name)).toEqual(["theirs"]);
  });

  it("receives from every function the same as with the other adapter, at once and as an output, and from that of a provider with its key", async () => {
    const otherKey = "canary-key-of-another-organization";
    const { workspace, simulator } = await openFixture("", {
      apiKeys: { [canaryKey]: "org_test", [otherKey]: "org_other" },
    });
    simulator.addCluster({ ...search, name: "theirs", organization: "org_other" });
    const { id } = simulator.addCluster(search);
    workspace.program(`${native}
      const calls = { getGpuTypes: {}, getGpuModels: {}, getGpuPricing: {}, getGpuAvailability: { type: "h100" },
        getClusters: {}, getCluster: { name: "search" }, getClusterStatus: { id: "${id}" }, getHealth: {}, getServiceInfo: {} };
      for (const [name, args] of Object.entries(calls)) {
        exports[name] = [gpu[name](args), native[name](args), native[name + "Output"](args)];
      }
      const provider = new native.Provider("other", { apiKey: "${otherKey}", baseUrl: "${simulator.url}" });
      const clustersOf = (answer) => answer.clusters.map(({ name }) => name);
      exports.now = native.getClusters({ provider }).then(clustersOf);
      exports.later = native.getClustersOutput({ provider }).apply(clustersOf);`);
    expect((await workspace.up()).code).toBe(0);
    const { now, later, ...outputs } = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect([now, later]).toEqual([["theirs"], ["theirs"]]);
    expect(Object.keys(outputs)).toHaveLength(9);
    for (const answers of Object.values<unknown[]>(outputs)) expect(answers).toEqual(Array(3).fill(answers[0]));
    expect(JSON.stringify(outputs)).not.toContain("canary");
  });
});

describe("a YAML program", () => {
  it("reads a cluster by its id and by functions, and destroys nothing", async () => {
    const { workspace, simulator, writes } = await openNativeFixture({});
    const { id } = simulator.addCluster(seed);
    workspace.yaml({
      resources: { prod: { type: "gpucluster:Cluster", get: { id } } },
      variables: { found: { "fn::invoke": { function: "gpucluster:getCluster", arguments: { name: "prod" } } } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: references of a YAML program
      outputs: { endpoint: "${prod.endpoint}", id: "${found.id}" },
    });
    expect((await workspace.up()).code).toBe(0);
    const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(outputs).toEqual({ endpoint: simulator.cluster(id)?.endpoint, id });
    expect((await workspace.destroy()).code).toBe(0);
    expect(writes()).toEqual([]);
  });
});
