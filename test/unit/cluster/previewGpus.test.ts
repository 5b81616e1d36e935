import { type Properties, UNKNOWN } from "../../../provider/core";
import { type Dialect, dialects } from "../../../simulator";
import { check, checkTwice, old } from "./checkHarness";
import { type BenchOptions, closeAll, countOf, openBench, requestLines } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const listOf = (...types: unknown[]): Properties => ({ ...checked, gpuType: types });

/** Fails every answer about GPUs. */
const withoutGpus: BenchOptions = { faults: [{ kind: "status", status: 503, path: "/v1/gpus**", times: 1_000 }] };

describe("a list of GPU types", () => {
  it.each<[string, Properties, string]>([
    ["the first that is in stock", listOf("rtx4090", "h200", "h100"), "h200"],
    ["the first that enough is there of", { ...listOf("h200", "h100"), replicas: 33 }, "h100"],
    ["the first where none is there", { ...listOf("rtx4090", "l4"), replicas: 500 }, "rtx4090"],
    ["the only one, without a look at the stock", listOf("rtx4090"), "rtx4090"],
    ["one that exists before one that does not", listOf("h900", "h100"), "h100"],
  ])("becomes %s", async (_title, news, type) => {
    const bench = await openBench();
    const { inputs, refusals } = await check(bench, news);
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe(type);
    expect(countOf(bench.simulator, "GET /v1/gpus")).toBe(1);
  });

  it("becomes the type that the cluster has, whatever the stock is, without a request", async () => {
    const bench = await openBench();
    const { inputs } = await check(bench, listOf("h200", "h100"), old());
    expect(inputs["gpuType"]).toBe("h100");
    expect(bench.simulator.requests).toEqual([]);
  });

  it("keeps that type through a replacement for another reason", async () => {
    const bench = await openBench();
    const news = { ...listOf("h200", "h100"), name: "api" };
    const [, { inputs, refusals }] = await checkTwice(bench, news, old());
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ gpuType: "h100", name: "api", hourlyCost: 5.98 });
    expect(requestLines(bench.simulator)).not.toContain("GET /v1/gpus/pricing");
  });

  it("that has the type no more is chosen from anew, the same in both checks", async () => {
    const bench = await openBench();
    const results = await checkTwice(bench, listOf("rtx4090", "h200"), old());
    for (const { inputs } of results) expect(inputs["gpuType"]).toBe("h200");
  });

  it("is chosen from in the light of what the clusters before take", async () => {
    const bench = await openBench();
    const news = { ...listOf("h200", "h100"), replicas: 20 };
    const types = [];
    for (const name of ["a", "b", "a"]) types.push((await check(bench, { ...news, name }, {}, name)).inputs["gpuType"]);
    expect(types).toEqual(["h200", "h100", "h200"]);
  });

  it.each<[string, Properties]>([
    ["one of it is not known yet", listOf("h200", UNKNOWN)],
    ["the replicas are not known yet", { ...listOf("h200", "h100"), replicas: UNKNOWN }],
    ["the connection is not known yet", { ...listOf("h200", "h100"), connection: UNKNOWN }],
  ])("stays as it is where %s, without a request about it", async (_title, news) => {
    const bench = await openBench();
    const { inputs, refusals } = await check(bench, news);
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toEqual(news["gpuType"]);
    expect(requestLines(bench.simulator).filter((line) => line.includes("gpus"))).toEqual([]);
  });

  it("becomes the type that the cluster has even where another one of it is not known yet", async () => {
    const { inputs } = await check(await openBench(), listOf(UNKNOWN, "h100"), old());
    expect(inputs["gpuType"]).toBe("h100");
  });

  it("becomes the first, with a warning, where the service cannot be asked", async () => {
    const { inputs, refusals, said } = await check(await openBench(withoutGpus), listOf("h900", "h100"));
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe("h900");
    expect(said).toEqual([
      expect.stringMatching(/^warning: web: `gpuType` may become another type of the list than "h900"/),
      expect.stringMatching(/^warning: GPU types, stock figures and prices could not be checked/),
    ]);
  });

  it.each<[string, Partial<Dialect>]>([
    ["says how many there are by region", { stockPlace: "by-region" }],
    ["says only that there are some", { stockForm: "flag" }],
    ["says so in words", { stockForm: "flag", stockFlag: "word" }],
    ["lists what is in stock alone", { gpuStockListed: "in-stock-only" }],
    ["answers maps by type", { gpuListShape: "by-type" }],
  ])("is chosen from where the service %s", async (_title, dialect) => {
    const { inputs } = await check(await openBench({ dialect }), listOf("rtx4090", "h200", "h100"));
    expect(inputs["gpuType"]).toBe("h200");
  });
});

it.each(Object.keys(dialects))("the type, its price and its stock are found in the dialect %s", async (dialect) => {
  const bench = await openBench({ dialect: { ...dialects[dialect], catalog: "own" } });
  const { inputs, refusals } = await check(bench, { ...listOf("rtx4090", "h200", "h100"), replicas: 3 });
  expect(refusals).toEqual([]);
  expect(inputs).toMatchObject({ gpuType: "h200", hourlyCost: 11.97 });
});

describe("a GPU type that the service does not list", () => {
  const refusal = (address: string) =>
    `gpuType: "h900" is not a GPU type that the service lists (GET /v1/gpus of ${address}, which may omit types that are sold out); it lists "a100-40gb", "a100-80gb", "h100", "h200", "l4", "l40s" and "rtx4090"`;

  it("fails the preview of a creation, with the listed ones and the list's address, after one request about GPUs", async () => {
    const bench = await openBench();
    const { refusals } = await check(bench, { ...checked, gpuType: "h900" });
    expect(refusals).toEqual([refusal(bench.simulator.url)]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters", "GET /v1/gpus"]);
  });

  it("fails both checks of a replacement", async () => {
    const bench = await openBench();
    for (const { refusals } of await checkTwice(bench, { ...checked, gpuType: "h900" }, old())) {
      expect(refusals).toEqual([refusal(bench.simulator.url)]);
    }
  });

  it.each<[string, Properties]>([
    ["stays", {}],
    ["stays while the cluster is scaled", { replicas: 1 }],
    ["is one of a list", { gpuType: ["h100", "h900"] }],
    ["stays while the cluster is replaced", { name: "api" }],
  ])("is left alone where it %s", async (_title, news) => {
    const bench = await openBench();
    const before = old({ gpuType: "h900" });
    for (const { refusals } of await checkTwice(bench, { ...checked, gpuType: "h900", ...news }, before)) {
      expect(refusals).toEqual([]);
    }
    expect(countOf(bench.simulator, "GET /v1/gpus")).toBeLessThanOrEqual(1);
  });

  it("is no failure while it is not known yet, and nobody is asked about it", async () => {
    const bench = await openBench();
    const { refusals } = await check(bench, { ...checked, gpuType: UNKNOWN });
    expect(refusals).toEqual([]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it.each<[string, BenchOptions, RegExp]>([
    ["is empty", { gpuTypes: [] }, /GET \/v1\/gpus lists no GPU type at all/],
    ["cannot be read", { faults: [{ kind: "body", body: "5", path: "/v1/gpus", times: 9 }] }, /cannot read/],
    ["cannot be had", { faults: [{ kind: "status", status: 500, path: "/v1/gpus", times: 9 }] }, /HTTP 500/],
  ])("is a warning alone where the list %s", async (_title, options, why) => {
    const { refusals, said } = await check(await openBench(options), { ...checked, gpuType: "h900" });
    expect(refusals).toEqual([]);
    expect(said.filter((line) => line.startsWith("warning: "))).toEqual([expect.stringMatching(why)]);
  });
});
