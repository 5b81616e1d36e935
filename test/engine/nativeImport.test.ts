import type { Dialect } from "../../simulator";
import { closeBenches, living, openNativeBench } from "./harness";

afterAll(closeBenches);

const seed = { name: "prod", gpuType: "h100", replicas: 2, container: "acme/model:1", env: { MODEL: "llama-3-8b" } };
const { name, gpuType, replicas, container, env } = seed;
const declared = {
  resources: { prod: { type: "gpucluster:Cluster", properties: { name, gpuType, replicas, container, env } } },
};

describe("pulumi import", () => {
  it("gives a program to complete, which previews as a change in place, if the service does not show all fields", async () => {
    const dialect: Partial<Dialect> = { containerEcho: "none", envEcho: "none" };
    const { workspace, simulator } = await openNativeBench({}, { dialect });
    const { id } = simulator.addCluster(seed);
    await workspace.succeed(...importOf(id));
    workspace.yaml(declared);
    const { output } = await workspace.preview();
    expect(output).toContain("~ 1 to update");
    expect(output).not.toContain("to replace");
    expect((await workspace.up()).code).toBe(0);
    expect(living(simulator).map((cluster) => [cluster.id, cluster.container, cluster.env])).toEqual([
      [id, container, env],
    ]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("says that there is no such cluster", async () => {
    const { workspace } = await openNativeBench({});
    const { code, output } = await workspace.pulumi(...importOf("cl_00000000"));
    expect(code).not.toBe(0);
    expect(output).toContain("'cl_00000000' does not exist");
  });
});

function importOf(id: string): string[] {
  return ["import", "gpucluster:index:Cluster", "prod", id, "--yes", "--skip-preview", "--protect=false"];
}

describe("an existing cluster", () => {
  it("is read by its id, and by functions", async () => {
    const { workspace, simulator, writes } = await openNativeBench({});
    const { id } = simulator.addCluster(seed);
    workspace.yaml({
      resources: { prod: { type: "gpucluster:Cluster", get: { id } } },
      variables: {
        found: { "fn::invoke": { function: "gpucluster:getCluster", arguments: { name } } },
        types: { "fn::invoke": { function: "gpucluster:getGpuTypes", arguments: {} } },
      },
      outputs: {
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
        endpoint: "${prod.endpoint}",
        id: "${found.id}",
        type: "${types.gpuTypes[0].type}",
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
      },
    });
    expect((await workspace.up()).code).toBe(0);
    const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(outputs).toEqual({ endpoint: simulator.cluster(id)?.endpoint, id, type: expect.any(String) });
    expect((await workspace.destroy()).code).toBe(0);
    expect(writes()).toEqual([]);
  });
});
