import { type Bench, canaryKey, closeBenches, living, openBench } from "./harness";

const canaryValue = "canary-value-of-the-program";
const program = `
const web = new gpu.Cluster("web", {
  name: config.get("name"),
  gpuType: "h100",
  replicas: config.getNumber("replicas") ?? 2,
  container: config.get("container") ?? "acme/model:1",
  env: { MODEL: "llama", TOKEN: config.get("token") ?? "${canaryValue}" },
});
// Imitates a DNS record or a gateway: it must not change while the endpoint stays the same.
new gpu.Cluster("dependent", { gpuType: "l4", container: "acme/gateway:1", env: { UPSTREAM: web.endpoint } });
exports.endpoint = web.endpoint;
`;

let bench: Bench;
beforeAll(async () => {
  // The form that shows the least: most of what the state says is then the provider's own knowledge.
  bench = await openBench(program, { dialect: "minimal" });
});
afterAll(closeBenches);

describe("the life of a cluster through the real engine, in order", () => {
  it("is created once, and up returns when every replica is healthy", async () => {
    const { code, output } = await bench.workspace.up();
    expect(output).toContain("2/2 replicas healthy");
    expect(code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters", "POST /v1/clusters"]);
    expect(living(bench.simulator).map(({ status }) => status)).toEqual(["running", "running"]);
  });

  it("has every output in the state, and the constant text as its provider", async () => {
    const [web] = bench.workspace.storedClusters();
    expect(web?.outputs).toMatchObject({ status: "running", replicas: 2, readyReplicas: 2, settled: true });
    expect(web?.outputs).toHaveProperty("endpoint", expect.stringMatching(/^https:\/\/web-/));
    expect(web?.outputs).toHaveProperty("createdAt");
    expect(web?.outputs).toHaveProperty("replicaStatuses", [expect.anything(), expect.anything()]);
    const text = 'exports.handler=()=>require("pulumi-gpucluster/provider")';
    expect(web).toMatchObject({ inputs: { __provider: text }, outputs: { __provider: text } });
  });

  it("shows no change in a second up, and sends nothing", async () => {
    expect((await bench.workspace.up("--expect-no-changes")).code).toBe(0);
    expect(bench.writes()).toEqual([]);
  });

  it("previews more replicas as one line, and no change of what depends on the endpoint", async () => {
    await bench.workspace.succeed("config", "set", "replicas", "3");
    const { output } = await bench.workspace.preview();
    expect(output).toMatch(/~ replicas\s*: 2 => 3/);
    expect(output).toContain("~ 1 to update");
    expect(output).not.toContain("dependent");
    expect(bench.writes()).toEqual([]);
  });

  it("scales by one call", async () => {
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
  });

  it("previews a change of one variable by its name and without its value, and of the container in plain text", async () => {
    await bench.workspace.succeed("config", "set", "--secret", "token", "canary-value-second");
    await bench.workspace.succeed("config", "set", "container", "acme/model:2");
    const { output } = await bench.workspace.preview();
    expect(output).toMatch(/~ TOKEN: \[secret\] => \[secret\]/);
    expect(output).toMatch(/~ container: "acme\/model:1" => "acme\/model:2"/);
    expect(output).not.toMatch(/MODEL|canary/);
  });

  it("applies env and container, and a redeploy where the service does not roll out by itself; then adds replicas", async () => {
    await bench.workspace.succeed("config", "set", "replicas", "2");
    expect((await bench.workspace.up()).code).toBe(0);
    const redeployed = ["PATCH /v1/clusters/:id", "POST /v1/clusters/:id/redeploy"];
    expect(bench.writes()).toEqual([...redeployed, "POST /v1/clusters/:id/scale"]);
    const [web] = living(bench.simulator);
    expect(web).toMatchObject({
      replicas: 2,
      container: "acme/model:2",
      env: { TOKEN: "canary-value-second" },
    });
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("replaces the cluster if its name changes: the new one is created first", async () => {
    await bench.workspace.succeed("config", "set", "name", "renamed");
    expect((await bench.workspace.preview()).output).toMatch(/name\s*: "web-[0-9a-f]{7}" => "renamed"/);
    const { code, output } = await bench.workspace.up();
    expect(output).toContain("2/2 replicas healthy");
    expect(code).toBe(0);
    const writes = bench.writes();
    expect(writes.indexOf("POST /v1/clusters")).toBeLessThan(writes.indexOf("DELETE /v1/clusters/:id"));
    expect(living(bench.simulator).map(({ name }) => name)).toContain("renamed");
    expect(living(bench.simulator)).toHaveLength(2);
  });

  it("has no secret in plain text in any state", async () => {
    const state = bench.workspace.stateText();
    expect(state).not.toContain(canaryKey);
    expect(state).not.toMatch(/canary-value/);
  });

  it("is deleted, and destroy returns when it is gone", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
    expect(bench.workspace.storedClusters()).toEqual([]);
  });
});
