import { type Bench, closeBenches, living, openBench } from "./harness";

/** CI runs as many as a large fleet has (`npm test -- --all`); fewer show the same in less time. */
const count = process.env["EVERY_DIALECT"] === "true" ? 500 : 60;
const parallel = ["--parallel", "128"];
const program = `
for (let index = 0; index < ${count}; index++) {
  new gpu.Cluster("web-" + index, { gpuType: "l4", container: "acme/model:1", healthCheck: config.get("healthCheck") });
}
`;

let bench: Bench;

beforeAll(async () => {
  // What a fleet takes of the rate limit is counted here; that it keeps to it is for the tests of the budget.
  const gpuTypes = [{ type: "l4", name: "NVIDIA L4", memoryGb: 24, pricePerHour: 0.44, stock: 1_000 }];
  bench = await openBench(program, {
    provisioningMs: 2_000,
    deletionMs: 1_000,
    gpuTypes,
    dialect: { containerEcho: "none", envEcho: "none" },
  });
});
afterAll(closeBenches);

/** Requests since the last call. */
function requests(): number {
  return bench.simulator.requests.splice(0).length;
}

describe(`a fleet of ${count} clusters through the real engine`, () => {
  it("is created with a request for each creation, one for each confirmation, and some lists", async () => {
    const { code } = await bench.workspace.up(...parallel);
    expect(code).toBe(0);
    expect(living(bench.simulator)).toHaveLength(count);
    expect(requests()).toBeLessThanOrEqual(2 * count + 150);
  });

  it("is refreshed in ten requests, without a change", async () => {
    const { code } = await bench.workspace.refresh("--expect-no-changes", ...parallel);
    expect(code).toBe(0);
    expect(requests()).toBeLessThanOrEqual(10);
  });

  it("is previewed without a request where nothing has changed", async () => {
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
    expect(requests()).toBeLessThanOrEqual(3);
  });

  it("is destroyed with a request for each, and some lists", async () => {
    expect((await bench.workspace.pulumi("destroy", "--yes", "--skip-preview", ...parallel)).code).toBe(0);
    expect(living(bench.simulator)).toEqual([]);
    expect(requests()).toBeLessThanOrEqual(count + 60);
  });
});
