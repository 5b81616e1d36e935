import { type Bench, canaryKey, closeBenches, living, openNativeBench } from "./harness";

interface Wanted {
  readonly name?: string;
  readonly gpuType: string;
  readonly replicas: number;
  readonly container: string;
  readonly env: Record<string, string>;
}

const first: Wanted = {
  gpuType: "h100",
  replicas: 2,
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "llama-3-8b", "TOKEN.A": "canary-value-first" },
};

const programOf = (wanted: Wanted) => ({
  resources: {
    web: { type: "gpucluster:Cluster", properties: wanted },
    // Stands for a DNS record or a gateway: it must be left alone as long as the endpoint stays.
    dependent: {
      type: "gpucluster:Cluster",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
      properties: { gpuType: "l4", container: "acme/gateway:1", env: { UPSTREAM: "${web.endpoint}" } },
    },
  },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
  outputs: { endpoint: "${web.endpoint}" },
});

/** What a preview shows, without what differs from run to run. */
function textOf(output: string): string {
  return output
    .replace(/cl_[0-9a-f]+/g, "cl_ID")
    .replace(/^ *\[urn=.*\n/gm, "")
    .trimEnd();
}

let bench: Bench;
beforeAll(async () => {
  bench = await openNativeBench(programOf(first));
});
afterAll(closeBenches);

describe("the life of a cluster of a YAML program, in order", () => {
  it("is created once, and up returns when every replica is healthy", async () => {
    const { code, output } = await bench.workspace.up();
    expect(output).toContain("2/2 replicas healthy");
    expect(code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters", "POST /v1/clusters"]);
    const [web] = bench.workspace.storedClusters();
    expect(web?.outputs).toMatchObject({ status: "running", replicas: 2, readyReplicas: 2, settled: true });
  });

  it("shows no change in a second preview and a second up, and sends nothing", async () => {
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
    expect((await bench.workspace.up("--expect-no-changes")).code).toBe(0);
    expect(bench.writes()).toEqual([]);
  });

  it("previews more replicas as one line, and nothing for what depends on the endpoint", async () => {
    bench.workspace.yaml(programOf({ ...first, replicas: 3 }));
    expect(textOf((await bench.workspace.preview()).output)).toMatchInlineSnapshot(`
"Previewing update (test):
  pulumi:pulumi:Stack: (same)
    ~ gpucluster:index:Cluster: (update)
        [id=cl_ID]
      ~ replicas: 2 => 3
Resources:
    ~ 1 to update
    2 unchanged"
`);
    expect(bench.writes()).toEqual([]);
  });

  it("scales by one call", async () => {
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
  });

  it("previews variables by their names and without their values, and applies them in one update", async () => {
    const env = { "TOKEN.A": "canary-value-second", ADDED: "canary-value-third" };
    bench.workspace.yaml(programOf({ ...first, replicas: 3, container: "vllm/vllm-openai:v0.7.0", env }));
    const { output } = await bench.workspace.preview();
    expect(textOf(output)).toMatchInlineSnapshot(`
"Previewing update (test):
  pulumi:pulumi:Stack: (same)
    ~ gpucluster:index:Cluster: (update)
        [id=cl_ID]
      ~ container: "vllm/vllm-openai:v0.6.3" => "vllm/vllm-openai:v0.7.0"
      ~ env      : {
          + ADDED  : [secret]
          - MODEL  : [secret]
          ~ TOKEN.A: [secret] => [secret]
        }
Resources:
    ~ 1 to update
    2 unchanged"
`);
    expect(output).not.toMatch(/canary/);
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["PATCH /v1/clusters/:id"]);
    expect(living(bench.simulator)[0]).toMatchObject({ env, container: "vllm/vllm-openai:v0.7.0" });
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("shows at refresh what somebody else has changed, and puts it right", async () => {
    const [web] = living(bench.simulator);
    if (!web) throw new Error("there is no cluster");
    bench.simulator.change(web.id, { replicas: 1 });
    expect((await bench.workspace.refresh()).output).toMatch(/~ replicas\s*: 3 => 1/);
    expect((await bench.workspace.preview()).output).toMatch(/~ replicas\s*: 1 => 3/);
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
  });

  it("names what it is replaced for; the new one comes up first", async () => {
    bench.workspace.yaml(programOf({ ...first, name: "renamed" }));
    const { output } = await bench.workspace.preview();
    expect(output).toMatch(/\+-gpucluster:index:Cluster: \(replace\)/);
    expect(output).toMatch(/~ name\s*: "web-[0-9a-f]{7}" => "renamed"/);
    expect((await bench.workspace.up()).code).toBe(0);
    const writes = bench.writes();
    expect(writes.indexOf("POST /v1/clusters")).toBeLessThan(writes.indexOf("DELETE /v1/clusters/:id"));
    expect(living(bench.simulator).map(({ name }) => name)).toContain("renamed");
    expect(living(bench.simulator)).toHaveLength(2);
  });

  it("has every secret in clear in no state", async () => {
    const state = await bench.workspace.stateText();
    expect(state).not.toContain(canaryKey);
    expect(state).not.toContain("canary-value");
  });

  it("is deleted, and destroy returns when it is gone", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
    expect(bench.workspace.storedClusters()).toEqual([]);
  });
});
