import { awaitTogether } from "../../../provider/cluster/readiness";
import type { SimulatorOptions } from "../../../simulator";
import { type Bench, closeAll, openBench } from "./harness";
import { checked, urnOf } from "./inputs";

afterEach(closeAll);

interface Line {
  readonly row: "resource" | "stack";
  readonly text: string;
  readonly second: number;
}

/** Creates clusters at once, and returns their progress. */
async function createMany(names: readonly string[], options: SimulatorOptions, work?: (bench: Bench) => void) {
  const bench = await openBench(options);
  work?.(bench);
  const lines: Line[] = [];
  const startMs = bench.clock.now();
  const status = (text: string, row: Line["row"] = "resource") =>
    void lines.push({ row, text, second: (bench.clock.now() - startMs) / 1000 });
  const creations = names.map((name) =>
    bench.cluster.create(bench.ctx({ urn: urnOf(name), status }), { ...checked, name }),
  );
  const ended = await bench.run(Promise.allSettled(creations));
  return { lines, ended, ofStack: lines.filter(({ row }) => row === "stack") };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `web-${index}`);

describe("the row of the stack", () => {
  it("shows how many of several clusters are ready, at most each 5 s, and all of them at the end", async () => {
    const { ofStack, ended } = await createMany(names(20), { provisioningMs: 120_000 });
    expect(ended.map(({ status }) => status)).toEqual(Array(20).fill("fulfilled"));
    expect(ofStack[0]?.text).toBe("0/20 clusters ready");
    expect(ofStack[0]?.second).toBeLessThanOrEqual(30);
    expect(ofStack.at(-1)?.text).toBe("20/20 clusters ready");
    const seconds = ofStack.slice(0, -1).map(({ second }) => second);
    for (const [index, second] of seconds.slice(1).entries())
      expect(second - (seconds[index] ?? 0)).toBeGreaterThanOrEqual(5);
  });

  it("counts replicas if those of all clusters are known, and the clusters are few", async () => {
    // One replica of one of the clusters is sick.
    const sick = { kind: "sick-replica", replica: 1, message: "no driver" } as const;
    const { ofStack } = await createMany(names(2), { provisioningMs: 1_000, faults: [sick] });
    expect(ofStack.map(({ text }) => text)).toEqual(["3/4 replicas healthy"]);
  });

  it("stays empty for one cluster, whose own row shows everything", async () => {
    expect((await createMany(names(1), { provisioningMs: 120_000 })).ofStack).toEqual([]);
  });

  it.each([2, 3, 20])("adds no line to the output of %d clusters: a total replaces repetitions", async (count) => {
    for (const provisioningMs of [5_000, 40_000, 300_000]) {
      const withTotals = await createMany(names(count), { provisioningMs });
      const without = await createMany(names(count), { provisioningMs }, ({ service }) => {
        jest.spyOn(service.poller.totals, "replaces").mockReturnValue(false);
      });
      expect(without.ofStack).toEqual([]);
      expect(withTotals.lines.length).toBeLessThanOrEqual(without.lines.length);
    }
  });

  it("counts the replicas that the service wants now, if the inputs give a range", async () => {
    const bench = await openBench({ provisioningMs: 90_000 });
    const texts: string[] = [];
    const status = (text: string, row?: string) => void (row === "stack" && texts.push(text));
    const make = (name: string) =>
      bench.cluster.create(bench.ctx({ urn: urnOf(name), status }), { ...checked, name, replicas: { min: 2, max: 8 } });
    const raised = bench.clock.sleep(3_000).then(() => {
      for (const { id } of bench.simulator.clusters()) bench.simulator.change(id, { replicas: 5 });
    });
    await bench.run(Promise.all([...names(2).map(make), raised]));
    expect(texts.at(-1)).toBe("10/10 replicas healthy");
  });

  it("counts a cluster once that is waited for again, as by a roll-back", async () => {
    const rows: (string | undefined)[] = [];
    const bench = await openBench({ provisioningMs: 120_000 });
    const ctx = bench.ctx({ status: (_text, row) => void rows.push(row) });
    const web = { ...checked, desiredStatus: "running", onFailedUpdate: "rollBack" };
    const { id, state } = await bench.run(bench.cluster.create(ctx, web));
    void bench.clock.sleep(90_000).then(() => bench.simulator.change(id, { status: "failed" }));
    const update = bench.cluster.update(ctx, id, state, { ...web, container: "team/server:2" });
    await expect(bench.run(update)).rejects.toThrow("Rolled back: 2/2 replicas healthy");
    expect(rows).not.toContain("stack");
  });

  it("shows the total of a fleet that is waited for together, beside the row of its wait", async () => {
    const bench = await openBench({ provisioningMs: 120_000 });
    const made = await bench.run(
      Promise.all(
        names(3).map((name) =>
          bench.cluster.create(bench.ctx(), { ...checked, name, desiredStatus: "running", skipAwait: true }),
        ),
      ),
    );
    const clusters = Object.fromEntries(made.map(({ id, state }, key) => [key, { ...state, id, skipAwait: false }]));
    const lines: Line[] = [];
    const status = (text: string, row: Line["row"] = "resource") => void lines.push({ row, text, second: 0 });
    await bench.run(awaitTogether(() => bench.service, bench.ctx({ status }), { clusters }));
    const textsOf = (row: Line["row"]) => lines.filter((line) => line.row === row).map(({ text }) => text);
    expect(textsOf("stack").at(-1)).toBe("6/6 replicas healthy");
    for (const text of textsOf("resource")) expect(text).not.toMatch(/ready; \d: (\d\/3 clusters|\d\/6 replicas)/);
  });

  it("does not count a cluster that fails as ready", async () => {
    const { ofStack, ended } = await createMany(names(3), { provisioningMs: 120_000 }, ({ simulator, clock }) => {
      void clock.sleep(60_000).then(() => simulator.change(simulator.clusters()[0]?.id ?? "", { status: "failed" }));
    });
    expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(ofStack.at(-1)?.text).toMatch(/^2\/3 clusters ready$|^4\/6 replicas healthy$/);
  });
});
