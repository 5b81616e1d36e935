import type { Properties } from "../../../provider/core";
import { check, old } from "./checkHarness";
import { closeAll, countOf, initErrorOf, living, openBench } from "./harness";
import { checked, existing, least, urnOf } from "./inputs";

afterEach(closeAll);

/** What the engine asks twice, or without what it said before. */

describe("a creation that the engine asks for again, as an error hook of the program has it do,", () => {
  const sick = { kind: "sick-replica", replica: 0, message: "no driver" } as const;

  it("goes on with the cluster that there is", async () => {
    const bench = await openBench({ faults: [sick] });
    const create = (timeoutMs: number) => bench.cluster.create(bench.ctx({ timeoutMs }), checked);
    const first = await bench.run(initErrorOf(create(60_000)));
    const second = await bench.run(initErrorOf(create(60_000)));
    expect(second.id).toBe(first.id);
    bench.simulator.change(first.id, { sickReplica: undefined });
    const { id, state } = await bench.run(create(600_000));
    expect([id, state["settled"]]).toEqual([first.id, true]);
    expect(living(bench.simulator)).toHaveLength(1);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
  });

  it("goes on with it also after an attempt that could not even look", async () => {
    const bench = await openBench({ faults: [sick] });
    const create = () => bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), checked);
    const { id } = await bench.run(initErrorOf(create()));
    bench.simulator.change(id, { sickReplica: undefined });
    bench.simulator.fault({ kind: "status", status: 403, method: "GET", times: 1 });
    expect((await bench.run(initErrorOf(create()))).id).toBe(id);
    expect((await bench.run(create())).id).toBe(id);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
  });

  it("is a creation of its own once the first cluster was deleted, in a process that outlives its run", async () => {
    const bench = await openBench({ faults: [sick] });
    const create = () => bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), checked);
    const { id, state } = await bench.run(initErrorOf(create()));
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect((await bench.run(create())).id).not.toBe(id);
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("is a creation of its own for another name", async () => {
    const bench = await openBench({ faults: [sick] });
    const create = (name: string) => bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), { ...checked, name });
    const { id } = await bench.run(initErrorOf(create("web")));
    expect((await bench.run(create("web-2"))).id).not.toBe(id);
  });
});

describe("a cluster that is replaced because another one is", () => {
  it("keeps its name, though it is checked as if it were new", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    const news: Properties = { ...least, name: "web", gpuType: "l4" };
    bench.cluster.diff({ ...existing, name: "web" }, news, { urn: urnOf("web") });
    expect((await check(bench, news)).refusals).toEqual([]);
    expect((await check(bench, news, {}, "stranger")).refusals).not.toEqual([]);
  });
});

describe("the option ignoreChanges for everything", () => {
  it("gives back the outputs among the inputs, which are no mistake of the program", async () => {
    const bench = await openBench();
    const olds = old({ hourlyCost: 2.99, endpoint: "https://web.example.com", createdAt: "2026-11-21T00:00:00.000Z" });
    const { refusals, inputs } = await check(bench, { ...olds }, olds);
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ name: existing["name"], endpoint: "https://web.example.com" });
    expect((await check(bench, { ...olds, endpoint: "https://mine.example.com" }, olds)).refusals).toEqual([
      expect.stringMatching(/^endpoint: is not an input of a cluster/),
    ]);
  });
});
