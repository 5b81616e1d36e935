import { type Bench, canaryKey, closeBenches, living, openBench } from "./harness";

const otherKey = "canary-key-of-the-other";
const apiKeys = { [canaryKey]: "org_test", [otherKey]: "org_other" };
const program = `import * as pulumi from "@pulumi/pulumi";
import * as native from "pulumi-gpucluster/native";

const config = new pulumi.Config();
const web = new native.Cluster("web", {
  gpuType: "h100",
  replicas: 2,
  container: "acme/model:1",
  env: { MODEL: "llama", TOKEN: "canary-value" },
});

const other = new native.Provider("other", {
  apiKey: config.requireSecret("otherKey"),
  baseUrl: config.require("url"),
  maxHourlyCost: 100,
});
const theirs = new native.Cluster("theirs", { gpuType: "l4", container: "acme/model:1" }, { provider: other });

export const { endpoint, name } = web;
export const ready = native.getClusterStatusOutput({ id: web.id }).readyReplicas;
export const found = native.getClusterOutput({ name: theirs.name }, { provider: other }).id;
export const own = theirs.id;
export const types = native.getGpuTypes().then(({ gpuTypes }) => gpuTypes.length);
`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench("", { apiKeys });
  bench.workspace.typeScript(program);
  await bench.workspace.succeed("config", "set", "url", bench.simulator.url);
  await bench.workspace.succeed("config", "set", "--secret", "otherKey", otherKey);
});
afterAll(closeBenches);

describe("a TypeScript program with native classes and two organizations, in order", () => {
  it("sends no request in the first preview for unknown arguments", async () => {
    expect((await bench.workspace.preview()).code).toBe(0);
    bench.workspace.withoutTypes();
    expect(bench.simulator.requests.filter(({ path }) => path.startsWith("/v1/clusters/"))).toEqual([]);
  });

  it("creates clusters in two organizations, each under the key of its provider", async () => {
    const { code, output } = await bench.workspace.up();
    expect(output).toContain("2/2 replicas healthy");
    expect(code).toBe(0);
    expect(bench.writes()).toHaveLength(2);
    const organizations = living(bench.simulator).map(({ name, organization }) => [name.split("-")[0], organization]);
    expect(organizations.sort()).toEqual([
      ["theirs", "org_other"],
      ["web", "org_test"],
    ]);
  });

  it("receives its outputs, and the results of functions of either organization", async () => {
    const outputs = JSON.parse(await bench.workspace.succeed("stack", "output", "--json"));
    const web = living(bench.simulator).find(({ name }) => name.startsWith("web"));
    expect(outputs).toMatchObject({ endpoint: web?.endpoint, name: web?.name, ready: 2, types: expect.any(Number) });
    expect(outputs).toMatchObject({ found: outputs.own });
  });

  it("shows no change in a second preview", async () => {
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("has no secret in plain text in any state", async () => {
    expect(bench.workspace.stateText()).not.toContain("canary");
  });

  it("is destroyed in both organizations", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    expect(living(bench.simulator)).toEqual([]);
  });
});

describe("a native program with existing clusters", () => {
  const seed = {
    name: "search",
    gpuType: "h100",
    replicas: 2,
    container: "acme/search:1",
    env: { TOKEN: "canary-env" },
  };

  it("imports a cluster by the option `import`, and reads one by `get`", async () => {
    const { workspace, simulator, writes } = await openBench("");
    const [imported, read] = [simulator.addCluster(seed), simulator.addCluster({ ...seed, name: "theirs" })];
    const code = (options: string) => `const native = require("pulumi-gpucluster/native");
      new native.Cluster("search", ${JSON.stringify(seed)}, ${options});
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

  it("receives from every function the same as with the other adapter, at once and as an output", async () => {
    const { workspace, simulator } = await openBench("");
    const { id } = simulator.addCluster(seed);
    workspace.program(`const native = require("pulumi-gpucluster/native");
      const calls = { getGpuTypes: {}, getGpuModels: {}, getGpuPricing: {}, getGpuAvailability: { type: "h100" },
        getClusters: {}, getCluster: { name: "search" }, getClusterStatus: { id: "${id}" }, getHealth: {}, getServiceInfo: {} };
      for (const [name, args] of Object.entries(calls)) {
        exports[name] = [gpu[name](args), native[name](args), native[name + "Output"](args)];
      }`);
    expect((await workspace.up()).code).toBe(0);
    const outputs: Record<string, unknown[]> = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(Object.keys(outputs)).toHaveLength(9);
    for (const answers of Object.values(outputs)) expect(answers).toEqual(Array(3).fill(answers[0]));
    expect(JSON.stringify(outputs)).not.toContain("canary");
  });
});
