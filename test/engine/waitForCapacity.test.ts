import { closeBenches, openBench, until } from "./harness";

/** Two clusters, one of each adapter, whose GPU types are sold out when `up` begins, through the real engine. */
const program = `
const native = require("pulumi-gpucluster/native");
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  const made = new Cluster(name, {
    gpuType: ["h200", "h100"], replicas: 2, container: "acme/model:1", waitForCapacity: true,
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
  const stock = "0 of 2 h200, 1 of 2 h100 free";

  const preview = await workspace.preview();
  for (const name of ["web", "api"])
    expect(preview.output).toContain(`${name}: not enough GPUs now, so the creation waits for capacity: ${stock}`);
  expect(preview.code).toBe(0);

  const before = simulator.requests.length;
  const up = workspace.up();
  const lookups = () => simulator.requests.slice(before).filter(({ path }) => path === "/v1/gpus").length;
  // Each adapter is a process of its own, with one lookup of its check and one of its creation.
  await until("both creations have looked the stock up", () => lookups() >= 4);
  expect(writes()).toEqual([]);
  simulator.setGpuType("h100", { stock: 4 });
  const { code, output } = await up;
  expect(output.split(`waiting for capacity: ${stock}`).length).toBeGreaterThan(2);
  expect(code).toBe(0);
  expect(writes()).toEqual(Array(2).fill("POST /v1/clusters"));
  expect(simulator.clusters().map(({ gpuType }) => gpuType)).toEqual(["h100", "h100"]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
});
