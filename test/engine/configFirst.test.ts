import { type Bench, canaryKey, closeBenches, living, openBench, openNativeBench } from "./harness";

const program = `new gpu.Cluster("web", { gpuType: "l4", container: "acme/model:1" });`;
const yaml = {
  resources: { web: { type: "gpucluster:Cluster", properties: { gpuType: "l4", container: "acme/model:1" } } },
};
const strange = "canary-key-of-another-organization";
const rotated = "canary-key-rotated-8d13f2";
const apiKeys = { [canaryKey]: "org_test", [rotated]: "org_test", [strange]: "org_other" };

afterAll(closeBenches);

/** A bench whose stack has the key, while the environment has that of another organization. */
async function openWithBoth(open: () => Promise<Bench>): Promise<Bench> {
  const bench = await open();
  await bench.workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
  bench.workspace.env["GPUCLUSTER_API_KEY"] = strange;
  return bench;
}

const adapters: [string, () => Promise<Bench>][] = [
  ["dynamic", () => openBench(program, { apiKeys })],
  ["native", () => openNativeBench(yaml, { apiKeys })],
];

describe.each(adapters)("the stack's config (%s)", (adapter, open) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openWithBoth(open);
  });

  it("precedes the environment, and the preview says so in one line", async () => {
    const { output } = await bench.workspace.preview();
    const line = "GPUCLUSTER_API_KEY of the environment is not used: gpucluster:apiKey of the stack has another value";
    expect(output.split(line)).toHaveLength(2);
    expect(output).not.toContain("canary");
    expect((await bench.workspace.up()).code).toBe(0);
    expect(living(bench.simulator).map(({ organization }) => organization)).toEqual(["org_test"]);
  });

  it("is what a rotation of the key changes, and what a refused key names", async () => {
    const { simulator, workspace } = bench;
    simulator.revokeKey(canaryKey);
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", rotated);
    const { code, output } = await workspace.refresh();
    if (adapter === "native") {
      expect(code).toBe(0);
      return;
    }
    expect(code).not.toBe(0);
    expect(output.replace(/\s+/g, " ")).toContain(
      "Check the API key, gpucluster:apiKey of the stack; `refresh` and `destroy` use that of the last `pulumi up`, and with `--run-program` the current one",
    );
    expect((await workspace.refresh("--run-program")).code).toBe(0);
  });

  it("serves a deletion with the rotated key", async () => {
    const { simulator, workspace } = bench;
    const args = adapter === "native" ? [] : ["--run-program"];
    const { code } = await workspace.pulumi("destroy", "--yes", "--skip-preview", ...args);
    expect(code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
});
