import { allot, type Claim, type Supply, stockText } from "../../../provider/cluster/capacity";
import { type Properties, UNKNOWN } from "../../../provider/core";
import { InterruptedError } from "../../../provider/errors";
import type { Simulator } from "../../../simulator";
import { failingLists, post } from "./createOnceHarness";
import { type Bench, type BenchOptions, closeAll, failureOf, forget, living, openBench, writes } from "./harness";
import { checked, urnOf } from "./inputs";
import { check, old } from "./preview/harness";

afterEach(closeAll);

const minute = 60_000;
const creation = "POST /v1/clusters";
const waiting = (news: Properties = {}): Properties => ({ ...checked, waitForCapacity: true, ...news });
const stocks = ({ simulator }: Bench, stock: Readonly<Record<string, number>>) => {
  for (const [type, count] of Object.entries(stock)) simulator.setGpuType(type, { stock: count });
};
const warnings = ({ said }: Bench) => said.filter((line) => line.startsWith("warning"));
const statuses = ({ said }: Bench) => said.filter((line) => line.startsWith("status: waiting"));
const lookups = ({ requests }: Simulator) => requests.filter(({ path }) => path.startsWith("/v1/gpus")).length;

/** A check, as `up` makes it, and then the creation. */
async function begin(bench: Bench, news: Properties, ctx: Parameters<Bench["ctx"]>[0] = {}) {
  const name = String(news["name"]);
  const { inputs, refusals } = await check(bench, news, {}, name);
  expect(refusals).toEqual([]);
  const made = bench.cluster.create(bench.ctx({ urn: urnOf(name), ...ctx }), inputs);
  return { inputs, made };
}

/** The names of the clusters in the order of their creation, with their type. */
const made = ({ simulator }: Bench) => living(simulator).map(({ name, gpuType }) => `${name} ${gpuType}`);

describe("a creation that waits for capacity", () => {
  it("creates the cluster when a type of the list has enough, and shows what it waits for", async () => {
    const bench = await openBench();
    stocks(bench, { h200: 0, h100: 1 });
    const { made: work } = await begin(bench, waiting({ gpuType: ["h200", "h100"] }), { timeoutMs: 30 * minute });
    forget(bench);
    await bench.clock.advance(minute);
    expect(writes(bench.simulator)).toEqual([]);
    expect(statuses(bench)).toEqual([
      "status: waiting for capacity: 0 of 2 h200, 1 of 2 h100 free, 0s of 30m",
      ...["20s", "40s", "1m"].map(
        (time) => `status: waiting for capacity: 0 of 2 h200, 1 of 2 h100 free, ${time} of 30m`,
      ),
    ]);
    stocks(bench, { h100: 2 });
    const { state } = await bench.run(work);
    expect(state).toMatchObject({ gpuType: "h100", settled: true, hourlyCost: 5.98 });
    expect(state).not.toHaveProperty("__gpuTypes");
    expect(writes(bench.simulator)).toEqual([creation]);
    expect(warnings(bench)).toEqual([]);
  });

  it("costs one lookup if there is capacity", async () => {
    const bench = await openBench();
    const { made: work } = await begin(bench, waiting());
    forget(bench);
    await bench.run(work);
    expect(lookups(bench.simulator)).toBe(1);
    expect(statuses(bench)).toEqual([]);
  });

  it("shows no difference in the next preview, whichever type it took, and if only the wait is removed", async () => {
    const bench = await openBench();
    stocks(bench, { h200: 0, h100: 0 });
    const { inputs, made: work } = await begin(bench, waiting({ gpuType: ["h200", "h100"] }));
    await bench.clock.advance(minute);
    stocks(bench, { h100: 8 });
    const { state } = await bench.run(work);
    for (const waitForCapacity of [true, undefined]) {
      const next = { ...bench, cluster: bench.as("seen") };
      const again = await check(next, waiting({ gpuType: ["h200", "h100"], waitForCapacity }), inputs);
      expect(next.cluster.diff(state, again.inputs).changes).toEqual({});
    }
  });

  it("does not wait if a cluster has its name, because that would fail at the end", async () => {
    const bench = await openBench();
    stocks(bench, { h100: 0 });
    const { inputs } = await begin(bench, waiting({ name: "other" }));
    await bench.clock.advance(minute);
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2 });
    forget(bench);
    const error = await bench.run(failureOf(bench.as("seen").create(bench.ctx(), { ...inputs, name: "web" })));
    expect(error.message).toContain(`is already the name of ${id}`);
    expect(statuses(bench)).toEqual([]);
  });

  it("does not wait once more if the answer to its request was lost, and a cluster may hold the GPUs", async () => {
    const bench = await openBench({ faults: [{ ...post, kind: "drop", when: "after" }, failingLists(503, 1)] });
    const { inputs, made: work } = await begin(bench, waiting(), { timeoutMs: minute });
    expect((await bench.run(failureOf(work))).message).toContain("may have been created");
    stocks(bench, { h100: 0 });
    forget(bench);
    const again = await bench.run(failureOf(bench.cluster.create(bench.ctx({ timeoutMs: minute }), inputs)));
    expect(again.message).not.toContain("timed out after 1m, 0 of 2 h100 free");
    expect(statuses(bench)).toEqual([]);
  });

  it("fails at the time limit with the last stock, and has created nothing", async () => {
    const bench = await openBench();
    stocks(bench, { h200: 0, h100: 1 });
    const { made: work } = await begin(bench, waiting({ gpuType: ["h200", "h100"] }), { timeoutMs: 6 * minute });
    const { message } = await bench.run(failureOf(work));
    expect(message).toBe(
      'cluster "web" was not created: timed out after 6m, 0 of 2 h200, 1 of 2 h100 free. ' +
        "To wait longer, set `customTimeouts`, and run `pulumi up` again",
    );
    expect(writes(bench.simulator)).toEqual([]);
    await expectNoTrace(bench);
  });

  it.each<[string, BenchOptions, number]>([
    ["between two lookups", {}, 5_000],
    [
      "during a lookup",
      { wire: (real) => (request) => (isStock(request) ? new Promise(() => undefined) : real(request)) },
      0,
    ],
  ])("ends with an interrupt at once, and has created nothing: %s", async (_title, options, afterMs) => {
    const bench = await openBench(options);
    stocks(bench, { h100: 0 });
    const controller = new AbortController();
    const work = bench.cluster.create(bench.ctx({ signal: controller.signal }), waiting());
    const ended = failureOf(work);
    await bench.clock.advance(afterMs);
    const atMs = bench.clock.now();
    controller.abort(new InterruptedError("interrupted"));
    const error = await ended;
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error.message).toBe('cluster "web": the wait for capacity was interrupted. Nothing was created');
    expect(bench.clock.now()).toBe(atMs);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("holds the limit of the cost for the type that it takes", async () => {
    const bench = await openBench();
    stocks(bench, { h200: 0, l4: 0 });
    const { made: work } = await begin(bench, waiting({ gpuType: ["l4", "h200"], maxHourlyCost: 5 }));
    const failed = failureOf(work);
    await bench.clock.advance(minute);
    stocks(bench, { h200: 8 });
    expect((await bench.run(failed)).message).toMatch(
      /`maxHourlyCost` is 5.00, but .* 7\.98.* 2 x h200.*Nothing was sent/,
    );
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("counts each GPU of a replica", async () => {
    const bench = await openBench({ dialect: { extraFields: "stored" } });
    stocks(bench, { h100: 15 });
    const news = waiting({ extraFields: { gpus_per_replica: 8 } });
    const { made: work } = await begin(bench, news);
    await bench.clock.advance(minute);
    expect(statuses(bench)[0]).toContain("15 of 16 h100 free");
    stocks(bench, { h100: 16 });
    await bench.run(work);
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it("is what a replacement does, and no update, no start and no adoption", async () => {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2 });
    stocks(bench, { h100: 0 });
    const adopted = await bench.run(bench.cluster.create(bench.ctx(), waiting({ adopt: id })));
    expect(adopted.id).toBe(id);
    const grown = failureOf(bench.cluster.update(bench.ctx(), id, adopted.state, waiting({ replicas: 3 })));
    expect((await bench.run(grown)).message).toMatch(/insufficient_capacity/);
  });
});

const isStock = ({ path }: { readonly path: string }) => path.startsWith("/v1/gpus");

/** No wait is left behind that keeps the process alive. */
async function expectNoTrace({ clock, simulator }: Bench): Promise<void> {
  const before = simulator.requests.length;
  await clock.advance(10 * minute);
  expect(simulator.requests).toHaveLength(before);
  expect(clock.sleeping).toBe(0);
}

describe("several creations that wait for capacity", () => {
  it.each<[string, BenchOptions, number]>([
    ["one endpoint", {}, 1],
    ["two endpoints, if the types show no stock", { client: withoutStock("listGpuTypes") }, 2],
  ])("20 of them need at most 4 lookups a minute: %s", async (_title, options, endpoints) => {
    const bench = await openBench(options);
    stocks(bench, { h100: 0 });
    const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
    const works: Promise<unknown>[] = [];
    for (const name of names) {
      works.push(bench.cluster.create(bench.ctx({ urn: urnOf(name) }), waiting({ name })));
      await bench.clock.advance(1_500);
    }
    forget(bench);
    await bench.clock.advance(10 * minute);
    expect(lookups(bench.simulator)).toBeGreaterThan(25 * endpoints);
    expect(lookups(bench.simulator)).toBeLessThanOrEqual(40 * endpoints);
    expect(writes(bench.simulator)).toEqual([]);
    stocks(bench, { h100: 64 });
    await bench.run(Promise.all(works));
    expect(writes(bench.simulator)).toEqual(Array(20).fill(creation));
  });

  it("send their lookups with the lowest priority, each once, so that they delay no other request", async () => {
    const options: unknown[] = [];
    const client: BenchOptions["client"] = ({ listGpuTypes }) => ({
      listGpuTypes: (given) => {
        options.push(given);
        return listGpuTypes(given);
      },
    });
    const bench = await openBench({ client });
    await bench.run(bench.cluster.create(bench.ctx(), waiting()));
    expect(options).toEqual([{ urgency: "poll", attempts: 1, deadlineMs: expect.any(Number) }]);
  });

  it("are served in the order of their arrival, and none is sent before its GPUs are free", async () => {
    const bench = await openBench();
    stocks(bench, { h100: 0, l4: 0 });
    const works: Promise<unknown>[] = [];
    const add = async (name: string, replicas: number, gpuType: string) => {
      works.push(bench.cluster.create(bench.ctx({ urn: urnOf(name) }), waiting({ name, replicas, gpuType })));
      await bench.clock.advance(1_000);
    };
    await add("large", 8, "h100");
    await add("small", 1, "h100");
    await add("other", 1, "l4");
    expect(statuses(bench).filter((line) => line.includes("1 cluster before it"))).not.toEqual([]);
    stocks(bench, { h100: 7, l4: 1 });
    await bench.clock.advance(minute);
    expect(made(bench)).toEqual(["other l4"]);
    stocks(bench, { h100: 8 });
    await bench.clock.advance(minute);
    expect(made(bench)).toEqual(["other l4", "large h100"]);
    stocks(bench, { h100: 9 });
    await bench.run(Promise.all(works));
    expect(made(bench)).toEqual(["other l4", "large h100", "small h100"]);
    expect(writes(bench.simulator)).toEqual(Array(3).fill(creation));
  });

  it("do not wait for each other if their extra fields differ, such as the tier", async () => {
    const bench = await openBench({ dialect: { extraFields: "stored" } });
    stocks(bench, { h100: 1 });
    const large = bench.cluster.create(bench.ctx(), waiting());
    await bench.clock.advance(1_000);
    const small = waiting({ name: "small", replicas: 1, extraFields: { tier: "verified" } });
    await bench.run(bench.cluster.create(bench.ctx({ urn: urnOf("small") }), small));
    stocks(bench, { h100: 3 });
    await bench.run(large);
    expect(made(bench)).toEqual(["small h100", "web h100"]);
  });

  it("leave the queue to the others when they end", async () => {
    const bench = await openBench();
    stocks(bench, { h100: 1 });
    const first = failureOf(
      bench.cluster.create(bench.ctx({ urn: urnOf("a"), timeoutMs: 5 * minute }), waiting({ name: "a" })),
    );
    await bench.clock.advance(1_000);
    const second = bench.cluster.create(bench.ctx({ urn: urnOf("b") }), waiting({ name: "b", replicas: 1 }));
    await bench.clock.advance(4 * minute);
    expect(made(bench)).toEqual([]);
    await bench.run(first);
    await bench.run(second);
    expect(made(bench)).toEqual(["b h100"]);
  });

  it("count a creation whose answer has not come yet, and no longer when the stock shows it", async () => {
    const bench = await openBench({ provisioningMs: 30 * minute });
    stocks(bench, { h100: 0 });
    const works = ["a", "b", "c"].map((name) =>
      bench.cluster.create(bench.ctx({ urn: urnOf(name) }), waiting({ name })),
    );
    await bench.clock.advance(1_000);
    stocks(bench, { h100: 4 });
    await bench.clock.advance(minute);
    expect(made(bench)).toEqual(["a h100", "b h100"]);
    stocks(bench, { h100: 6 });
    await bench.clock.advance(minute);
    expect(made(bench)).toHaveLength(3);
    await bench.run(Promise.all(works));
    expect(writes(bench.simulator)).toEqual(Array(3).fill(creation));
  });
});

it("a creation that ends during a lookup is counted: that stock may not show it yet", async () => {
  const wait: { sleep: (ms: number) => Promise<void> } = { sleep: async () => undefined };
  const bench = await openBench({
    client: ({ listGpuTypes, createCluster }) => ({
      listGpuTypes: async (...args) => {
        const list = await listGpuTypes(...args);
        await wait.sleep(5_000);
        return list;
      },
      createCluster: async (...args) => {
        await wait.sleep(17_000);
        return createCluster(...args);
      },
    }),
  });
  wait.sleep = (ms) => bench.clock.sleep(ms);
  stocks(bench, { h100: 2 });
  const works: Promise<unknown>[] = [];
  for (const name of ["a", "b"]) {
    works.push(bench.cluster.create(bench.ctx({ urn: urnOf(name) }), waiting({ name })));
    await bench.clock.advance(6_000);
  }
  await bench.clock.advance(2 * minute);
  expect(made(bench)).toEqual(["a h100"]);
  stocks(bench, { h100: 4 });
  await bench.run(Promise.all(works));
  expect(writes(bench.simulator)).toEqual([creation, creation]);
});

/** The client without stock figures in some lists. */
function withoutStock(...lists: ("listGpuTypes" | "listGpuAvailability")[]): NonNullable<BenchOptions["client"]> {
  return (real) =>
    Object.fromEntries(
      lists.map((list) => [
        list,
        async (...args: Parameters<(typeof real)[typeof list]>) => {
          const { gpus, certain } = await real[list](...args);
          return { gpus: gpus.map(({ available, availableCount, ...gpu }) => gpu), certain };
        },
      ]),
    );
}

describe("a stock that lies", () => {
  it.each<[string, BenchOptions, RegExp]>([
    ["shows GPUs that a creation does not get", {}, /h100 refused/],
    ["has no figures", { client: withoutStock("listGpuTypes", "listGpuAvailability") }, /h100 refused/],
    ["says only that there are some", { dialect: { stockForm: "flag" } }, /h100 refused/],
  ])(
    "does not end the wait, and creations are tried again with growing pauses: it %s",
    async (_title, options, text) => {
      const bench = await openBench(options);
      stocks(bench, { h100: 1 });
      bench.simulator.setGpuType("h100", { shownStock: 8 });
      const { made: work } = await begin(bench, waiting());
      forget(bench);
      await bench.clock.advance(10 * minute);
      const tries = writes(bench.simulator).length;
      expect(tries).toBeGreaterThanOrEqual(5);
      expect(tries).toBeLessThanOrEqual(9);
      expect(statuses(bench)[0]).toMatch(text);
      expect(warnings(bench)).toEqual([
        expect.stringMatching(
          /^warning: cluster "web": the GPU type "h100" is refused, so the creation waits for capacity: /,
        ),
      ]);
      stocks(bench, { h100: 2 });
      expect((await bench.run(work)).state).toMatchObject({ settled: true });
      expect(living(bench.simulator)).toHaveLength(1);
    },
  );

  it("makes 20 creations try one at a time", async () => {
    const bench = await openBench();
    bench.simulator.setGpuType("h100", { stock: 1, shownStock: 256 });
    const works = Array.from({ length: 20 }, (_, index) => `web-${index}`).map((name) =>
      bench.cluster.create(bench.ctx({ urn: urnOf(name) }), waiting({ name })),
    );
    await bench.clock.advance(1_000);
    expect(writes(bench.simulator).length).toBeLessThanOrEqual(20);
    forget(bench);
    await bench.clock.advance(10 * minute);
    expect(writes(bench.simulator).length).toBeLessThanOrEqual(9);
    bench.simulator.setGpuType("h100", { stock: 256, shownStock: 255 });
    await bench.run(Promise.all(works));
    expect(living(bench.simulator)).toHaveLength(20);
  });

  it("leads to the next type of the list at once, if that has enough", async () => {
    const bench = await openBench();
    bench.simulator.setGpuType("h200", { stock: 0, shownStock: 8 });
    const { made: work } = await begin(bench, waiting({ gpuType: ["h200", "h100"] }));
    const startMs = bench.clock.now();
    await bench.run(work);
    expect(bench.clock.now() - startMs).toBeLessThan(10_000);
    expect(made(bench)).toEqual(["web h100"]);
  });

  it("names the last refusal in the error at the time limit", async () => {
    const bench = await openBench();
    bench.simulator.setGpuType("h100", { stock: 0, shownStock: 8 });
    const work = failureOf(bench.cluster.create(bench.ctx({ timeoutMs: 5 * minute }), waiting()));
    expect((await bench.run(work)).message).toMatch(
      /was not created: timed out after 5m, h100 refused\. .*\n {2}the last refusal: .*invalid_gpu_type/,
    );
  });
});

describe("a stock that cannot be looked up", () => {
  const failing = (status: number, times: number, after = 0) =>
    ({ kind: "status", status, method: "GET", path: "/v1/gpus**", times, after }) as const;

  it("tries the creation, as without the wait, if no lookup was answered before", async () => {
    const bench = await openBench({ faults: [failing(503, 1_000)] });
    await bench.run(bench.cluster.create(bench.ctx(), waiting()));
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it("lets a wait go on that has seen the stock before, and says so", async () => {
    const bench = await openBench({ faults: [failing(503, 20, 1)] });
    stocks(bench, { h100: 0 });
    const work = bench.cluster.create(bench.ctx(), waiting());
    await bench.clock.advance(2 * minute);
    expect(writes(bench.simulator)).toEqual([]);
    expect(statuses(bench).join("\n")).toMatch(/0 of 2 h100 free, the stock could not be looked up: .*503/);
    stocks(bench, { h100: 2 });
    await bench.run(work);
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it("tries the creation, with pauses, if the key may not look it up", async () => {
    const bench = await openBench({ faults: [failing(403, 10_000)] });
    stocks(bench, { h100: 0 });
    const work = bench.cluster.create(bench.ctx(), waiting());
    await bench.clock.advance(10 * minute);
    expect(writes(bench.simulator).length).toBeGreaterThanOrEqual(5);
    expect(writes(bench.simulator).length).toBeLessThanOrEqual(9);
    stocks(bench, { h100: 2 });
    await bench.run(work);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});

describe("a refusal that no wait changes", () => {
  it.each<[string, Properties, string]>([
    ["a type that does not exist", { gpuType: "h900" }, "invalid_gpu_type"],
    ["several of them", { gpuType: "h900", __gpuTypes: ["h900", "h901"] }, "invalid_gpu_type"],
  ])("ends the creation at once: %s", async (_title, news, text) => {
    const bench = await openBench();
    const startMs = bench.clock.now();
    const { message } = await bench.run(failureOf(bench.cluster.create(bench.ctx(), waiting(news))));
    expect(message).toContain(text);
    expect(bench.clock.now() - startMs).toBeLessThan(10_000);
    expect(living(bench.simulator)).toEqual([]);
  });

  it("leaves the other types of the list", async () => {
    const bench = await openBench();
    stocks(bench, { h100: 0 });
    const inputs = waiting({ gpuType: "h900", __gpuTypes: ["h900", "h100"] });
    const work = bench.cluster.create(bench.ctx(), inputs);
    await bench.clock.advance(5 * minute);
    expect(writes(bench.simulator)).toEqual([creation]);
    stocks(bench, { h100: 2 });
    await bench.run(work);
    expect(made(bench)).toEqual(["web h100"]);
  });

  it("is not assumed of a type that the service listed before: it lists only what is in stock", async () => {
    const bench = await openBench({ dialect: { gpuStockListed: "in-stock-only" } });
    stocks(bench, { h100: 1 });
    const { made: work } = await begin(bench, waiting());
    await bench.clock.advance(minute);
    stocks(bench, { h100: 0 });
    await bench.clock.advance(5 * minute);
    expect(writes(bench.simulator)).toEqual([]);
    expect(statuses(bench).at(-1)).toContain("0 of 2 h100 free");
    stocks(bench, { h100: 2 });
    await bench.run(work);
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it("is another refusal, and one whose answer was lost", async () => {
    for (const fault of [
      { kind: "status", status: 400, code: "invalid_request" },
      { kind: "status", status: 503, code: "insufficient_capacity", times: 9 },
    ] as const) {
      const bench = await openBench({ faults: [{ ...fault, method: "POST", path: "/v1/clusters" }] });
      await bench.run(failureOf(bench.cluster.create(bench.ctx(), waiting())));
      await expectNoTrace(bench);
    }
  });
});

describe("a preview of a creation that would wait", () => {
  const list = { gpuType: ["h200", "h100"] };
  it.each<[string, Properties, BenchOptions["settings"], string[]]>([
    [
      "says so in one line, with the present stock",
      list,
      {},
      ["info: web: not enough GPUs now, so the creation waits for capacity: 0 of 2 h200, 1 of 2 h100 free"],
    ],
    [
      "does not fail, whatever the stack says about capacity",
      { gpuType: "h100" },
      { capacityCheck: "error" },
      ["info: web: not enough GPUs now, so the creation waits for capacity: 1 of 2 h100 free"],
    ],
    ["says nothing if there is enough", { ...list, replicas: 1 }, {}, []],
    ["says nothing of values that are not known yet", { ...list, replicas: UNKNOWN }, {}, []],
    [
      "warns as before without the wait",
      { ...list, waitForCapacity: UNKNOWN },
      {},
      [expect.stringMatching(/^warning/)],
    ],
  ])("%s", async (_title, news, settings, said) => {
    const bench = await openBench({ ...(settings && { settings }) });
    stocks(bench, { h200: 0, h100: 1 });
    const result = await check(bench, waiting(news));
    expect(result.refusals).toEqual([]);
    expect(result.said.filter((line) => line.includes("enough GPUs"))).toEqual(said);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

it("a preview of a replacement that would wait says so; a scale-up is judged as before", async () => {
  const bench = await openBench({ settings: { capacityCheck: "error" } });
  stocks(bench, { l4: 1, h100: 1 });
  const before = old({ name: "web" });
  const replaced = await check(bench, waiting({ gpuType: "l4" }), before);
  expect(replaced.refusals).toEqual([]);
  expect(replaced.said.join()).toContain("so the creation waits for capacity: 1 of 2 l4 free");
  const scaled = await check({ ...bench, cluster: bench.as("seen") }, waiting({ replicas: 9 }), before);
  expect(scaled.refusals).toEqual([expect.stringMatching(/^replicas: not enough GPUs: 7 x h100 needed, 1 available/)]);
});

describe("the types that creations may take", () => {
  const claim = (types: string[], count: number, more: Partial<Claim> = {}): Claim => ({
    types,
    count,
    pool: "",
    ...more,
  });
  const a8 = claim(["a"], 8);
  const a1 = claim(["a"], 1);
  it.each<[string, Claim[], Record<string, Supply>, (string | undefined)[]]>([
    ["the first with enough", [claim(["a", "b"], 2)], { a: { free: 1 }, b: { free: 2 } }, ["b"]],
    ["one whose stock is not known comes last", [claim(["a", "b"], 2)], { b: { free: 2 } }, ["b"]],
    ["but before a wait", [claim(["a", "b"], 2)], { b: { free: 1 } }, ["a"]],
    ["one that waits keeps its types from later ones", [a8, a1], { a: { free: 7 } }, [undefined, undefined]],
    ["but no others", [a8, claim(["a", "b"], 1)], { a: { free: 7 }, b: { free: 1 } }, [undefined, "b"]],
    ["nor another pool", [a8, claim(["a"], 1, { pool: "x" })], { a: { free: 7 } }, [undefined, "a"]],
    [
      "a later creation that runs counts",
      [a8, claim(["a"], 1, { taken: "a" })],
      { a: { free: 8 } },
      [undefined, undefined],
    ],
    ["a refused type is not taken", [a1], { a: { free: 9, isRefused: true, isDoubtful: true } }, [undefined]],
    ["a doubtful one by one at a time", [a1, { ...a1 }], { a: { free: 9, isDoubtful: true } }, ["a", undefined]],
  ])("%s", (_title, queue, supplies, expected) => {
    const granted = allot(queue, (type) => supplies[type] ?? {});
    expect(queue.map((each) => granted.get(each))).toEqual(expected);
  });

  it("are shown with their stock", () => {
    const supplies: Record<string, Supply> = {
      a: { free: 1 },
      b: { free: 0 },
      c: { free: Infinity },
      e: { free: 9, isRefused: true },
    };
    expect(stockText(["a", "b", "c", "d", "e"], 2, (type) => supplies[type] ?? {})).toBe(
      "1 of 2 a, 0 of 2 b free, c in stock, d without a stock figure, e refused",
    );
  });
});
