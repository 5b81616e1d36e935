import { closeFixtures, openFixture, until } from "./harness";

/** Two clusters, one of each adapter, whose GPU types are sold out when `up` begins. */
const program = `
const native = require("pulumi-gpucluster/native");
const replicas = config.getNumber("replicas") ?? 2;
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native }))
  new Cluster(name, {
    gpuType: "h200", fallbackGpuTypes: ["h100"], replicas, container: "acme/model:1", waitForCapacity: true,
  }, { customTimeouts: { create: "2m" } });
`;

afterAll(closeFixtures);

describe("a creation that waits for capacity, in both adapters", () => {
  it("gets the first GPU type that is available again, which no later preview shows as a change", async () => {
    const { workspace, simulator, writes } = await openFixture(program);
    simulator.setGpuType("h200", { stock: 0 });
    simulator.setGpuType("h100", { stock: 1 });
    await workspace.succeed("config", "set", "gpucluster:capacityCheck", "error");

    const preview = await workspace.preview();
    for (const name of ["web", "api"])
      expect(preview.output).toMatch(new RegExp(`${name}: not enough GPUs: .*: the creation waits for capacity`));
    expect(preview.code).toBe(0);

    const up = workspace.up();
    const refused = () => simulator.requests.filter(({ method }) => method === "POST").length;
    // Each adapter is a process of its own, which tries both types.
    await until("both creations were refused both types", () => refused() >= 4);
    expect(writes()).toEqual(Array(4).fill("POST /v1/clusters"));
    simulator.setGpuType("h100", { stock: 8 });
    const { code, output } = await up;
    expect(output.split("waiting for capacity of h200, h100: ").length).toBeGreaterThan(2);
    expect(code).toBe(0);
    expect(writes()).toEqual(Array(4).fill("POST /v1/clusters"));
    expect(simulator.clusters().map(({ gpuType }) => gpuType)).toEqual(["h100", "h100"]);

    expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);
    const scaled = await workspace.preview("--config", "engine-test:replicas=3");
    expect(scaled.output).toContain("2 to update");
    expect(scaled.output).not.toMatch(/gpuType|h200|replace/i);
  });
});
