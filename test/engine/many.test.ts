import { type Bench, closeBenches, living, openBench } from "./harness";
import type { Run } from "./workspace";

/** More than any page of a list; the benchmark has larger ones. */
const count = 120;
const parallel = ["--parallel", "128"];
const program = `
for (let index = 0; index < ${count}; index++) {
  new gpu.Cluster("web-" + index, { gpuType: "l4", container: "acme/model:1" });
}
`;

let bench: Bench;

beforeAll(async () => {
  // This test counts the requests of a fleet; other tests check that the provider keeps the rate limit.
  const gpuTypes = [{ type: "l4", name: "NVIDIA L4", memoryGb: 24, pricePerHour: 0.44, stock: 1_000 }];
  bench = await openBench(program, {
    provisioningMs: 2_000,
    deletionMs: 1_000,
    gpuTypes,
    dialect: { containerEcho: "none", envEcho: "none" },
  });
});
afterAll(closeBenches);

/** The requests of a command: lists grow with the time, which is longer on a busy machine; all others with the clusters. */
async function trafficOf(work: () => Promise<Run>) {
  const startMs = performance.now();
  const { code } = await work();
  const seconds = (performance.now() - startMs) / 1_000;
  const requests = bench.simulator.requests.splice(0);
  const lists = requests.filter(({ method, path }) => method === "GET" && /^\/v1\/clusters(\?|$)/.test(path)).length;
  const reads = requests.filter(({ method, path }) => method === "GET" && /^\/v1\/clusters\/[^/]+$/.test(path)).length;
  return { code, seconds, lists, reads, others: requests.length - lists };
}

describe(`a fleet of ${count} clusters through the real engine`, () => {
  it("is created with a request for each creation, one for each confirmation, and a list a second", async () => {
    const { code, seconds, lists, others } = await trafficOf(() => bench.workspace.up(...parallel));
    expect(code).toBe(0);
    expect(living(bench.simulator)).toHaveLength(count);
    expect(others).toBeLessThanOrEqual(2 * count + 50);
    expect(lists).toBeLessThanOrEqual(seconds + 5);
  });

  it("is refreshed with a request for each, and one more for the replicas of the first 40, without a change", async () => {
    const run = () => bench.workspace.refresh("--expect-no-changes", ...parallel);
    const { code, lists, others } = await trafficOf(run);
    expect(code).toBe(0);
    expect(lists + others).toBeLessThanOrEqual(count + 45);
  });

  it("is previewed without a request if nothing has changed", async () => {
    const { code, lists, others } = await trafficOf(() => bench.workspace.preview("--expect-no-changes"));
    expect(code).toBe(0);
    expect(lists + others).toBeLessThanOrEqual(3);
  });

  it("is destroyed with a request for each, at most one more read, and at most a list a second", async () => {
    const run = () => bench.workspace.pulumi("destroy", "--yes", "--skip-preview", ...parallel);
    const { code, seconds, lists, reads, others } = await trafficOf(run);
    expect(code).toBe(0);
    expect(living(bench.simulator)).toEqual([]);
    expect(others - reads).toBe(count);
    // A list of 50, 30, 25, 20 or 10 clusters may be the first page of a longer one: then each that it lacks is read by its id.
    expect(reads).toBeLessThanOrEqual(count);
    expect(lists).toBeLessThanOrEqual(seconds + 5);
  });
});
