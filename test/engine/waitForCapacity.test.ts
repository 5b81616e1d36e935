import { closeBenches, openBench, until } from "./harness";

/** Two clusters, one of each adapter, whose GPU types are sold out when `up` begins, through the real engine. */
const program = `
const native = require("pulumi-gpucluster/native");
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  const made = new Cluster(name, {
    gpuType: "h200", fallbackGpuTypes: ["h100"], replicas: 2, container: "acme/model:1", waitForCapacity: true,
  }, { customTimeouts: { create: "2m" } });
  exports[name] = made.gpuType;
}
`;

afterAll(closeBenches);

it("a creation waits until the stock comes back, in both adapters", async () => {
  const { workspace, simulator, writes } = await openBench(program);
  simulator.setGpuType("h200", { stock: 0 });
  simulator.setGpuType("h100", { stock: 1 });
  await workspace.succeed("config", "set", "gpucluster:capacityCheck", "error");

  const preview = await workspace.preview();
  for (const name of ["web", "api"])
    expect(preview.output).toMatch(new RegExp(`${name}: not enough GPUs: .*: the creation waits for capacity`));
  expect(preview.code).toBe(0);

  const up = workspace.up();
  const refused = () => simulator.requests.filter(({ method }) => method === "POST").length;
  // Each adapter is a process of its own, which asks for both types.
  await until("both creations were refused both types", () => refused() >= 4);
  expect(writes()).toEqual(Array(4).fill("POST /v1/clusters"));
  simulator.setGpuType("h100", { stock: 4 });
  const { code, output } = await up;
  expect(output.split("waiting for capacity of h200, h100: ").length).toBeGreaterThan(2);
  expect(code).toBe(0);
  expect(writes()).toEqual(Array(4).fill("POST /v1/clusters"));
  expect(simulator.clusters().map(({ gpuType }) => gpuType)).toEqual(["h100", "h100"]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
});

it("a refusal by 503 for lack of GPUs ends `up` in clear words, and the next one creates exactly one cluster", async () => {
  const one = 'new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "acme/model:1" });';
  const { workspace, simulator, writes } = await openBench(one, { dialect: { capacityRefusal: "node-full" } });
  simulator.setGpuType("h100", { stock: 1 });
  const failed = await workspace.up();
  expect(failed.code).not.toBe(0);
  expect(failed.output).toMatch(/2 GPUs of type "h100" are wanted, 1 are free \(NODE_AT_CAPACITY, HTTP 503\)/);
  expect(failed.output).toContain("Use another GPU type or fewer replicas");
  expect(failed.output).not.toContain("may have been created");
  expect([writes(), simulator.clusters(), workspace.storedClusters()]).toEqual([["POST /v1/clusters"], [], []]);
  simulator.setGpuType("h100", { stock: 2 });
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toEqual(["POST /v1/clusters"]);
  expect(simulator.clusters()).toHaveLength(1);
});
