import type { Fault } from "../../simulator";
import { closeBenches, living, openNativeBench, until } from "./harness";

afterAll(closeBenches);

const programOf = (properties: object = {}) => ({
  resources: {
    web: {
      type: "gpucluster:Cluster",
      properties: {
        gpuType: "h100",
        replicas: 2,
        container: "acme/model:1",
        env: { TOKEN: "canary-value" },
        ...properties,
      },
    },
  },
});

describe("Ctrl-C while a cluster of a YAML program becomes ready", () => {
  it("ends the wait, keeps the cluster, and the next up continues with it", async () => {
    const { workspace, simulator, writes } = await openNativeBench(programOf(), { provisioningMs: 3_600_000 });
    const run = workspace.start("up", "--yes", "--skip-preview");
    await until("it is waited for", () => run.output().includes("0/2 replicas healthy"));
    run.signal("SIGINT");
    const { code, output } = await run.ended;
    expect(code).not.toBe(0);
    expect(output).toMatch(/was created, but is not ready: interrupted/);
    const [cluster] = living(simulator);
    expect(workspace.storedClusters().map(({ id }) => id)).toEqual([cluster?.id]);
    expect(writes()).toEqual(["POST /v1/clusters"]);

    simulator.change(cluster?.id ?? "", { status: "running" });
    expect((await workspace.up()).code).toBe(0);
    expect(writes()).toEqual([]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});

describe("a cluster that vanishes after a failed start", () => {
  it("is created again by the next up, without a refresh by a person", async () => {
    const faults: Fault[] = [{ kind: "sick-replica", replica: 0, message: "out of memory" }];
    const program = programOf();
    Object.assign(program.resources.web, { options: { customTimeouts: { create: "3s" } } });
    // The cluster is not so young that reads may not show it yet.
    const clock = { now: () => Date.now() - 200_000 };
    const { workspace, simulator, writes } = await openNativeBench(program, { faults, clock });
    expect((await workspace.up()).output).toContain("was created, but is not ready");
    const [lost] = living(simulator);
    simulator.change(lost?.id ?? "", { status: "gone" });
    writes();
    const { code, output } = await workspace.up();
    expect(output).not.toContain("no longer exists");
    expect(code).toBe(0);
    expect(writes()).toEqual(["POST /v1/clusters"]);
    expect(living(simulator)).toHaveLength(1);
  });
});

describe("a YAML program with invalid inputs", () => {
  it("fails in the preview, with one line for each input, without a value that may be secret", async () => {
    const env = { TOKEN: "canary\u0000value" };
    const { workspace, writes } = await openNativeBench(programOf({ replicas: 0, gpuType: "h100", env }));
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(/has a problem: replicas: must be .*, got 0/);
    expect(output).toMatch(/has a problem: env\.TOKEN: /);
    expect(output).not.toMatch(/canary|at .*\.js:\d+/);
    expect(writes()).toEqual([]);
  });

  it("fails with the missing settings, and the places to set them", async () => {
    const { workspace } = await openNativeBench(programOf());
    delete workspace.env["GPUCLUSTER_API_KEY"];
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(/GPUCLUSTER_API_KEY .*pulumi config set --secret gpucluster:apiKey/);
  });
});
