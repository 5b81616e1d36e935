import { closeFixtures, idsOf, living, openFixture } from "./harness";

afterAll(closeFixtures);

const cluster = (name: string, args: object) =>
  `new gpu.Cluster("${name}", ${JSON.stringify(args)}, { customTimeouts: { create: "4s" } });\n`;

describe("a failed replacement that is reverted", () => {
  it("destroys only the sick new clusters, and the old ones of the same program are created and adopted again", async () => {
    const { workspace, simulator } = await openFixture("");
    const args = { gpuType: "h100", replicas: 2, container: "acme/model:1" };
    const adopted = simulator.addCluster({ ...args, name: "prod" }).id;
    const program = cluster("web", args) + cluster("prod", { ...args, adopt: adopted });
    workspace.program(program);
    await workspace.succeed("up", "--yes", "--skip-preview");
    const [old] = living(simulator).filter(({ id }) => id !== adopted);

    simulator.fault({ kind: "sick-replica", replica: 0, message: "sick", times: 2 });
    workspace.program(["web", "prod"].map((name) => cluster(name, { ...args, gpuType: "l4" })).join(""));
    expect((await workspace.up()).code).not.toBe(0);
    expect(living(simulator).filter(({ gpuType }) => gpuType === "l4")).toHaveLength(2);
    expect(living(simulator)).toHaveLength(4);

    workspace.program(program);
    expect((await workspace.up()).code).toBe(0);
    const recreated = living(simulator).find(({ id }) => id !== adopted);
    expect(recreated).toMatchObject({ gpuType: "h100" });
    expect(recreated?.id).not.toBe(old?.id);
    const ids = [adopted, recreated?.id].sort();
    expect(idsOf(living(simulator))).toEqual(ids);
    expect(living(simulator).map(({ status }) => status)).toEqual(["running", "running"]);
    expect(idsOf(workspace.storedClusters())).toEqual(ids);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});
