import fc from "fast-check";
import type { Fault } from "../../../../simulator";
import { runs } from "../../../support/shares";
import { check } from "../check/harness";
import { type Bench, closeAll, living, openBench } from "../harness";
import { checked, urnOf } from "../inputs";

afterEach(closeAll);

const post = { method: "POST", path: "/v1/clusters" } as const;
const types = ["h200", "h100", "l4"] as const;

interface Wish {
  readonly gpuTypes: readonly string[];
  readonly replicas: number;
  /** The pause before it arrives. */
  readonly afterMs: number;
}

const wish: fc.Arbitrary<Wish> = fc.record({
  gpuTypes: fc.shuffledSubarray([...types], { minLength: 1 }),
  replicas: fc.integer({ min: 1, max: 4 }),
  afterMs: fc.constantFrom(0, 700, 15_000, 25_000),
});
const wishes = fc.array(wish, { minLength: 1, maxLength: 5 });
const stockStep = fc.record({ type: fc.constantFrom(...types), count: fc.nat(6), afterMs: fc.nat(60_000) });

const refusal = (status: number, code: string): Fault => ({ ...post, kind: "status", status, code });
/** Lost answers, before and after the effect, and refusals for the type in spite of the stock. */
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom("before" as const, "after" as const).map((when): Fault => ({ ...post, kind: "drop", when })),
  fc.constant<Fault>({ ...post, kind: "truncate" }),
  fc.constant<Fault>({ ...post, kind: "status", status: 503, when: "after" }),
  fc.constant<Fault>({ ...post, kind: "status", status: 503, when: "after", code: "NODE_AT_CAPACITY" }),
  fc.constantFrom(
    refusal(409, "insufficient_capacity"),
    refusal(400, "invalid_gpu_type"),
    refusal(400, "out_of_stock"),
    refusal(503, "NODE_AT_CAPACITY"),
  ),
);
const spread = fc
  .array(fc.tuple(fault, fc.nat(4)), { maxLength: 4 })
  .map((faults) => faults.map(([one, after]) => ({ ...one, after })));

/** Adds one creation after the other. */
async function arrive(bench: Bench, list: readonly Wish[]) {
  const works = [];
  for (const [index, { gpuTypes, replicas, afterMs }] of list.entries()) {
    await bench.clock.advance(afterMs);
    const name = `web-${index}`;
    const [gpuType, ...others] = gpuTypes;
    const fallbacks = others.length > 0 ? { fallbackGpuTypes: others } : {};
    const news = { ...checked, name, replicas, gpuType, ...fallbacks, waitForCapacity: true };
    const { inputs, refusals } = await check(bench, news, {}, name);
    expect(refusals).toEqual([]);
    const work = bench.cluster.create(bench.ctx({ urn: urnOf(name) }), inputs);
    // A failure counts at the end, not before somebody waits for it.
    work.catch(() => undefined);
    works.push({ name, gpuTypes, work });
  }
  return works;
}

async function openSoldOut(faults: Fault[] = []): Promise<Bench> {
  const bench = await openBench({ faults });
  for (const type of types) bench.simulator.setGpuType(type, { stock: 0 });
  return bench;
}

describe("creations that wait for capacity", () => {
  it("become exactly one cluster each, of a type of their list, whatever is lost, refused, sold and returned", async () => {
    const law = fc.asyncProperty(wishes, fc.array(stockStep, { maxLength: 8 }), spread, async (list, steps, faults) => {
      const bench = await openSoldOut(faults);
      const works = await arrive(bench, list);
      for (const { type, count, afterMs } of steps) {
        await bench.clock.advance(afterMs);
        // The shown number may be another one than the free one.
        bench.simulator.setGpuType(type, { stock: count, shownStock: (count * 7) % 5 });
      }
      for (const type of types) bench.simulator.setGpuType(type, { stock: 100, shownStock: undefined });
      for (const { name, gpuTypes, work } of works) {
        const result = await bench.run(work.catch((error: Error) => error));
        const alive = living(bench.simulator).filter((cluster) => cluster.name === name);
        if (result instanceof Error) expect(alive.length).toBeLessThanOrEqual(1);
        else expect(alive.map(({ id }) => id)).toEqual([result.id]);
        if (result instanceof Error && alive.length > 0) expect(result.message).toContain(`"${name}"`);
        for (const { gpuType } of alive) expect(gpuTypes).toContain(gpuType);
      }
      await closeAll();
    });
    await fc.assert(law, { numRuns: runs(60) });
  }, 120_000);
});
