import { type Properties, UNKNOWN } from "../../../provider/core";
import type { Dialect } from "../../../simulator";
import { check, checkTwice, old } from "./checkHarness";
import { type BenchOptions, closeAll, openBench, requestLines } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

/** 32 of h200 are available, unless the test says otherwise. */
const many = (replicas: unknown): Properties => ({ ...checked, gpuType: "h200", replicas });
const held = (replicas: number, changes: Properties = {}) => old({ gpuType: "h200", replicas, ...changes });
const aboutStock = (said: string[]) => said.filter((line) => line.includes("not enough GPUs"));

describe("the stock", () => {
  it("that a creation exceeds is a warning with the type, what is wanted and what there is", async () => {
    const { refusals, said } = await check(await openBench(), many(40));
    expect(refusals).toEqual([]);
    expect(said).toEqual(["warning: web: not enough GPUs: 40 x h200 needed, 32 available"]);
  });

  it("that a creation exceeds is a failure where the stack says so", async () => {
    const bench = await openBench({ settings: { capacityCheck: "error" } });
    const { refusals, said } = await check(bench, many(40));
    expect(refusals).toEqual(["replicas: not enough GPUs: 40 x h200 needed, 32 available (gpucluster:capacityCheck)"]);
    expect(said).toEqual([]);
  });

  it.each<[string, Properties, Properties | undefined, number]>([
    ["a creation counts whole", many(33), undefined, 33],
    ["a scale-up counts by its difference", many(40), held(5), 35],
    ["a start counts whole", many(40), held(40, { desiredStatus: "stopped" }), 40],
    ["a replacement that comes first counts whole", { ...many(40), name: "api" }, held(40), 40],
    ["a replacement of another type counts whole", many(40), old({ replicas: 40 }), 40],
    ["a replacement of a stopped one counts whole", many(40), old({ replicas: 40, desiredStatus: "stopped" }), 40],
  ])("%s", async (_title, news, olds, wanted) => {
    const { said } = await check(await openBench(), news, olds);
    expect(aboutStock(said)).toEqual([`warning: web: not enough GPUs: ${wanted} x h200 needed, 32 available`]);
  });

  it.each<[string, Properties, Properties | undefined]>([
    ["a creation that it is enough for", many(32), undefined],
    ["a scale-up that it is enough for", many(132), held(100)],
    ["a scale-down", many(40), held(50)],
    ["a cluster that does not change", many(40), held(40)],
    ["a stopped cluster", { ...many(40), desiredStatus: "stopped" }, undefined],
    ["a stop", { ...many(50), desiredStatus: "stopped" }, held(40)],
    [
      "a scale-up while it is stopped",
      { ...many(90), desiredStatus: "stopped" },
      held(1, { desiredStatus: "stopped" }),
    ],
    ["replicas that are not known yet", many(UNKNOWN), undefined],
    ["a desired status that is not known yet", { ...many(40), desiredStatus: UNKNOWN }, undefined],
    ["a connection that is not known yet", { ...many(40), connection: UNKNOWN }, undefined],
  ])("is no reason to say anything for %s", async (_title, news, olds) => {
    const { said, refusals } = await check(await openBench({ settings: { capacityCheck: "error" } }), news, olds);
    expect(refusals).toEqual([]);
    expect(aboutStock(said)).toEqual([]);
  });

  it("counts a replacement under the same name by its difference, for the old one goes first", async () => {
    const bench = await openBench({ settings: { capacityCheck: "error" } });
    // Another name in between makes it a replacement; the type stays.
    const [, second] = await checkTwice(bench, many(40), held(39));
    expect(second.refusals).toEqual([]);
  });

  it("is shared by the clusters of a run, each counted once, as it was checked last", async () => {
    const bench = await openBench();
    const said = [];
    for (const [name, replicas] of [
      ["a", 20],
      ["a", 10],
      ["b", 20],
      ["c", 5],
      ["b", 10],
    ] as const) {
      said.push((await check(bench, { ...many(replicas), name }, {}, name)).said);
    }
    expect(said).toEqual([
      [],
      [],
      [],
      ["warning: c: not enough GPUs: 5 x h200 needed, 35 for all clusters of this run so far, 32 available"],
      [],
    ]);
  });

  it("of one type has nothing to do with another", async () => {
    const bench = await openBench();
    await check(bench, { ...many(32), name: "a" }, {}, "a");
    expect((await check(bench, { ...checked, name: "b" }, {}, "b")).said).toEqual([]);
  });

  it("counts one GPU in the singular", async () => {
    const news = { ...checked, gpuType: "rtx4090", replicas: 1 };
    const { said } = await check(await openBench(), news);
    expect(said).toEqual(["warning: web: not enough GPUs: 1 x rtx4090 needed, 0 available"]);
  });

  it.each<[string, Partial<Dialect>, number]>([
    ["by region", { stockPlace: "by-region" }, 32],
    ["by a number alone", { stockForm: "count" }, 32],
  ])("is understood %s", async (_title, dialect, free) => {
    const { said } = await check(await openBench({ dialect }), many(40));
    expect(said).toEqual([expect.stringContaining(`${free} available`)]);
  });

  it.each<[string, BenchOptions]>([
    ["it is only said that there is some", { dialect: { stockForm: "flag" } }],
    ["the type is not listed any more", { dialect: { gpuStockListed: "in-stock-only" }, gpuTypes: [] }],
    ["nothing is said of it", { client: () => ({ listGpuTypes: noStock, listGpuAvailability: noStock }) }],
  ])("is no reason to say anything where %s", async (_title, options) => {
    const { said } = await check(await openBench(options), many(400), held(1));
    expect(aboutStock(said)).toEqual([]);
  });

  it("is asked for by itself where the list of types does not say it, once in a run", async () => {
    const bench = await openBench({ client: () => ({ listGpuTypes: noStock }) });
    for (const name of ["a", "b"]) await check(bench, { ...many(40), name }, {}, name);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters", "GET /v1/gpus/availability"]);
    expect(aboutStock(bench.said)).toHaveLength(2);
  });
});

/** A list that says the price and nothing of the stock. */
const noStock = async () => ({ gpus: [{ type: "h200", pricePerHour: 3.99, raw: {} }], certain: true });
