import fc from "fast-check";
import type { ClusterRecord } from "../../../provider/api/records";
import { type Properties, UNKNOWN } from "../../../provider/core";
import { type Dialect, dialects } from "../../../simulator";
import { runs } from "../../support/shares";
import { type BenchOptions, closeAll, forget, initErrorOf, openBench, writes } from "./harness";
import { least, urnOf } from "./inputs";
import { patch, redeploy, restart, scale, stop } from "./powerHarness";
import { OneCluster } from "./replicaStack";

/** `replicas: { min, max }`: within the range, the number belongs to somebody else. */

afterEach(closeAll);

const range = { min: 2, max: 8 };
const web: Properties = { ...least, name: "web", env: { MODEL: "one" }, replicas: range };

async function opened(program: Properties = web, options: BenchOptions = {}) {
  const stack = new OneCluster(await openBench(options));
  await stack.up(program);
  return stack;
}

/** A cluster of which somebody has changed the number. */
async function scaled(replicas: number, options: BenchOptions = {}) {
  const stack = await opened(web, options);
  await stack.scaleTo(replicas);
  return stack;
}

describe("a creation", () => {
  it("asks for the least number, and the state has a number", async () => {
    const stack = await opened();
    expect(stack.sentCounts()).toEqual([2]);
    expect(stack.state).toMatchObject({ replicas: 2, readyReplicas: 2, hourlyCost: 5.98, settled: true });
    expect(stack.inputs).toMatchObject({ replicas: range });
    expect(await stack.toDo(web)).toEqual([]);
  });

  it("shows the range of the cost, and one number as its output in a preview", async () => {
    const bench = await openBench();
    const inputs = await new OneCluster(bench).check(web);
    expect(bench.said).toContain("info: web: costs 5.98 to 23.92 USD per hour: 2 to 8 x h100 at 2.99 USD");
    expect(inputs["hourlyCost"]).toBe(5.98);
    expect(bench.cluster.preview(inputs)).toMatchObject({ replicas: 2 });
  });

  it("waits for the number that the service wants now, if that changes within the range", async () => {
    const bench = await openBench();
    const stack = new OneCluster(bench);
    const inputs = await stack.check(web);
    const work = bench.cluster.create(bench.ctx(), inputs);
    const raised = bench.clock.sleep(3_000).then(() => {
      const [cluster] = bench.simulator.clusters();
      bench.simulator.change(cluster?.id ?? "", { replicas: 5 });
    });
    const [{ state }] = await bench.run(Promise.all([work, raised]));
    expect(state).toMatchObject({ settled: true, readyReplicas: 5 });
  });
});

describe("another number within the range", () => {
  it("is no difference, and the state follows it", async () => {
    const stack = await scaled(6);
    await stack.refresh();
    expect(await stack.toDo(web)).toEqual([]);
    expect(stack.state).toMatchObject({ replicas: 6, readyReplicas: 6, hourlyCost: 17.94, settled: true });
    expect(stack.inputs).toMatchObject({ replicas: range });
  });

  it.each<[string, Properties, string[]]>([
    ["another container", { container: "team/server:2" }, [patch]],
    ["another env", { env: { MODEL: "two" } }, [patch]],
    ["an extra field", { extraFields: { tier: "community" } }, [patch]],
    ["a restart", { restartTriggers: { on: 1 } }, [restart]],
    ["a redeploy", { redeployTriggers: { on: 1 } }, [redeploy]],
    ["a stop", { desiredStatus: "stopped" }, [stop]],
    ["another wait", { minHealthyReplicas: 2 }, []],
    ["a wider range", { replicas: { min: 1, max: 9 } }, []],
  ])("stays with %s", async (_title, changes, calls) => {
    const stack = await scaled(6, { dialect: { extraFields: "stored" } });
    await stack.up({ ...web, ...changes });
    expect(writes(stack.bench.simulator)).toEqual(calls);
    expect(stack.count).toBe(6);
    for (const count of stack.sentCounts()) expect(count).toBe(6);
    expect(stack.state).toMatchObject({ settled: true });
    await stack.refresh();
    expect(await stack.toDo({ ...web, ...changes })).toEqual([]);
  });

  it.each([true, false])("stays if it comes during an update whose answer has a record: %s", async (hasRecord) => {
    const stack = await opened(web, {
      client: (real) => ({
        updateCluster: async (id, ...rest) => {
          const answer = await real.updateCluster(id, ...rest);
          stack.bench.simulator.change(id, { replicas: 7 });
          return hasRecord ? answer : undefined;
        },
      }),
    });
    await stack.up({ ...web, container: "team/server:2" });
    expect(writes(stack.bench.simulator)).toEqual([patch]);
    expect(stack.count).toBe(7);
    expect(stack.state).toMatchObject({ replicas: 7, readyReplicas: 7, settled: true });
  });

  it("stays if it comes with a start", async () => {
    const stack = await scaled(6, {
      dialect: { extraFields: "stored" },
      client: (real) => ({
        restartCluster: async (id, ...rest) => {
          const answer = await real.restartCluster(id, ...rest);
          stack.bench.simulator.change(id, { replicas: 4 });
          return answer;
        },
      }),
    });
    await stack.up({ ...web, desiredStatus: "stopped" });
    await stack.up({ ...web, extraFields: { tier: "community" } });
    expect(stack.sentCounts()).toEqual([]);
    expect(stack.count).toBe(4);
  });

  it("stays after an update that did not finish", async () => {
    const stack = await scaled(6);
    Object.assign(stack.state, { settled: false, __unfinished: "rollout" });
    await stack.up(web);
    expect(stack.sentCounts()).toEqual([]);
    expect(stack.count).toBe(6);
  });

  it("is that of a start", async () => {
    const stack = await scaled(6);
    await stack.up({ ...web, desiredStatus: "stopped" });
    await stack.up(web);
    expect(stack.count).toBe(6);
    for (const count of stack.sentCounts()) expect(count).toBe(6);
    expect(stack.state).toMatchObject({ desiredStatus: "running", readyReplicas: 6 });
  });

  it("is settled for a refresh while replicas beyond the minimum are still starting", async () => {
    const stack = await scaled(4);
    stack.bench.simulator.change(stack.id, { sickReplica: { replica: 3, message: "pulling" } });
    await stack.refresh();
    expect(stack.state).toMatchObject({ replicas: 4, readyReplicas: 3, settled: true });
    expect(await stack.toDo(web)).toEqual([]);
  });
});

describe("a number that an update without a refresh has observed", () => {
  const urn = urnOf("web");
  const next = { ...web, env: { MODEL: "two" } };

  /** The inputs of the engine still have the number of the creation. */
  async function observed(options: BenchOptions = {}) {
    const stack = await scaled(6, options);
    await stack.up(next);
    expect(stack.state).toMatchObject({ replicas: 6, hourlyCost: 17.94 });
    expect(stack.inputs).toMatchObject({ replicas: range, __replicas: 2 });
    return stack;
  }

  it("is that of the next preview, which shows no other cost", async () => {
    const { bench, state, ...stack } = await observed();
    const inputs = await bench.run(bench.cluster.check(bench.ctx(), web, stack.inputs));
    expect(Object.keys(bench.cluster.diff(state, inputs.inputs).changes)).toEqual(["env.MODEL"]);
    expect(bench.cluster.preview(inputs.inputs, state)).toMatchObject({ replicas: 6, hourlyCost: 17.94 });
  });

  it("shows the cost that a stop ends", async () => {
    const stack = await observed();
    expect(await stack.toDo({ ...next, desiredStatus: "stopped" })).toEqual(["desiredStatus", "hourlyCost"]);
  });

  it("is that of a replacement", async () => {
    const { bench, state, ...stack } = await observed();
    const other = { ...next, gpuType: "a100-80gb" };
    const first = await bench.run(bench.cluster.check(bench.ctx(), other, stack.inputs));
    bench.cluster.diff(state, first.inputs, { id: stack.id, urn });
    const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), other));
    expect(inputs).toMatchObject({ replicas: range, __replicas: 6, hourlyCost: 10.74 });
    expect(bench.said.join("\n")).toContain("the old cluster with its 6 replicas is deleted");
  });

  it("is that of a start, if the service shows none of a stopped cluster", async () => {
    const hidden = (record: ClusterRecord) =>
      record.status === "stopped" ? { ...record, replicas: undefined } : record;
    const stack = await observed({
      client: ({ getCluster, listClusters }) => ({
        getCluster: async (...args) => hidden(await getCluster(...args)),
        listClusters: async (...args) => {
          const list = await listClusters(...args);
          return { ...list, clusters: list.clusters.map(hidden) };
        },
      }),
    });
    await stack.up({ ...next, desiredStatus: "stopped" });
    expect(stack.state).toMatchObject({ replicas: 6, hourlyCost: 0 });
    await stack.up(next);
    expect(stack.count).toBe(6);
    expect(stack.state).toMatchObject({ replicas: 6, hourlyCost: 17.94 });
  });
});

describe("a roll-back", () => {
  it.each([
    [5, 5],
    [10, 8],
    [1, 2],
  ])(
    "of a cluster that has %d replicas by now asks for %d, and the old program has nothing to do",
    async (now, next) => {
      const fault = { kind: "sick-replica", replica: 0, message: "no memory", container: "a/b:2" } as const;
      const program = { ...web, onFailedUpdate: "rollBack" };
      const stack = await opened(program, { faults: [fault], provisioningMs: 20_000 });
      const { bench, id } = stack;
      const inputs = await stack.check({ ...program, container: "a/b:2" });
      forget(bench);
      const work = bench.cluster.update(bench.ctx({ timeoutMs: 120_000 }), id, stack.state, inputs);
      const moved = bench.clock.sleep(40_000).then(() => bench.simulator.change(id, { replicas: now }));
      const [{ reasons, state }] = await bench.run(Promise.all([initErrorOf(work), moved]));
      expect(reasons.join()).toContain(`Rolled back: ${next}/${next} replicas healthy`);
      expect(stack.sentCounts()).toEqual(now === next ? [] : [next]);
      Object.assign(stack, { state, inputs });
      expect(await stack.toDo(program)).toEqual([]);
      await stack.refresh();
      expect(await stack.toDo(program)).toEqual([]);
      expect(stack).toMatchObject({ count: next, state: { replicas: next, settled: true } });
    },
  );
});

describe("a change of the range", () => {
  it.each<[string, number, unknown, unknown, string[], number]>([
    ["a number to a range that has it", 4, 4, range, [], 4],
    ["a number to a range above it", 4, 4, { min: 5, max: 8 }, [scale], 5],
    ["a range to one below the number", 6, range, { min: 2, max: 4 }, [scale], 4],
    ["a range to the number that runs, which the state does not know", 6, range, 6, [], 6],
    ["a range to the number that the state knows", 6, range, 2, [scale], 2],
  ])("of %s", async (_title, running, from, to, calls, after) => {
    const stack = await opened({ ...web, replicas: from });
    await stack.scaleTo(running);
    const next = { ...web, replicas: to };
    expect((await stack.toDo(next)).filter((path) => path !== "hourlyCost")).toEqual(["replicas"]);
    await stack.up(next);
    expect(writes(stack.bench.simulator)).toEqual(calls);
    expect(stack.count).toBe(after);
    await stack.refresh();
    expect(await stack.toDo(next)).toEqual([]);
  });

  it("shows the capacity that goes away", async () => {
    const stack = await scaled(6);
    await stack.refresh();
    forget(stack.bench);
    await stack.check({ ...web, replicas: { min: 2, max: 4 } });
    expect(stack.bench.said).toContain("warning: web: 6 -> 4 replicas: 2 are removed");
  });
});

describe("a number outside the range", () => {
  it("is no difference after a refresh if the program ignores its changes", async () => {
    const stack = await scaled(12);
    await stack.refresh();
    expect(stack.inputs).toMatchObject({ replicas: 12 });
    const frozen = stack.inputs ?? {};
    for (const program of [{ ...web, replicas: 12 }, frozen]) expect(await stack.toDo(program)).toEqual([]);
    await stack.up({ ...web, replicas: 12, env: { MODEL: "two" } });
    expect(writes(stack.bench.simulator)).toEqual([patch]);
    expect(stack.count).toBe(12);
    await stack.refresh();
    expect(await stack.toDo({ ...web, replicas: 12, env: { MODEL: "two" } })).toEqual([]);
  });
});

describe("an existing cluster", () => {
  it.each([
    [5, [], 5],
    [12, [scale], 8],
    [1, [scale], 2],
  ])("of %s replicas is adopted", async (replicas, calls, after) => {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster({
      name: "web",
      gpuType: "h100",
      container: least["container"] as string,
      replicas,
    });
    const stack = new OneCluster(bench);
    const { env, ...others } = web;
    await stack.up({ ...others, adopt: id });
    expect(writes(bench.simulator)).toEqual(calls);
    expect(stack.count).toBe(after);
    expect(stack.state).toMatchObject({ replicas: after, settled: true });
    expect(await stack.toDo({ ...others, adopt: id })).toEqual([]);
  });
});

describe("the limits of the cost", () => {
  it("count the greatest number", async () => {
    const text = "is 20.00, but the cluster would cost 5.98 to 23.92 USD per hour: 2 to 8 x h100 at 2.99 USD";
    await expect(new OneCluster(await openBench()).check({ ...web, maxHourlyCost: 20 })).rejects.toThrow(text);
    const sum = "is 20.00, but the clusters seen so far cost 23.92 USD per hour: web 23.92 (2 to 8 x h100 at 2.99 USD)";
    const limited = await openBench({ settings: { maxHourlyCost: 20 } });
    await expect(new OneCluster(limited).check(web)).rejects.toThrow(sum);
  });

  it("count nothing of a stopped cluster", async () => {
    const bench = await openBench({ settings: { maxHourlyCost: 1 } });
    expect(await new OneCluster(bench).check({ ...web, desiredStatus: "stopped" })).toMatchObject({ hourlyCost: 0 });
  });
});

describe("the rules of a range", () => {
  const refused = async (changes: Properties) => {
    const bench = await openBench();
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...web, ...changes }));
    return failures.map(({ property, reason }) => `${property} ${reason}`);
  };

  it.each<[Properties, string[]]>([
    [{ replicas: { min: 0, max: 3 } }, ["replicas.min must be a whole number from 1 to 10000, got 0"]],
    [{ replicas: { min: 1, max: 10_001 } }, ["replicas.max must be a whole number from 1 to 10000, got 10001"]],
    [{ replicas: { min: 1.5, max: 3 } }, ["replicas.min must be a whole number from 1 to 10000, got 1.5"]],
    [{ replicas: { min: 4, max: 3 } }, ["replicas.min must not be more than `max`, which is 3"]],
    [{ replicas: { min: 1 } }, ["replicas.max is required; it must be a whole number from 1 to 10000"]],
    [{ replicas: { min: 1, max: 2, target: 1 } }, ["replicas.target is not a field of `replicas`"]],
    [{ replicas: "two" }, ["replicas must be a whole number from 1 to 10000, or a range such as { min: 2, max: 8 }"]],
    [{ minHealthyReplicas: 3 }, ["minHealthyReplicas must not be more than `replicas.min`, which is 2"]],
    [{ minHealthyReplicas: 2 }, []],
    [{ minHealthyReplicas: "50%" }, []],
    [{ replicas: { min: 3, max: 3 } }, []],
    [{ replicas: { min: UNKNOWN, max: 3 } }, []],
    [{ replicas: UNKNOWN }, []],
  ])("of %j", async (changes, texts) => {
    expect(await refused(changes)).toEqual(texts);
  });

  it("leave a range with a bound that is not known yet as it is, and its number and cost open", async () => {
    const bench = await openBench();
    const unknown = { min: 2, max: UNKNOWN };
    const inputs = await new OneCluster(bench).check({ ...web, replicas: unknown });
    expect(inputs).toMatchObject({ replicas: unknown, hourlyCost: UNKNOWN });
    expect(bench.cluster.preview(inputs)).toMatchObject({ replicas: UNKNOWN });
  });
});

/** What the program and others do within a range. */
type Step = Readonly<{ scaleTo?: number; changes?: Properties; refreshes?: boolean }>;

const anyRange = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }))
  .map(([min, more]) => ({ min, max: min + more }));
const anyChange = fc.constantFrom<Properties>(
  { container: "team/server:2" },
  { container: "team/server:3" },
  { env: { MODEL: "two" } },
  { env: { MODEL: "three", MORE: "x" } },
  { restartTriggers: { on: 1 } },
  { redeployTriggers: { on: 1 } },
  { desiredStatus: "stopped" },
  { desiredStatus: "running" },
);
const anyStep = (max: number): fc.Arbitrary<Step> =>
  fc.record(
    { scaleTo: fc.integer({ min: 1, max }), changes: anyChange, refreshes: fc.boolean() },
    { requiredKeys: [] },
  );
const anyWalk = anyRange.chain((bounds) =>
  fc.record({
    bounds: fc.constant(bounds),
    dialect: fc.constantFrom(...Object.keys(dialects)),
    steps: fc.array(anyStep(bounds.max), { minLength: 1, maxLength: 4 }),
  }),
);

it("no number within the range is ever sent but the present one, whatever else changes, in any dialect", async () => {
  await fc.assert(
    fc.asyncProperty(anyWalk, async ({ bounds, dialect, steps }) => {
      let program: Properties = { ...web, replicas: bounds };
      const stack = await opened(program, { dialect: dialects[dialect] as Dialect });
      for (const { scaleTo, changes, refreshes } of steps) {
        const isStopped = stack.state["desiredStatus"] === "stopped";
        if (scaleTo !== undefined && scaleTo >= bounds.min && !isStopped) await stack.scaleTo(scaleTo);
        if (refreshes) await stack.refresh();
        program = { ...program, ...changes };
        const present = stack.count;
        await stack.up(program);
        for (const count of stack.sentCounts()) expect(count).toBe(present);
        if (!isStopped) expect(writes(stack.bench.simulator)).not.toContain(scale);
        expect(stack.count).toBe(present);
        expect(await stack.toDo(program)).toEqual([]);
      }
      await closeAll();
    }),
    { numRuns: runs(120) },
  );
}, 120_000);

it("a number outside the range always ends at the nearest bound", async () => {
  const any = fc.record({
    bounds: anyRange,
    count: fc.integer({ min: 1, max: 12 }),
    dialect: fc.constantFrom(...Object.keys(dialects)),
  });
  await fc.assert(
    fc.asyncProperty(any, async ({ bounds, count, dialect }) => {
      const program = { ...web, replicas: bounds };
      const stack = await opened(program, { dialect: dialects[dialect] as Dialect });
      await stack.scaleTo(count);
      await stack.refresh();
      await stack.up(program);
      const nearest = Math.min(Math.max(count, bounds.min), bounds.max);
      expect(stack.count).toBe(nearest);
      expect(writes(stack.bench.simulator)).toHaveLength(nearest === count ? 0 : 1);
      expect(stack.state).toMatchObject({ replicas: nearest, settled: true });
      await stack.refresh();
      expect(await stack.toDo(program)).toEqual([]);
      await closeAll();
    }),
    { numRuns: runs(90) },
  );
}, 120_000);
