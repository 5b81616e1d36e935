import { ofThisEngine } from "./engines";
import { closeFixtures, type Fixture, living, openNativeFixture } from "./harness";
import { clusterTypes } from "./workspace";

/*
 * The engine calls a creation awaiting if the plugin says so, and goes on. An older engine does not know that, and the creation
 * fails. Neither writes a state.
 */
afterAll(closeFixtures);

const cluster = (gpuType: string, options = {}) => ({
  type: "gpucluster:Cluster",
  properties: { gpuType, container: "acme/model:1", onNoCapacity: "nextRun" },
  options,
});
const types = ({ simulator }: Fixture) => living(simulator).map(({ gpuType }) => gpuType);
const stored = ({ workspace }: Fixture) =>
  workspace
    .storedClusters()
    .map(({ urn }) => urn.replace(`urn:pulumi:test::engine-test::${clusterTypes.native}::`, ""));

const isAwaiting = ofThisEngine("noCapacity") === "awaiting";
const exitCode = isAwaiting ? 10 : 1;

describe("a creation without GPUs that is left to the next run", () => {
  let fixture: Fixture;

  beforeAll(async () => {
    const resources = {
      sold: cluster("h200"),
      other: cluster("h100"),
      dependent: cluster("h100", { dependsOn: [`\${sold}`] }),
    };
    fixture = await openNativeFixture({ resources });
    fixture.simulator.setGpuType("h200", { stock: 0 });
  });

  it("shows its reason, is in no state, and lets the engine deploy what does not depend on it", async () => {
    await fixture.workspace.succeed("preview", "--save-plan", "plan.json");
    const { code, output } = await fixture.workspace.up("--plan", "plan.json");
    expect(code).toBe(exitCode);
    expect(output).toMatch(/warning: .* "h200" is refused, so the creation is left to a later `pulumi up`: POST/);
    expect(output).toMatch(
      isAwaiting ? /\n +1 awaiting\n/ : /was not created: no capacity of h200: .* the next `pulumi up` tries again/,
    );
    expect(stored(fixture)).toEqual(isAwaiting ? ["other"] : expect.not.arrayContaining(["sold"]));
    expect(types(fixture)).not.toContain("h200");
  });

  it("creates the cluster in a later `up` with the same plan, and then what depends on it", async () => {
    fixture.simulator.setGpuType("h200", { stock: 1 });
    expect((await fixture.workspace.up("--plan", "plan.json")).code).toBe(0);
    expect(stored(fixture).sort()).toEqual(["dependent", "other", "sold"]);
    expect(types(fixture).sort()).toEqual(["h100", "h100", "h200"]);
  });

  it("keeps the old cluster if it would replace it", async () => {
    fixture.simulator.setGpuType("l4", { stock: 0 });
    fixture.workspace.yaml({ resources: { sold: cluster("l4"), other: cluster("h100") } });
    expect((await fixture.workspace.up()).code).toBe(exitCode);
    expect(types(fixture)).toContain("h200");
    expect(stored(fixture)).toContain("sold");
  });

  it("does not keep the old cluster of a renamed resource, if the engine goes on", async () => {
    fixture.workspace.yaml({ resources: { renamed: cluster("l4"), other: cluster("h100") } });
    expect((await fixture.workspace.up()).code).toBe(exitCode);
    expect(types(fixture).includes("h200")).toBe(!isAwaiting);
    expect(stored(fixture).includes("sold")).toBe(!isAwaiting);
  });
});
