import { type Properties, UNKNOWN } from "../../../provider/core";
import type { Dialect } from "../../../simulator";
import { check, checkTwice, old } from "./checkHarness";
import { type BenchOptions, closeAll, openBench, requestLines } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const priceless: BenchOptions = {
  gpuTypes: [{ type: "h100", name: "NVIDIA H100", memoryGb: 80, stock: 256 }],
};

describe("the cost in a preview", () => {
  it.each<[string, Properties, Properties | undefined, number]>([
    ["of a creation", {}, undefined, 5.98],
    ["of a creation that is stopped", { desiredStatus: "stopped" }, undefined, 0],
    ["of nothing that changes", {}, old(), 5.98],
    ["of nothing that changes, at an old price", {}, old({ hourlyCost: 4 }), 4],
    ["of another container", { container: "a/b:2" }, old({ hourlyCost: 4 }), 4],
    ["of more replicas", { replicas: 3 }, old(), 8.97],
    ["of fewer replicas", { replicas: 1 }, old(), 2.99],
    ["of a stop", { desiredStatus: "stopped" }, old(), 0],
    ["of a start", {}, old({ desiredStatus: "stopped", hourlyCost: 0 }), 5.98],
    ["of the first replicas", {}, old({ replicas: 0, hourlyCost: 0 }), 5.98],
    ["of another GPU type", { gpuType: "l4" }, old(), 0.88],
    ["of another name", { name: "api" }, old({ hourlyCost: 4 }), 4],
    ["of a state that knows none", {}, old({ hourlyCost: undefined }), 5.98],
  ])("%s is among the inputs", async (_title, news, olds, cost) => {
    const bench = await openBench();
    expect((await check(bench, { ...checked, ...news }, olds)).inputs["hourlyCost"]).toBe(cost);
  });

  it("of a replacement is the same in its second check", async () => {
    const results = await checkTwice(await openBench(), { ...checked, gpuType: "l4" }, old());
    expect(results.map(({ inputs }) => inputs["hourlyCost"])).toEqual([0.88, 0.88]);
  });

  it.each(["gpuType", "replicas", "desiredStatus"])("is not known as long as %s is not", async (name) => {
    const { inputs, refusals } = await check(await openBench(), { ...checked, [name]: UNKNOWN }, old());
    expect(refusals).toEqual([]);
    expect(inputs["hourlyCost"]).toBe(UNKNOWN);
  });

  it.each<[string, Partial<Dialect>]>([
    ["in cents", { priceForm: "cents" }],
    ["as a text with a currency", { priceForm: "text", priceText: "currency" }],
    ["beside the types", { pricePlace: "beside" }],
    ["in a list of its own, where the types are a bare list", { pricePlace: "beside", gpuListShape: "bare" }],
  ])("is found where the service says prices %s", async (_title, dialect) => {
    const { inputs } = await check(await openBench({ dialect }), checked);
    expect(inputs["hourlyCost"]).toBe(5.98);
  });

  it("is left out where the service names no price, which is said once in a run", async () => {
    const bench = await openBench(priceless);
    for (const name of ["a", "b"]) {
      const { inputs, refusals } = await check(bench, { ...checked, name }, {}, name);
      expect(refusals).toEqual([]);
      expect(inputs).not.toHaveProperty("hourlyCost");
    }
    expect(bench.said).toEqual([
      'info: the service shows no price for "h100", so `hourlyCost` is left out. The same applies to other clusters without a price',
    ]);
  });

  it.each<[string, Properties]>([
    ["a stopped cluster", { desiredStatus: "stopped", hourlyCost: 0 }],
    ["no replicas", { replicas: 0, hourlyCost: 0 }],
  ])("is left out where no price is known and the old cost is that of %s", async (_title, olds) => {
    const { inputs, refusals } = await check(await openBench(priceless), checked, old(olds));
    expect(refusals).toEqual([]);
    expect(inputs).not.toHaveProperty("hourlyCost");
  });

  it("is looked up in silence where nothing changes", async () => {
    const bench = await openBench(priceless);
    await check(bench, checked, old({ hourlyCost: undefined }));
    expect(bench.said).toEqual([]);
  });
});

describe("the requests for GPUs in a run", () => {
  const gpuLines = (lines: string[]) => lines.filter((line) => line.startsWith("GET /v1/gpus"));

  it.each<[string, BenchOptions, Properties, Properties | undefined, string[]]>([
    ["of a creation is one where it says it all", {}, {}, undefined, ["GET /v1/gpus"]],
    ["of a scale-up is one where it says it all", {}, { replicas: 3 }, old(), ["GET /v1/gpus"]],
    ["of an unchanged cluster are none", {}, {}, old(), []],
    ["of a stop are none", {}, { desiredStatus: "stopped" }, old(), []],
    ["of another container are none", {}, { container: "a/b:2" }, old(), []],
    ["ask for prices too where there are none", priceless, {}, undefined, ["GET /v1/gpus", "GET /v1/gpus/pricing"]],
  ])("%s", async (_title, options, news, olds, lines) => {
    const bench = await openBench(options);
    for (const name of ["a", "b", "c"]) {
      const before = olds && { ...olds, name };
      await check(bench, { ...checked, ...news, name }, before, name);
    }
    expect(gpuLines(requestLines(bench.simulator))).toEqual(lines);
  });
});

describe("maxHourlyCost", () => {
  it("fails a creation above it", async () => {
    const { refusals } = await check(await openBench(), { ...checked, maxHourlyCost: 5 });
    expect(refusals).toEqual([
      "maxHourlyCost: is 5.00, but the cluster would cost 5.98 USD per hour: 2 x h100 at 2.99 USD",
    ]);
  });

  it.each<[string, Properties, Properties | undefined]>([
    ["a cost at it", { maxHourlyCost: 5.98 }, undefined],
    ["a stopped cluster", { maxHourlyCost: 5, desiredStatus: "stopped" }, undefined],
    ["a scale-down to below it", { maxHourlyCost: 5, replicas: 1 }, old()],
    ["replicas that are not known yet", { maxHourlyCost: 5, replicas: UNKNOWN }, undefined],
    ["a limit that is not known yet", { maxHourlyCost: UNKNOWN }, undefined],
  ])("lets %s pass", async (_title, news, olds) => {
    expect((await check(await openBench(), { ...checked, ...news }, olds)).refusals).toEqual([]);
  });

  it("fails an unchanged cluster that costs more, by what it was known to cost", async () => {
    const bench = await openBench();
    const { refusals } = await check(bench, { ...checked, maxHourlyCost: 5 }, old());
    expect(refusals).toEqual([expect.stringMatching(/would cost 5.98 per hour: 2 x h100 at 2.99$/)]);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("cannot be checked without a price, which is a warning", async () => {
    const { refusals, said } = await check(await openBench(priceless), { ...checked, maxHourlyCost: 5 });
    expect(refusals).toEqual([]);
    expect(said).toContain("warning: web: `maxHourlyCost` cannot be checked: the cost of the cluster is not known");
  });
});

describe("gpucluster:maxHourlyCost", () => {
  const settings = { maxHourlyCost: 10 };

  it("fails the cluster that crosses it, with the sum and its parts", async () => {
    const bench = await openBench({ settings });
    const refusals = [];
    for (const [name, replicas] of [
      ["a", 1],
      ["b", 2],
      ["c", 1],
      ["d", 1],
    ] as const) {
      refusals.push((await check(bench, { ...checked, name, replicas }, {}, name)).refusals);
    }
    expect(refusals).toEqual([
      [],
      [],
      [
        ": gpucluster:maxHourlyCost is 10.00, but the clusters seen so far cost 11.96 USD per hour: " +
          "b 5.98 (2 x h100 at 2.99 USD), a 2.99 (1 x h100 at 2.99 USD), c 2.99 (1 x h100 at 2.99 USD)",
      ],
      [expect.stringMatching(/cost 14.95 USD .*, and 1 more$/)],
    ]);
  });

  it("counts a cluster that is checked twice once", async () => {
    const bench = await openBench({ settings });
    const results = await checkTwice(bench, { ...checked, gpuType: "h200" }, old());
    expect(results.flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it("counts what exists and does not change, and nothing that is stopped", async () => {
    const bench = await openBench({ settings });
    expect((await check(bench, { ...checked, name: "a" }, old({ name: "a" }), "a")).refusals).toEqual([]);
    const stopped = { ...checked, name: "b", replicas: 50, desiredStatus: "stopped" };
    expect((await check(bench, stopped, {}, "b")).refusals).toEqual([]);
    expect((await check(bench, { ...checked, name: "c" }, {}, "c")).refusals).toHaveLength(1);
  });

  it("leaves out what has no known price, which is said once", async () => {
    const bench = await openBench({ ...priceless, settings });
    for (const name of ["a", "b"]) await check(bench, { ...checked, name }, {}, name);
    expect(bench.said.filter((line) => line.includes("maxHourlyCost"))).toEqual([
      'warning: gpucluster:maxHourlyCost does not count "a" and other clusters without a known price in the same currency',
    ]);
  });
});
