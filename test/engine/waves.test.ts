import { type Bench, closeBenches, living, openBench } from "./harness";

/** A fleet in waves: a bad change reaches the first wave only. The endpoint answers 503 while a container is bad. */
const program = `
new gpu.ClusterFleet("chat", {
  count: 8,
  waves: JSON.parse(config.get("waves") ?? '[1, "25%", "100%"]'),
  cluster: {
    gpuType: "l4", container: config.get("container") ?? "acme/chat:1", readinessProbe: { path: "/health", period: 1 },
  },
}, { customTimeouts: { update: "4s" } });
`;

afterAll(closeBenches);

describe("a fleet in waves", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(program, { endpoint: [{ kind: "status", status: 200 }] });
  });
  const release = async (container: string, status: number) => {
    await bench.workspace.succeed("config", "set", "container", container);
    await bench.simulator.endpoint?.answer({ kind: "status", status });
    bench.writes();
  };
  /** Numbers of the clusters by container, in the service. */
  const running = () => {
    const counts: Record<string, number> = {};
    for (const { container } of living(bench.simulator)) counts[container] = (counts[container] ?? 0) + 1;
    return counts;
  };

  it("is created wave by wave", async () => {
    expect((await bench.workspace.up("--parallel", "64")).code).toBe(0);
    const order = bench.simulator.clusters().map(({ name }) => Number(/^chat-(\d)/.exec(name)?.[1]));
    expect(order[0]).toBe(0);
    expect(order[1]).toBe(1);
    expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("shows a new container as changes of all clusters, and no replacement", async () => {
    await release("acme/chat:2", 503);
    const { code, output } = await bench.workspace.preview();
    expect(code).toBe(0);
    expect(output).toMatch(/~ 8 to update/);
    expect(output).not.toMatch(/to replace|to create|to delete/);
  });

  it.each([
    ["acme/chat:2", []],
    ["acme/chat:3", ["--continue-on-error"]],
  ])("stops %s after the first wave (%j)", async (container, options) => {
    await release(container, 503);
    const { code, output } = await bench.workspace.up("--parallel", "64", ...options);
    expect(code).not.toBe(0);
    expect(output).toContain("GET /health answers 503");
    expect(bench.writes().filter((write) => write.startsWith("PATCH"))).toHaveLength(1);
    expect(running()).toEqual({ [container]: 1, "acme/chat:1": 7 });
  });

  it("brings the repaired one to all", async () => {
    await release("acme/chat:4", 200);
    expect((await bench.workspace.up("--parallel", "64")).code).toBe(0);
    expect(running()).toEqual({ "acme/chat:4": 8 });
  });

  it("has no difference when clusters move between waves", async () => {
    await bench.workspace.succeed("config", "set", "waves", '["50%"]');
    bench.writes();
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
    const { code, output } = await bench.workspace.up("--expect-no-changes");
    expect(code).toBe(0);
    expect(output).toMatch(/10 unchanged/);
    expect(bench.writes()).toEqual([]);
  });

  it("is deleted in the opposite order", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    const { simulator } = bench;
    const deleted = simulator.requests
      .filter(({ method }) => method === "DELETE")
      .map(({ path }) => /^chat-(\d)/.exec(simulator.cluster(path.replace(/.*\//, ""))?.name ?? "")?.[1]);
    expect(deleted.slice(0, 4).sort()).toEqual(["4", "5", "6", "7"]);
    expect(deleted.slice(4).sort()).toEqual(["0", "1", "2", "3"]);
  });
});
