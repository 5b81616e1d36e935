import { type Bench, canaryKey, closeBenches, openBench } from "./harness";

/** One program with one cluster for each feature, and the service in the stack's config: each command shows all features. */
const program = `
const common = { gpuType: "h100", container: "acme/model:1" };
new gpu.Cluster("power", { ...common, desiredStatus: config.get("power") });
new gpu.Cluster("trigger", { ...common, restartTriggers: { version: config.get("version") ?? "1" } });
new gpu.Cluster("hasty", { ...common, skipAwait: true });
new gpu.Cluster("partial", { ...common, replicas: 2, minHealthyReplicas: 1 });
exports.type = new gpu.Cluster("choosy", { ...common, gpuType: "rtx4090", fallbackGpuTypes: ["l4", "h100"] }).gpuType;
new gpu.Cluster("kept", common, { retainOnDelete: true });
new gpu.Cluster("adopted", { ...common, adopt: config.get("adopt"), replicas: 3, env: { API_TOKEN: "canary-llama" } });
exports.other = gpu.Cluster.get("other", config.require("other")).endpoint;
`;

const restart = "POST /v1/clusters/:id/restart";
let bench: Bench;
let adoptedId: string;

beforeAll(async () => {
  bench = await openBench(program);
  const { simulator, workspace } = bench;
  const { GPUCLUSTER_BASE_URL: baseUrl = "" } = workspace.env;
  delete workspace.env["GPUCLUSTER_BASE_URL"];
  delete workspace.env["GPUCLUSTER_API_KEY"];
  await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
  const found = { gpuType: "h100", container: "acme/model:1", env: { API_TOKEN: "canary-llama", GPU_HOST: "node-7" } };
  adoptedId = simulator.addCluster({ name: "prod", replicas: 2, ...found }).id;
  const other = simulator.addCluster({ name: "theirs", replicas: 1, ...found });
  simulator.fault({ kind: "sick-replica", replica: 1, message: "no driver", name: "partial-*", method: "POST" });
  const config = { other: other.id, adopt: adoptedId, "gpucluster:baseUrl": baseUrl };
  for (const [name, value] of Object.entries(config)) {
    await workspace.succeed("config", "set", name, value);
  }
});
afterAll(closeBenches);

/** The service's cluster of a resource. */
function named(prefix: string) {
  const found = bench.simulator.clusters().find(({ name }) => name.startsWith(prefix));
  if (!found) throw new Error(`the service has no cluster ${prefix}`);
  return found;
}

async function noChanges(): Promise<void> {
  const { code, output } = await bench.workspace.preview("--expect-no-changes");
  expect(output).not.toMatch(/^\s*[-+~]/m);
  expect(code).toBe(0);
}

describe("every feature of a cluster through the real engine, in order", () => {
  it("is previewed: the adopted cluster, and the fields to be corrected", async () => {
    const { code, output } = await bench.workspace.preview();
    expect(output).toContain(adoptedId);
    expect(output).toMatch(/replicas/);
    expect(code).toBe(0);
    expect(bench.writes()).toEqual([]);
  });

  it("is created, each feature in its own way", async () => {
    const { code, output } = await bench.workspace.up("--parallel", "16");
    expect(output).toContain("1/2 replicas healthy");
    expect(code).toBe(0);
    const writes = bench.writes();
    // One for each cluster, and one for the first type of `choosy`, which is sold out.
    expect(writes.filter((line) => line === "POST /v1/clusters")).toHaveLength(7);
    expect(writes.filter((line) => line !== "POST /v1/clusters")).toEqual(["POST /v1/clusters/:id/scale"]);
    expect(named("choosy").gpuType).toBe("l4");
    expect(bench.simulator.cluster(adoptedId)).toMatchObject({ name: "prod", replicas: 3 });
  });

  it("shows no change afterwards, and no secret in the state", async () => {
    await noChanges();
    expect(bench.writes()).toEqual([]);
    expect(bench.workspace.stateText()).not.toMatch(/canary/);
  });

  it("stops by its desired status, and restarts by its triggers, once", async () => {
    await bench.workspace.succeed("config", "set", "power", "stopped");
    await bench.workspace.succeed("config", "set", "version", "2");
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes().sort()).toEqual([restart, "POST /v1/clusters/:id/stop"]);
    expect(named("power").status).toBe("stopped");
  });

  it("is found drifted by a refresh if another program starts it, and is stopped again", async () => {
    bench.simulator.change(named("power").id, { status: "running" });
    expect((await bench.workspace.refresh()).output).toMatch(/~ desiredStatus\s*: "stopped" => "running"/);
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/stop"]);
  });

  it("starts again by the call that the service supports", async () => {
    await bench.workspace.succeed("config", "rm", "power");
    // `adopt` counts at creation only.
    await bench.workspace.succeed("config", "rm", "adopt");
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual([restart]);
    expect(named("power").status).toBe("running");
  });

  it("is gone after a destroy, except clusters to be kept and those that were only read", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    const left = bench.simulator.clusters().filter(({ status }) => status !== "gone");
    expect(left.map(({ name, status }) => `${name.replace(/-[0-9a-f]{7}$/, "")} ${status}`).sort()).toEqual([
      "kept running",
      "theirs running",
    ]);
  });
});
