import { type Bench, canaryKey, closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

const program = (args = "") => `
new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "acme/model:1", env: { TOKEN: "canary-value" }, ${args} },
  { customTimeouts: { create: "4s", update: "4s" } });
`;

describe("a cluster that does not become healthy", () => {
  let bench: Bench;
  beforeAll(async () => {
    const message = "image acme/model:1 not found for canary-value";
    bench = await openBench(program(), { faults: [{ kind: "sick-replica", replica: 1, message }] });
  });

  it("fails within its time limit, saying the state, the replica and its reason, and is kept", async () => {
    const { code, output } = await bench.workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/cluster "web-[0-9a-f]{7}" \(cl_\w+\) was created, but is not ready: timed out after \ds/);
    expect(output).toMatch(/1\/2 replicas healthy, provisioning/);
    expect(output).toMatch(/replica rep_\S+: unhealthy, image acme\/model:1 not found for \[secret\]/);
    expect(output).toContain("the next `pulumi up` goes on from here");
    expect(output).not.toContain("canary");
    const [kept] = await bench.workspace.clusters();
    expect(kept).toMatchObject({ id: living(bench.simulator)[0]?.id, outputs: { settled: false, readyReplicas: 1 } });
    expect(kept?.initErrors).toHaveLength(1);
    expect(await bench.workspace.stateText()).not.toContain("canary");
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
  });

  it("is waited for again by the next up, which sends nothing, and succeeds once it has healed", async () => {
    expect((await bench.workspace.preview()).output).toContain("~ 1 to update");
    bench.simulator.change(living(bench.simulator)[0]?.id ?? "", { sickReplica: undefined });
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual([]);
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("is still known as unfinished after a refresh, and is redeployed where it has failed", async () => {
    const id = living(bench.simulator)[0]?.id ?? "";
    bench.simulator.change(id, { status: "failed", message: "out of memory" });
    expect((await bench.workspace.refresh()).code).toBe(0);
    bench.writes();
    // The time limit of this program is too short for a whole roll-out.
    await bench.workspace.up();
    expect(bench.writes()).toContain("PATCH /v1/clusters/:id");
    bench.simulator.change(id, { status: "running" });
    expect((await bench.workspace.up()).code).toBe(0);
    expect(living(bench.simulator).map(({ status }) => status)).toEqual(["running"]);
  });
});

describe("a change of the GPU type that fails and is reverted", () => {
  it("keeps the old cluster, names the reason, and previews no change afterwards", async () => {
    const { workspace, simulator, writes } = await openBench(program());
    expect((await workspace.up()).code).toBe(0);
    workspace.program(program('gpuType: "no-such-type"'));
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/gpuType: .*no-such-type/);
    expect(living(simulator)).toHaveLength(1);
    workspace.program(program());
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect((await workspace.up()).code).toBe(0);
    expect(writes().filter((write) => write.startsWith("DELETE"))).toEqual([]);
  });

  it("destroys only the right cluster when the new one came up sick", async () => {
    const { workspace, simulator } = await openBench(program());
    await workspace.succeed("up", "--yes", "--skip-preview");
    const old = living(simulator)[0]?.id;
    simulator.fault({ kind: "sick-replica", replica: 0, message: "sick" });
    workspace.program(program('gpuType: "l4"'));
    expect((await workspace.up()).code).not.toBe(0);
    expect(living(simulator)).toHaveLength(2);
    workspace.program(program());
    expect((await workspace.up()).code).toBe(0);
    const [only, ...others] = living(simulator);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ gpuType: "h100", status: "running" });
    expect(only?.id).not.toBe(old);
    expect((await workspace.clusters()).map(({ id }) => id)).toEqual([only?.id]);
  });
});

describe("a replacement of an adopted cluster that fails and is reverted", () => {
  it("leaves the adopted cluster alive, and takes it up again by the advice of the warning", async () => {
    const { workspace, simulator } = await openBench("");
    const { id } = simulator.addCluster({ name: "prod", gpuType: "h100", replicas: 2, container: "acme/model:1" });
    const withAdopt = (args = "") => program(`adopt: "${id}", ${args}`).replace('env: { TOKEN: "canary-value" }, ', "");
    workspace.program(withAdopt());
    expect((await workspace.up()).code).toBe(0);
    workspace.program(withAdopt('gpuType: "l4"'));
    const refused = await workspace.preview();
    expect(refused.output).toMatch(/adopt: .*remove/i);
    expect(refused.code).not.toBe(0);
    workspace.program(withAdopt('gpuType: "l4"').replace(`adopt: "${id}",`, ""));
    simulator.fault({ kind: "sick-replica", replica: 0, message: "sick" });
    expect((await workspace.up()).code).not.toBe(0);
    expect(living(simulator)).toHaveLength(2);
    workspace.program(withAdopt());
    expect((await workspace.up()).code).toBe(0);
    expect(living(simulator).map((cluster) => [cluster.id, cluster.status])).toEqual([[id, "running"]]);
    expect((await workspace.clusters()).map((cluster) => cluster.id)).toEqual([id]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});

describe("a create request whose answer is lost", () => {
  it.each([
    ["the connection breaks after the service acted", { kind: "drop", when: "after" } as const],
    ["a gateway answers 502 although the service acted", { kind: "status", status: 502, when: "after" } as const],
    ["the answer is cut off", { kind: "truncate" } as const],
  ])("makes exactly one cluster: %s", async (_what, fault) => {
    const faults = [{ method: "POST", path: "/v1/clusters", ...fault }];
    const { workspace, simulator } = await openBench(program(), { faults });
    expect((await workspace.up()).code).toBe(0);
    expect(living(simulator)).toHaveLength(1);
    expect((await workspace.clusters()).map(({ id }) => id)).toEqual(living(simulator).map(({ id }) => id));
  });
});

describe("a service that cannot be used", () => {
  it("says what to check when the key is refused", async () => {
    const { workspace } = await openBench(program());
    workspace.env["GPUCLUSTER_API_KEY"] = "wrong-key-canary";
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/HTTP 401\)\. Check the API key: GPUCLUSTER_API_KEY .* gpucluster:apiKey/);
    expect(output).not.toMatch(/wrong-key|at .*\.js:\d+/);
  });

  it("says that it is down; a preview still works, with one warning", async () => {
    const { workspace, simulator } = await openBench(program());
    await simulator.close();
    const preview = await workspace.preview();
    expect(preview.code).toBe(0);
    expect(preview.output.match(/^\s*warning: .*could not be checked/gm)).toHaveLength(1);
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain("the connection was refused (ECONNREFUSED");
  });

  it("says in one line what is missing, and where to set it", async () => {
    const { workspace } = await openBench(program());
    delete workspace.env["GPUCLUSTER_API_KEY"];
    delete workspace.env["GPUCLUSTER_BASE_URL"];
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    for (const place of ["GPUCLUSTER_API_KEY", "gpucluster:apiKey", "GPUCLUSTER_BASE_URL", "gpucluster:baseUrl"]) {
      expect(output).toContain(place);
    }
  });

  it("is found through the stack's config as well", async () => {
    const { workspace } = await openBench(program());
    const { GPUCLUSTER_BASE_URL: url = "" } = workspace.env;
    delete workspace.env["GPUCLUSTER_API_KEY"];
    delete workspace.env["GPUCLUSTER_BASE_URL"];
    await workspace.succeed("config", "set", "gpucluster:baseUrl", url);
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    expect((await workspace.up()).code).toBe(0);
    expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);
    expect(await workspace.stateText()).not.toContain(canaryKey);
    expect((await workspace.destroy()).code).toBe(0);
  });
});
