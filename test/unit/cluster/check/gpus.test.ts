import { chooseType } from "../../../../provider/cluster/check/gpuType";
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
    ["one that exists before one that does not", listOf("h900", "h100"), "h100"],
  ])("become %s, after one request", async (_title, news, type) => {
    const { bench, inputs, refusals } = await checkOnce(news);
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe(type);
    expect(countOf(bench.simulator, "GET /v1/gpus")).toBe(1);
  });

  it.each([["whatever the stock is", listOf("h200", "h100")]])(
    "become the type that the cluster has, %s, without a request",
    async (_title, news) => {
      const { bench, inputs } = await checkOnce(news, old());
      expect(inputs["gpuType"]).toBe("h100");
      expect(bench.simulator.requests).toEqual([]);
    },
  );

  it("keep that type through a replacement for another reason", async () => {
    const bench = await openBench();
    const [, { inputs, refusals }] = await checkTwice(bench, { ...listOf("h200", "h100"), name: "api" }, old());
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ gpuType: "h100", name: "api", hourlyCost: 5.98 });
    expect(requestLines(bench.simulator)).not.toContain("GET /v1/gpus/pricing");
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

  it("become one that is there before one that may be, and that before one that is not", async () => {
    const stock = (known: Record<string, number>) => async (type: string) => known[type];
    expect(await chooseType(["a", "b", "c"], 2, stock({ a: 0, c: 0 }))).toBe("b");
    expect(await chooseType(["a", "b", "c"], 2, stock({ b: 2, c: 0 }))).toBe("b");
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
});
