import { type Bench, closeBenches, living, openBench } from "./harness";
import { Workspace } from "./workspace";

/** Two processes share one key, and learn of each other only from the service's rate headers. */
const program = (name: string) => `
for (let index = 0; index < 20; index++) {
  new gpu.Cluster("${name}-" + index, { gpuType: "l4", container: "acme/model:1" });
}
`;

let bench: Bench;
let other: Workspace;

beforeAll(async () => {
  bench = await openBench(program("a"), { rateLimit: 50, rateWindowMs: 5_000 });
  other = new Workspace({ env: bench.workspace.env, program: program("b") });
  await other.init();
});
afterAll(async () => {
  other.remove();
  await closeBenches();
});

describe("two stacks at once on one key", () => {
  it("both succeed, though together they need more than the rate limit allows", async () => {
    const all = ["up", "--yes", "--skip-preview", "--parallel", "64"];
    const runs = await Promise.all([bench.workspace.pulumi(...all), other.pulumi(...all)]);
    expect(runs.map(({ output }) => output).join()).not.toContain("error");
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(living(bench.simulator)).toHaveLength(40);
    expect(bench.simulator.requests.length).toBeGreaterThan(50);
  });
});
