import { startSimulator } from "../../simulator";
import { type Bench, closeBenches, living, openBench } from "./harness";

const program = `
const web = new gpu.Cluster("web", {
  gpuType: "h100", replicas: 2, container: "acme/model:1", env: { MODEL: "llama", MODE: "fast", API_TOKEN: "canary-token" },
});
exports.endpoint = web.endpoint;
`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(program, { dialect: { injectedEnv: { INJECTED: "canary-of-the-service" } } });
  await bench.workspace.succeed("up", "--yes", "--skip-preview");
  bench.writes();
});
afterAll(closeBenches);

const web = () => living(bench.simulator)[0]?.id ?? "";

describe("drift that another program causes", () => {
  it("is none if the service only adds its own variables", async () => {
    const { code, output } = await bench.workspace.refresh("--expect-no-changes");
    expect(output).not.toContain("canary");
    expect(code).toBe(0);
  });

  it("is found by refresh as property lines, without values of secrets or of variables that others set", async () => {
    const env = { MODEL: "llama", MODE: "slow", API_TOKEN: "changed-canary", EXTRA: "canary-of-somebody" };
    bench.simulator.change(web(), { replicas: 4, container: "acme/model:2", env });
    const { output } = await bench.workspace.refresh();
    expect(output).toMatch(/~ replicas\s*: 2 => 4/);
    expect(output).toMatch(/~ container\s*: "acme\/model:1" => "acme\/model:2"/);
    expect(output).toMatch(/~ MODE\s*: "fast" => "slow"/);
    expect(output).toMatch(/~ API_TOKEN\s*: \[secret\]/);
    expect(output).toMatch(/\+ EXTRA\s*: \[secret\]/);
    expect(output).not.toContain("canary");
    expect(bench.workspace.stateText()).not.toContain("canary");
  });

  it("is previewed and corrected by the next up", async () => {
    const { output } = await bench.workspace.preview();
    expect(output).toMatch(/~ replicas\s*: 4 => 2/);
    expect(output).toMatch(/~ container\s*: "acme\/model:2" => "acme\/model:1"/);
    expect((await bench.workspace.up()).code).toBe(0);
    const [cluster] = living(bench.simulator);
    expect(cluster).toMatchObject({
      replicas: 2,
      container: "acme/model:1",
      env: { MODE: "fast", API_TOKEN: "canary-token" },
    });
    expect((await bench.workspace.preview("--refresh", "--expect-no-changes")).code).toBe(0);
  });

  it("is one new creation if the cluster was deleted", async () => {
    bench.simulator.change(web(), { status: "gone" });
    expect((await bench.workspace.refresh()).code).toBe(0);
    expect(bench.workspace.storedClusters()).toEqual([]);
    expect((await bench.workspace.up()).code).toBe(0);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});

describe("another service or key than before", () => {
  it("does not empty the state: not at refresh, not at destroy", async () => {
    const other = await startSimulator({ apiKeys: { "another-key": "org_other" } });
    const { workspace } = bench;
    const before = { ...workspace.env };
    Object.assign(workspace.env, { GPUCLUSTER_BASE_URL: other.url, GPUCLUSTER_API_KEY: "another-key" });
    for (const { code, output } of [await workspace.refresh(), await workspace.destroy()]) {
      expect(code).not.toBe(0);
      expect(output).toContain("pulumi state delete");
      expect(output).toContain("GPUCLUSTER_BASE_URL");
      expect(output).not.toMatch(/another-key|at .*\.js:\d+/);
    }
    Object.assign(workspace.env, before);
    await other.close();
    expect(workspace.storedClusters()).toHaveLength(1);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});
