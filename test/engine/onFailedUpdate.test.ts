import type { Fault } from "../../simulator";
import { closeFixtures, living, openNativeFixture } from "./harness";

afterAll(closeFixtures);

const programOf = (container: string) => ({
  resources: {
    web: {
      type: "gpucluster:Cluster",
      properties: {
        ...{ gpuType: "h100", replicas: 2, onFailedUpdate: "rollBack", container },
        env: { API_TOKEN: "canary-token-51d2" },
      },
    },
  },
});
const faults: Fault[] = [{ kind: "fail", message: "CUDA out of memory", container: "acme/model:2", times: 99 }];

describe("a failed update with `rollBack`", () => {
  it("fails after two rollouts; the state says what runs, and the next preview shows the change again", async () => {
    const { workspace, simulator, writes } = await openNativeFixture(programOf("acme/model:1"), { faults });
    await workspace.succeed("up", "--yes", "--skip-preview");
    writes();
    workspace.yaml(programOf("acme/model:2"));
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/cluster "web-\w+" \(cl_\w+\) did not get healthy with acme\/model:2: it is failed/);
    expect(output).toContain("Rolled back: 2/2 replicas healthy with acme/model:1. The next");
    expect(output).toMatch(/replica \S+: failed, CUDA out of memory/);
    expect(writes()).toEqual(Array(2).fill("PATCH /v1/clusters/:id"));
    expect(living(simulator)).toMatchObject([{ status: "running", deployed: { container: "acme/model:1" } }]);
    expect(workspace.storedClusters()).toMatchObject([{ outputs: { container: "acme/model:1", settled: true } }]);
    expect((await workspace.preview()).output).toMatch(/container\s*: "acme\/model:1" => "acme\/model:2"/);
    expect(workspace.stateText() + output).not.toContain("canary");

    workspace.yaml(programOf("acme/model:1"));
    expect((await workspace.up()).code).toBe(0);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect(writes()).toEqual([]);
  });
});
