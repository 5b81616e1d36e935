import { startSimulator } from "../../simulator";
import { closeFixtures, type Fixture, living, openFixture, openNativeFixture } from "./harness";

afterAll(closeFixtures);

const inputs = { gpuType: "h100", replicas: 2, container: "acme/model:1" };

describe("a cluster that another user has deleted", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(`new gpu.Cluster("web", ${JSON.stringify(inputs)});`);
    await fixture.workspace.succeed("up", "--yes", "--skip-preview");
    await fixture.workspace.makeOld();
  });

  it("leaves the state at the next refresh, and is created once by the next up", async () => {
    const { workspace, simulator } = fixture;
    simulator.change(living(simulator)[0]?.id ?? "", { status: "gone" });
    expect((await workspace.refresh()).code).toBe(0);
    expect(workspace.storedClusters()).toEqual([]);
    expect((await workspace.up()).code).toBe(0);
    expect(living(simulator)).toHaveLength(1);
  });

  it("does not seem to be every cluster of another service or key: neither refresh nor destroy empties the state", async () => {
    const { workspace } = fixture;
    const other = await startSimulator({ apiKeys: { "another-key": "org_other" } });
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

  it("is created again without a refresh if its start had failed, with the plugin", async () => {
    const options = { customTimeouts: { create: "3s" } };
    const program = { resources: { web: { type: "gpucluster:Cluster", properties: inputs, options } } };
    const { workspace, simulator, writes } = await openNativeFixture(program, {
      faults: [{ kind: "sick-replica", replica: 0, message: "out of memory" }],
    });
    expect((await workspace.up()).output).toContain("was created, but is not ready");
    await workspace.makeOld();
    simulator.change(living(simulator)[0]?.id ?? "", { status: "gone" });
    writes();
    const { code, output } = await workspace.up();
    expect(output).not.toContain("no longer exists");
    expect(code).toBe(0);
    expect(writes()).toEqual(["POST /v1/clusters"]);
    expect(living(simulator)).toHaveLength(1);
  });
});
