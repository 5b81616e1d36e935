import { type Bench, closeBenches, openBench } from "./harness";

afterAll(closeBenches);

const cluster = (name: string, args: string) =>
  `new gpu.Cluster("${name}", { gpuType: "h100", container: "acme/model:1", ${args} });`;

describe("a preview that fails before anything is created", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench("");
  });

  it.each([
    [
      "a GPU type that is not listed",
      cluster("web", 'gpuType: "h-10"'),
      /gpuType: "h-10" is not a GPU type .*similar: .*"h100"/,
    ],
    [
      "a cluster to read that does not exist",
      'gpu.Cluster.get("web", "cl_00000000");',
      /there is no cluster cl_00000000/,
    ],
  ])("for %s, in one line", async (_what, program, line) => {
    const { workspace, writes } = bench;
    workspace.program(program);
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(line);
    expect(output).not.toMatch(/at .*\.js:\d+/);
    expect(writes()).toEqual([]);
  });

  it("keeps the whole stack below its cost limit, also after an up without a preview has begun", async () => {
    const { workspace, writes } = await openBench(
      ["a", "b", "c"].map((name) => cluster(name, "replicas: 2")).join("\n"),
    );
    await workspace.succeed("config", "set", "gpucluster:maxHourlyCost", "15");
    const preview = await workspace.preview();
    expect(preview.code).not.toBe(0);
    expect(preview.output).toMatch(
      /gpucluster:maxHourlyCost is 15\.00, but .* cost 17\.94 USD per hour: . 5\.98 \(2 x h100 at 2\.99 USD\)/,
    );
    expect(writes()).toEqual([]);
    expect((await workspace.up("--parallel", "1")).code).not.toBe(0);
    expect(writes().filter((line) => line !== "POST /v1/clusters")).toEqual([]);
    expect(workspace.storedClusters().length).toBeLessThanOrEqual(2);
  });
});

describe("a GPU type that the service refuses, with a fallback, in both adapters", () => {
  const program = `
const native = require("pulumi-gpucluster/native");
const replicas = config.getNumber("replicas");
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  const made = new Cluster(name, { name, gpuType: "h200", fallbackGpuTypes: ["h100"], container: "acme/model:1", replicas });
  exports[name] = made.gpuType;
}
`;

  it("gets the next one, which stays: no refresh and no later preview shows a line for it", async () => {
    const { workspace, simulator, writes } = await openBench(program);
    const refused = { kind: "status", status: 409, code: "insufficient_capacity", method: "POST" } as const;
    for (const name of ["web", "api"]) simulator.fault({ ...refused, path: "/v1/clusters", name });
    const preview = await workspace.preview();
    for (const name of ["web", "api"])
      expect(preview.output).toContain(
        `${name}: the creation asks for 1 x h200 at 3.99 USD per hour, then for 1 x h100 at 2.99 USD per hour`,
      );
    const made = await workspace.up();
    expect(made.output).toMatch(/"h200" is refused, so "h100" is next/);
    expect(made.code).toBe(0);
    expect(writes()).toEqual(Array(4).fill("POST /v1/clusters"));
    expect(simulator.clusters().map(({ gpuType }) => gpuType)).toEqual(["h100", "h100"]);
    expect(workspace.storedClusters()).toMatchObject(
      Array(2).fill({ outputs: { gpuType: "h100", fallbackGpuTypes: ["h100"] } }),
    );
    for (const command of [workspace.refresh, workspace.preview])
      expect(await command.call(workspace, "--expect-no-changes")).toMatchObject({ code: 0 });
    expect(workspace.storedClusters()).toMatchObject(Array(2).fill({ inputs: { gpuType: "h100" } }));
    const { code, output } = await workspace.preview("--diff", "--config", "engine-test:replicas=2");
    expect(code).toBe(0);
    expect(output).toContain("2 to update");
    expect(output).not.toMatch(/gpuType|h200|replace/i);
    expect((await workspace.up("--config", "engine-test:replicas=2")).code).toBe(0);
    expect(writes()).toEqual(Array(2).fill("POST /v1/clusters/:id/scale"));
  });
});

describe("a preview while the service is down", () => {
  it("fails if the stack requires it, and waits for the service only once", async () => {
    const { workspace, simulator } = await openBench(["a", "b", "c"].map((name) => cluster(name, "")).join("\n"));
    await workspace.succeed("config", "set", "gpucluster:strictPreview", "true");
    simulator.fault({ kind: "delay", ms: 60_000, times: 100 });
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(simulator.openRequests().length + simulator.requests.length).toBeLessThanOrEqual(2);
    expect(output).toMatch(/could not be checked: .*an error because of gpucluster:strictPreview/);
  });
});
