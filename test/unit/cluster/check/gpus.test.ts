import { chooseType, closeNames, unlistedText } from "../../../../provider/cluster/check/gpuType";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type BenchOptions, countOf, openBench, requestLines } from "../harness";
import { checked } from "../inputs";
import { checkAll, checkOnce, checkTwice, old } from "./harness";

const listOf = (gpuType: unknown, ...others: unknown[]): Properties => ({
  ...checked,
  gpuType,
  ...(others.length > 0 ? { fallbackGpuTypes: others } : {}),
});

describe("several GPU types", () => {
  it.each<[string, Properties, string]>([
    ["the first that is in stock", listOf("rtx4090", "h200", "h100"), "h200"],
    ["the first that enough is there of", { ...listOf("h200", "h100"), replicas: 33 }, "h100"],
    ["the first if none is there", { ...listOf("rtx4090", "l4"), replicas: 500 }, "rtx4090"],
    ["the only one, without a look at the stock", listOf("rtx4090"), "rtx4090"],
    ["one that exists before one that does not", listOf("h900", "h100"), "h100"],
  ])("become %s, after one request", async (_title, news, type) => {
    const { bench, inputs, refusals } = await checkOnce(news);
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe(type);
    expect(countOf(bench.simulator, "GET /v1/gpus")).toBe(1);
  });

  it.each([
    ["whatever the stock is", listOf("h200", "h100")],
    ["if another type of it is not known yet", listOf(UNKNOWN, "h100")],
  ])("become the type that the cluster has, %s, without a request", async (_title, news) => {
    const { bench, inputs } = await checkOnce(news, old());
    expect(inputs["gpuType"]).toBe("h100");
    expect(bench.simulator.requests).toEqual([]);
  });

  it("keep that type through a replacement for another reason", async () => {
    const bench = await openBench();
    const [, { inputs, refusals }] = await checkTwice(bench, { ...listOf("h200", "h100"), name: "api" }, old());
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ gpuType: "h100", name: "api", hourlyCost: 5.98 });
    expect(requestLines(bench.simulator)).not.toContain("GET /v1/gpus/pricing");
  });

  it("stay as the program writes them, also duplicates, which do not count", async () => {
    const others = ["H200", "h100", "rtx4090", "h100"];
    const { inputs, said } = await checkOnce(listOf("rtx4090", ...others));
    expect(inputs).toMatchObject({ gpuType: "H200", fallbackGpuTypes: others });
    expect(said).toContain('info: web: the creation asks for "H200" first, and then for "rtx4090" and "h100"');
    expect(Object.keys(inputs).filter((name) => name.startsWith("__"))).toEqual([]);
  });

  it("are chosen from in the light of what the clusters before take", async () => {
    const news = ["a", "b", "a"].map((name) => ({ ...listOf("h200", "h100"), replicas: 20, name }));
    const results = await checkAll(await openBench(), news);
    expect(results.map(({ inputs }) => inputs["gpuType"])).toEqual(["h200", "h100", "h200"]);
  });

  it.each<[string, Properties]>([
    ["one of it is not known yet", listOf("h200", UNKNOWN)],
    ["the replicas are not known yet", { ...listOf("h200", "h100"), replicas: UNKNOWN }],
  ])("decide nothing if %s, without a request about it", async (_title, news) => {
    const { bench, inputs, refusals } = await checkOnce(news);
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe(UNKNOWN);
    expect(requestLines(bench.simulator).filter((line) => line.includes("gpus"))).toEqual([]);
  });

  it("become the first, with one warning, if the service cannot be asked", async () => {
    const faults: BenchOptions["faults"] = [{ kind: "status", status: 503, path: "/v1/gpus**", times: 1_000 }];
    const { inputs, refusals, said } = await checkOnce(listOf("h900", "h100"), {}, { faults });
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe("h900");
    expect(said.filter((line) => line.startsWith("warning"))).toEqual([
      expect.stringMatching(/^warning: GPU types, stock figures and prices could not be checked/),
    ]);
  });

  it.each<[string, number, Record<string, number | undefined>, string]>([
    ["one of which there are some", 2, { a: 0, b: Number.POSITIVE_INFINITY }, "b"],
    ["one that may be there before one that is not", 2, { a: 0, b: undefined, c: 0 }, "b"],
    ["one that is there before one that may be", 2, { a: undefined, b: 2, c: 0 }, "b"],
    ["the first if nothing is known", 2, {}, "a"],
  ])("become %s", async (_title, replicas, stock, taken) => {
    expect(await chooseType(["a", "b", "c"], replicas, async (type) => stock[type])).toBe(taken);
  });

  it("are not asked about behind the one that is taken", async () => {
    const stock = jest.fn(async (type: string) => (type === "b" ? 1 : 0));
    await chooseType(["a", "b", "c"], 1, stock);
    expect(stock.mock.calls).toEqual([["a"], ["b"]]);
  });
});

describe("a GPU type that the service does not list", () => {
  const refusal = (address: string) =>
    `gpuType: "h900" is not a GPU type that the service lists (GET /v1/gpus of ${address}, which may omit types that are sold out); it lists "a100-40gb", "a100-80gb", "h100", "h200", "l4", "l40s" and "rtx4090"`;

  it("fails the preview of a creation, with the listed ones and the list's address, after one request about GPUs", async () => {
    const { bench, refusals } = await checkOnce({ ...checked, gpuType: "h900" });
    expect(refusals).toEqual([refusal(bench.simulator.url)]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters", "GET /v1/gpus"]);
  });

  it.each<[string, Properties]>([
    ["stays", {}],
    ["stays while the cluster is scaled", { replicas: 1 }],
    ["is one of several", { gpuType: "h100", fallbackGpuTypes: ["h900"] }],
  ])("is left alone if it %s", async (_title, news) => {
    const bench = await openBench();
    const before = old({ gpuType: "h900" });
    for (const { refusals } of await checkTwice(bench, { ...checked, gpuType: "h900", ...news }, before)) {
      expect(refusals).toEqual([]);
    }
    expect(countOf(bench.simulator, "GET /v1/gpus")).toBeLessThanOrEqual(1);
  });

  it.each<[string, BenchOptions, RegExp]>([
    ["is empty", { gpuTypes: [] }, /GET \/v1\/gpus lists no GPU type at all/],
    ["cannot be read", { faults: [{ kind: "body", body: "5", path: "/v1/gpus", times: 9 }] }, /cannot read/],
    [
      "may leave types out",
      { faults: [{ kind: "body", body: '[{"type":"h100"},{"other":1}]', path: "/v1/gpus", times: 9 }] },
      /"h900" is not a GPU type that the service lists .* The service decides whether it accepts the type$/,
    ],
    ["cannot be had", { faults: [{ kind: "status", status: 500, path: "/v1/gpus", times: 9 }] }, /HTTP 500/],
  ])("is a warning alone if the list %s", async (_title, options, why) => {
    const { refusals, said } = await checkOnce({ ...checked, gpuType: "h900" }, {}, options);
    expect(refusals).toEqual([]);
    expect(said.filter((line) => line.startsWith("warning: "))).toEqual([expect.stringMatching(why)]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["all that entries, if none is close", ["h100", "l4"], /; it lists "h100" and "l4"$/],
    ["the first eight of many", Array.from({ length: 40 }, (_, index) => `g-${index}`), /"g-7" and 32 more$/],
  ])("is refused with %s", (_title, listed, text) => {
    expect(unlistedText("tpu", listed, "GET /v1/gpus")).toMatch(text);
  });

  const catalog = ["a100-40gb", "a100-80gb", "h100", "h200", "l4", "l40s", "rtx4090"];
  it.each<[string, string[]]>([
    ["H100", ["h100"]],
    ["h10", ["h100"]],
    ["h300", []],
    ["a100", ["a100-40gb", "a100-80gb"]],
    ["l40", ["l4", "l40s"]],
    ["a100-80", ["a100-80gb"]],
    ["x", []],
  ])("is close, as %s, to %j", (type, close) => {
    expect(closeNames(type, catalog)).toEqual(close);
  });
});
