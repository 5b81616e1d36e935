import fc from "fast-check";
import { costAt } from "../../../../provider/cluster/preflight/judges";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type FixtureOptions, openFixture } from "../harness";
import { checked } from "../inputs";
import { check, checkAll, checkOnce, checkTwice, old } from "./harness";

const priceless: FixtureOptions = {
  gpuTypes: [{ type: "h100", name: "NVIDIA H100", memoryGb: 80, stock: 256 }],
};

describe("a preview", () => {
  const stopped = old({ desiredStatus: "stopped", hourlyCost: 0 });
  it.each<[string, Properties, Properties | undefined, number | string | undefined, FixtureOptions?]>([
    ["contains the cost of a creation", {}, undefined, 5.98],
    ["contains the cost of an unchanged cluster", {}, old(), 5.98],
    ["contains the cost of more replicas", { replicas: 3 }, old(), 8.97],
    ["contains no cost after a stop", { desiredStatus: "stopped" }, old(), 0],
    ["contains the cost of another GPU type", { gpuType: "l4" }, old(), 0.88],
    ["leaves the cost of an unknown GPU type open", { gpuType: UNKNOWN }, old(), UNKNOWN],
    ["leaves out the cost of a start without a price", {}, stopped, undefined, priceless],
  ])("%s", async (_title, news, olds, cost, options = {}) => {
    const { inputs, refusals } = await checkOnce({ ...checked, ...news }, olds, options);
    expect(refusals).toEqual([]);
    expect(inputs["hourlyCost"]).toBe(cost);
    expect("hourlyCost" in inputs).toBe(cost !== undefined);
  });

  it.each<[string, Properties, number]>([
    ["sends nothing for an unchanged cluster", {}, 0],
    ["sends nothing for an unchanged cluster of unknown cost", { hourlyCost: undefined }, 0],
    ["looks up the price of an unchanged cluster with a limit", { hourlyCost: undefined, maxHourlyCost: 50 }, 1],
    ["sends nothing for a cluster that an autoscaler keeps at 0 replicas", { replicas: 0, hourlyCost: 0 }, 0],
    ["sends nothing for an imported cluster whose image is not known", { container: undefined }, 0],
  ])("%s", async (_title, more, requests) => {
    const cluster = { ...old(), ...more };
    const { hourlyCost: _cost, ...news } = cluster;
    const { fixture, said, refusals } = await checkOnce(news, cluster);
    expect([fixture.simulator.requests.length, said, refusals]).toEqual([requests, [], []]);
  });

  it("judges no unchanged cluster of several types that shows its outputs, even if the service is down", async () => {
    const cluster = { ...old(), fallbackGpuTypes: ["h200"], hourlyCost: undefined };
    const down = { kind: "status", status: 503, times: 100 } as const;
    const { run, cluster: resource, ctx, simulator, messages } = await openFixture({ faults: [down] });
    const { failures } = await run(resource.check(ctx({ showsOutputs: true }), cluster, cluster));
    expect([failures, messages, simulator.requests]).toEqual([[], [], []]);
  });

  it("keeps the old cost and fails if the service rejects the key", async () => {
    const { refusals, inputs } = await checkOnce({ ...checked, replicas: 3 }, old(), { apiKeys: {} });
    expect(refusals).toEqual([expect.stringContaining("A known API key is required")]);
    expect(inputs["hourlyCost"]).toBe(5.98);
  });
});

describe("maxHourlyCost", () => {
  it.each<[string, Properties, Properties | undefined, string | undefined]>([
    ["fails a creation above it", { maxHourlyCost: 5 }, undefined, "5.98 USD per hour: 2 x h100 at 2.99 USD"],
    ["fails a scale-up above it", { maxHourlyCost: 5, replicas: 3 }, old(), "8.97 USD per hour: 3 x h100 at 2.99 USD"],
    ["passes a cost that is equal to it", { maxHourlyCost: 5.98 }, undefined, undefined],
  ])("%s", async (_title, news, olds, cost) => {
    const { refusals } = await checkOnce({ ...checked, ...news }, olds);
    expect(refusals).toEqual(cost ? [`maxHourlyCost: is 5.00, but the cluster would cost ${cost}`] : []);
  });

  it("warns of a cluster above it that does not cost more than before, such as one that an autoscaler has scaled up", async () => {
    const { refusals, said } = await checkOnce({ ...checked, maxHourlyCost: 5 }, old());
    expect(refusals).toEqual([]);
    expect(said).toEqual([
      "warning: web: `maxHourlyCost` is 5.00, but the cluster costs 5.98 per hour: 2 x h100 at 2.99. No change raises it",
    ]);
  });
});

describe("gpucluster:maxHourlyCost", () => {
  const settings = { maxHourlyCost: 10 };

  it("fails the cluster that exceeds it, with the sum and its three largest parts", async () => {
    const sizes = { a: 1, b: 2, c: 1, d: 1 };
    const news = Object.entries(sizes).map(([name, replicas]) => ({ ...checked, name, replicas }));
    const results = await checkAll(await openFixture({ settings }), news);
    expect(results.map(({ refusals }) => refusals)).toEqual([
      [],
      [],
      [
        ": gpucluster:maxHourlyCost is 10.00, but the clusters seen so far cost 11.96 USD per hour: " +
          "b 5.98 (2 x h100 at 2.99 USD), a 2.99 (1 x h100 at 2.99 USD), c 2.99 (1 x h100 at 2.99 USD)",
      ],
      [expect.stringMatching(/cost 14.95 USD .*, and 1 more$/)],
    ]);
  });

  it("counts each cluster once, even existing ones, and no stopped one", async () => {
    const twice = await checkTwice(await openFixture({ settings }), { ...checked, gpuType: "h200" }, old());
    expect(twice.flatMap(({ refusals }) => refusals)).toEqual([]);
    const fixture = await openFixture({ settings });
    expect((await check(fixture, { ...checked, name: "a" }, old({ name: "a" }), "a")).refusals).toEqual([]);
    const stopped = { ...checked, name: "b", replicas: 50, desiredStatus: "stopped" };
    const counts = (await checkAll(fixture, [stopped, { ...checked, name: "c" }])).map(
      ({ refusals }) => refusals.length,
    );
    expect(counts).toEqual([0, 1]);
  });

  it("does not count a cluster without a price, with one warning", async () => {
    const fixture = await openFixture({ ...priceless, settings });
    await checkAll(fixture, [
      { ...checked, name: "a" },
      { ...checked, name: "b" },
    ]);
    expect(fixture.messages.filter((line) => line.includes("maxHourlyCost"))).toEqual([
      'warning: the service shows no price for "h100", so gpucluster:maxHourlyCost does not count it',
    ]);
  });

  it("holds for the dearest type that a creation can get, and a message shows each type with its price", async () => {
    const news = { ...checked, gpuType: "l4", fallbackGpuTypes: ["h200", "h100"] };
    const { refusals } = await checkOnce(news, {}, { settings: { maxHourlyCost: 7 } });
    expect(refusals).toEqual([
      expect.stringMatching(/clusters seen so far cost 7\.98 USD per hour: web 7\.98 \(2 x h200/),
    ]);
    const own = await checkOnce({ ...news, maxHourlyCost: 7 });
    expect(own.refusals).toEqual([expect.stringMatching(/^maxHourlyCost: is 7\.00, .* cost 7\.98 USD .*: 2 x h200/)]);
    const { inputs, said } = await checkOnce(news, {}, { settings: { maxHourlyCost: 8 } });
    expect(inputs["hourlyCost"]).toBe(0.88);
    expect(said).toEqual([
      "info: web: the creation asks for 2 x l4 at 0.44 USD per hour, then for 2 x h200 at 3.99 USD per hour, " +
        "then for 2 x h100 at 2.99 USD per hour",
    ]);
  });
});

describe("a limit that is exceeded already", () => {
  const limited = { ...checked, maxHourlyCost: 2 };

  it.each<[string, Properties, Properties, boolean]>([
    ["passes fewer replicas", { replicas: 3 }, { replicas: 4, hourlyCost: 11.96 }, true],
    ["passes fewer replicas at a higher price", { replicas: 3 }, { replicas: 4, hourlyCost: 4 }, true],
    ["passes a stop", { desiredStatus: "stopped" }, { hourlyCost: 5.98 }, true],
    ["fails a dearer type", { gpuType: "h200", replicas: 2 }, { hourlyCost: 5.98 }, false],
  ])("of the cluster %s", async (_title, news, olds, passes) => {
    const { refusals } = await checkOnce({ ...limited, ...news }, old({ ...olds, maxHourlyCost: 2 }));
    expect(refusals).toEqual(passes ? [] : [expect.stringMatching(/^maxHourlyCost: is 2\.00, but/)]);
  });

  it.each<[string, number, boolean]>([
    ["passes for a stack whose cost falls", 2, true],
    ["fails for a stack whose cost rises", 4, false],
  ])("%s", async (_title, replicas, passes) => {
    const fixture = await openFixture({ settings: { maxHourlyCost: 10 } });
    const larger = old({ name: "a", replicas: 4, hourlyCost: 11.96 });
    const first = await check(fixture, { ...checked, name: "a", replicas: 3 }, larger, "a");
    const second = await check(fixture, { ...checked, name: "b", replicas }, old({ name: "b" }), "b");
    const text = /gpucluster:maxHourlyCost is 10\.00, but/;
    expect([...first.refusals, ...second.refusals]).toEqual(passes ? [] : [expect.stringMatching(text)]);
    if (passes) expect(second.said).toEqual([expect.stringMatching(/No change so far raises this sum$/)]);
  });
});

it("a cost of cents is exact", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 10_000 }), (cents, replicas) => {
      const { amount = 0 } = costAt({ amount: cents / 100 }, { gpuType: "h100", replicas });
      expect(Math.round(amount * 100)).toBe(cents * replicas);
      expect(String(amount)).toMatch(/^\d+(\.\d{1,2})?$/);
    }),
  );
});
