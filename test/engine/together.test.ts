import { type Bench, canaryKey, closeBenches, idsOf, living, openBench, openNativeBench } from "./harness";

/** A fleet of which one operation of the engine waits for all clusters. */
const programOf = (count: number) => `
const fleet = new gpu.ClusterFleet("worker", {
  count: Number(config.get("count") ?? ${count}),
  await: "together",
  cluster: {
    gpuType: "l4", container: config.get("container") ?? "acme/worker:1", env: { TOKEN: "canary-env-63b1f0" },
  },
}, { customTimeouts: { create: config.get("limit") ?? "5m", update: config.get("limit") ?? "5m" } });
exports.endpoints = fleet.endpoints;
`;

afterAll(closeBenches);

const healthy = ({ simulator }: Bench) =>
  living(simulator).filter(({ replicaStates }) => replicaStates.every((replica) => replica.healthy)).length;

describe("a fleet that waits together", () => {
  let bench: Bench;
  let shown = "";
  const up = async (...options: string[]) => {
    const { code, output } = await bench.workspace.up(...options);
    shown += output;
    return { code, output };
  };
  beforeAll(async () => {
    const sick = {
      kind: "sick-replica" as const,
      replica: 0,
      message: "no memory: canary-env-63b1f0",
      name: "worker-2-*",
    };
    bench = await openBench(programOf(4), { provisioningMs: 1_500, faults: [sick] });
  });

  it("fails if one cluster does not get ready, names it, and keeps all", async () => {
    await bench.workspace.succeed("config", "set", "limit", "6s");
    const { code, output } = await up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/3 of 4 clusters are ready: run `pulumi up` again to wait/);
    expect(output).toMatch(
      /cluster "worker-2-\w+" \(cl_\w+\) is not ready: timed out after [67]s: 0\/1 replicas healthy/,
    );
    expect(bench.writes()).toHaveLength(4);
  });

  it("waits again at the next up, and sends no write", async () => {
    const ids = idsOf(living(bench.simulator));
    const { code, output } = await up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/3 of 4 clusters are ready/);
    expect(output).not.toMatch(/created|replaced|deleted/);
    const sick = living(bench.simulator).find(({ name }) => name.startsWith("worker-2-"));
    bench.simulator.change(sick?.id ?? "", { status: "running", sickReplica: undefined });
    expect((await up()).code).toBe(0);
    expect(bench.writes()).toEqual([]);
    expect(idsOf(living(bench.simulator))).toEqual(ids);
    const outputs = JSON.parse(await bench.workspace.succeed("stack", "output", "--json"));
    expect(Object.keys(outputs.endpoints)).toEqual(["0", "1", "2", "3"]);
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("waits after a roll-out until the new replicas are healthy, at any parallelism", async () => {
    await bench.workspace.succeed("config", "set", "limit", "5m");
    await bench.workspace.succeed("config", "set", "container", "acme/worker:2");
    const preview = await bench.workspace.preview();
    expect(preview.output).toMatch(/~ 5 to update/);
    expect(preview.output).not.toMatch(/to replace|to create|to delete/);
    expect((await up("--parallel", "2")).code).toBe(0);
    expect(healthy(bench)).toBe(4);
    for (const { deployed } of living(bench.simulator)) expect(deployed.container).toBe("acme/worker:2");
  });

  it("has no difference after a refresh, shows no secret, and is destroyed", async () => {
    shown += (await bench.workspace.refresh()).output;
    bench.writes();
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
    const text = await bench.workspace.stateText();
    for (const secret of ["canary-env", canaryKey]) expect(text + shown).not.toContain(secret);
    expect((await bench.workspace.destroy()).code).toBe(0);
    expect(bench.writes()).toHaveLength(4);
    expect(living(bench.simulator)).toEqual([]);
  });
});

describe("a fleet that moves from waits of its clusters to one wait", () => {
  const argsOf = (mode: string, container: string) => ({
    ...{ count: 2, await: mode },
    cluster: { gpuType: "l4", container: `acme/worker:${container}`, env: { MODE: container } },
  });
  const yaml = (mode: string, container: string) => ({
    resources: { worker: { type: "gpucluster:ClusterFleet", properties: argsOf(mode, container) } },
  });
  const script = (mode: string, container: string) =>
    `new gpu.ClusterFleet("worker", ${JSON.stringify(argsOf(mode, container))});`;

  type Step = readonly [mode: string, container: string];

  it.each<[string, () => Promise<Bench>, (bench: Bench, step: Step) => void]>([
    ["dynamic", () => openBench(""), ({ workspace }, step) => workspace.program(script(...step))],
    ["native", () => openNativeBench({}), ({ workspace }, step) => workspace.yaml(yaml(...step))],
  ])(
    "has no warning and no difference afterwards, with a roll-out and without one (%s)",
    async (_adapter, open, write) => {
      const bench = await open();
      const { workspace } = bench;
      for (const step of [
        ["each", "1"],
        ["together", "1"],
        ["each", "1"],
        ["together", "2"],
      ] as const) {
        write(bench, step);
        const { code, output } = await workspace.up();
        expect([code, output]).toEqual([0, expect.not.stringContaining("warning:")]);
        if (step[0] === "together") expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
      }
      expect(healthy(bench)).toBe(2);
      expect(bench.writes().sort()).toEqual([
        ...Array(2).fill("PATCH /v1/clusters/:id"),
        ...Array(2).fill("POST /v1/clusters"),
      ]);
    },
  );
});

describe("40 clusters that wait together", () => {
  it("take hardly longer at --parallel 4 than at --parallel 64", async () => {
    // At the same time, so that both share the load of the machine.
    const took = async (parallel: string) => {
      const bench = await openBench(programOf(40), { provisioningMs: 40_000 });
      const startMs = Date.now();
      expect((await bench.workspace.up("--parallel", parallel)).code).toBe(0);
      expect(healthy(bench)).toBe(40);
      return Date.now() - startMs;
    };
    const [most, few] = await Promise.all([took("64"), took("4")]);
    // Ten rounds of 40 seconds without it.
    expect(few / most).toBeLessThan(1.4);
  }, 200_000);
});
