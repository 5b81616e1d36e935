import { type Bench, closeBenches, idsOf, living, openBench } from "./harness";

afterAll(closeBenches);

/** The common arguments of both clusters: only the one that is not adopted has a generated name. */
const cluster = (name: string, args: string) => `
new gpu.Cluster("${name}", { gpuType: "h100", replicas: 2, container: "acme/model:1", ${args} },
  { customTimeouts: { create: "4s" } });
`;
const web = (args = "") => cluster("web", args);
const prod = (args: string) => cluster("prod", args);

describe("a change of the GPU type that fails and is reverted, in order", () => {
  let bench: Bench;
  let adopted: string;
  let made: string | undefined;
  const both = () => web() + prod(`adopt: "${adopted}"`);

  beforeAll(async () => {
    bench = await openBench("");
    const found = { name: "prod", gpuType: "h100", replicas: 2, container: "acme/model:1" };
    adopted = bench.simulator.addCluster(found).id;
    bench.workspace.program(both());
    await bench.workspace.succeed("up", "--yes", "--skip-preview");
    made = living(bench.simulator).find((cluster) => cluster.id !== adopted)?.id;
  });

  it("keeps the old cluster, names the reason, and shows no change afterwards", async () => {
    const { workspace, simulator, writes } = bench;
    workspace.program(web('gpuType: "no-such-type"') + prod(`adopt: "${adopted}"`));
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/gpuType: .*no-such-type/);
    expect(idsOf(living(simulator))).toEqual([adopted, made].sort());
    workspace.program(both());
    expect((await workspace.up("--expect-no-changes")).code).toBe(0);
    expect(writes()).toEqual(["POST /v1/clusters"]);
  });

  it("is refused in the preview while the cluster is to be an adopted one", async () => {
    bench.workspace.program(web() + prod(`adopt: "${adopted}", gpuType: "l4"`));
    const { code, output } = await bench.workspace.preview();
    expect(output).toMatch(/adopt: .*remove/i);
    expect(code).not.toBe(0);
  });

  it("destroys only the right clusters if the new ones are sick, and adopts the adopted one again", async () => {
    const { workspace, simulator } = bench;
    simulator.fault({ kind: "sick-replica", replica: 0, message: "sick", times: 2 });
    workspace.program(web('gpuType: "l4"') + prod('gpuType: "l4"'));
    expect((await workspace.up()).code).not.toBe(0);
    expect(living(simulator).filter(({ gpuType }) => gpuType === "l4")).toHaveLength(2);
    expect(living(simulator)).toHaveLength(4);
    workspace.program(both());
    expect((await workspace.up()).code).toBe(0);
    const anew = living(simulator).find(({ id }) => id !== adopted);
    expect(anew).toMatchObject({ gpuType: "h100", status: "running" });
    expect(anew?.id).not.toBe(made);
    const ids = [adopted, anew?.id].sort();
    expect(idsOf(living(simulator))).toEqual(ids);
    expect(living(simulator).map(({ status }) => status)).toEqual(["running", "running"]);
    expect(idsOf(workspace.storedClusters())).toEqual(ids);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});
