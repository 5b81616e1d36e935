import { closeBenches, living, openBench, until } from "./harness";

afterAll(closeBenches);

const program = `new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "acme/model:1" });`;

describe("an interrupt while a cluster comes up", () => {
  it("ends soon, keeps the cluster in the state, and the next up goes on with the same one", async () => {
    const { workspace, simulator, writes } = await openBench(program, { provisioningMs: 60_000 });
    const run = workspace.start("up", "--yes", "--skip-preview");
    await until("the cluster is waited for", () => run.output().includes("0/2 replicas healthy"));
    run.signal("SIGINT");
    const { code, output } = await run.ended;
    expect(code).not.toBe(0);
    expect(output).toMatch(/was created, but is not ready: interrupted/);
    const [kept] = await workspace.clusters();
    expect(kept?.id).toBe(living(simulator)[0]?.id);
    expect(JSON.parse(await workspace.stateText()).deployment.pending_operations ?? []).toEqual([]);
    simulator.change(kept?.id ?? "", { status: "running" });
    expect((await workspace.up()).code).toBe(0);
    expect(writes()).toEqual(["POST /v1/clusters"]);
  });

  it("fails closed after the whole CLI was killed: the next preview names the cluster that is left", async () => {
    const { workspace, simulator, writes } = await openBench(program, { provisioningMs: 60_000 });
    const run = workspace.start("up", "--yes", "--skip-preview");
    await until("the cluster is waited for", () => run.output().includes("0/2 replicas healthy"));
    run.kill();
    await run.ended;
    await workspace.succeed("cancel", "--yes");
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toContain(`is already the name of ${living(simulator)[0]?.id}`);
    expect(writes()).toEqual(["POST /v1/clusters"]);
  });
});
