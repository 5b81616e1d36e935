import { Client } from "../../../../provider/api/client";
import { readGpuType } from "../../../../provider/api/decode/gpuRecords";
import { type Extent, gpuKey } from "../../../../provider/api/decode/records";
import type { GpuType } from "../../../../provider/api/decode/types";
import { joinGpus, matchGpu, mergeRecords, priceInTier } from "../../../../provider/api/gpuMatch";
import { readAnswer } from "../../../../provider/api/http/answers";
import { gpusOf } from "./listHarness";

/** neverWorst.test.ts has the laws that no price is read too low, and no GPU taken for another one. */

const h100 = { id: "h100" };
const l4 = { id: "l4" };

describe("a list of GPUs", () => {
  it.each<[string, unknown, string[]]>([
    ["identifies types by gpu_type before the id of a row", [{ id: "x1", gpu_type: "h100" }], ["h100"]],
    ["identifies types by what differs", ["h100", "l4"].map((id) => ({ type: "x", id })), ["h100", "l4"]],
    ["identifies the only type by its id, not its category", [{ type: "gpu", id: "h100" }], ["h100"]],
    ["identifies types by name, not by number", [{ id: 17, name: "h100" }], ["h100"]],
  ])("%s", async (_name, json, expected) => {
    expect((await gpusOf(json)).gpus.map(({ type }) => type)).toEqual(expected);
  });

  it.each<[string, unknown, string]>([
    ["is unreadable under another name", { catalog: [{ type: "h100" }] }, "it is not a list of GPU types"],
    [
      "is unreadable with families of types",
      { gpus: { nvidia: { h100: { price: 2 }, price: 1 } } },
      "none of its records names a GPU type",
    ],
    ["is unreadable without identifiers", { data: [{ price: 1 }] }, "none of its records names a GPU type"],
  ])("%s", async (_name, json, message) => {
    await expect(gpusOf(json)).rejects.toThrow(message);
  });

  it.each<[string, unknown, Extent]>([
    ["is whole with different identifiers", [h100, l4], "whole"],
    ["is whole with one type by region", ["us", "eu"].map((region) => ({ gpu_type: "h100", region })), "whole"],
    ["is a part if empty", { gpus: [] }, "part"],
    ["is a part with names for people", [{ name: "H100" }, { name: "L4" }], "part"],
    ["is a part with one type twice", [h100, { ...h100, price: 1 }], "part"],
    ["is a part beside other types", { gpus: [h100], models: [l4] }, "part"],
  ])("%s", async (_name, json, extent) => {
    expect((await gpusOf(json)).extent).toBe(extent);
  });

  it("is an error if it repeats a page", async () => {
    const response = { status: 200, headers: {}, body: JSON.stringify({ gpus: [h100], next_cursor: "x" }) };
    const client = new Client({ send: async (request) => readAnswer(request, response, String) });
    await expect(client.listGpuTypes()).rejects.toThrow("the same page repeatedly");
  });
});

const soldOut = { available: false };
const forMachines = { vm: { freeGpus: 5 }, cluster: { totalGpus: 16, freeGpus: 8, maxPlaceableGpus: 4 } };
const onDemand = { on_demand: { usd_per_hour: 2 }, spot: { usd_per_hour: 1 } };

describe("the record of a GPU", () => {
  it.each<[string, Record<string, unknown>, object]>([
    ["shows no stock by a flag", { sold_out: true }, soldOut],
    ["shows its stock for clusters, not that for machines", forMachines, { available: true, availableCount: 8 }],
    ["shows its memory", { memory: "80GB" }, { memoryGb: 80 }],
    ["does not show the memory of a machine", { vcpus: 30, memory_gib: 200 }, {}],
    ["prefers the price of an hour", { price: 9, price_per_hour: 2, price_per_month: 1900 }, { pricePerHour: 2 }],
    ["shows cents", { hourlyPriceCents: 299, currency: "USD" }, { pricePerHour: 2.99, currency: "USD" }],
    ["shows a price in objects", { pricing: onDemand }, { pricePerHour: 2, currency: "USD" }],
    ["shows a currency in a name", { price_per_hour_eur: 2.99 }, { pricePerHour: 2.99, currency: "EUR" }],
    ["shows the highest price", { hourly_price: 2.99, cost_per_hour: 1 }, { pricePerHour: 2.99 }],
  ])("%s", async (_name, fields, expected) => {
    const raw = { ...h100, ...fields };
    expect((await gpusOf([raw])).gpus).toEqual([{ type: "h100", ...expected, raw }]);
  });
});

describe("the price in a tier", () => {
  const rows = [
    { gpuModelId: "h100", tier: "verified", pricePerHourCents: 374 },
    { gpuModelId: "h100", tier: "community", pricePerHourCents: 299 },
  ];
  const inTiers = (gpus: readonly GpuType[]) =>
    [undefined, "community", "verified", "gold"].map((tier) => priceInTier(gpus, tier).pricePerHour);

  it.each<[string, unknown]>([
    ["is read from rows", { gpu: rows, cpu: [] }],
    [
      "is read from objects",
      [{ ...h100, pricing: { community: { hourlyCents: 299 }, verified: { hourlyCents: 374 } } }],
    ],
    ["is read from numbers", [{ id: "h100", prices: { community: 2.99, verified: 3.74 } }]],
  ])("%s, even after lists are joined, and unknown for another tier", async (_name, json) => {
    const { gpus } = await gpusOf(json);
    expect(inTiers(gpus)).toEqual([2.99, 2.99, 3.74, undefined]);
    const stock = (await gpusOf([{ gpuModel: "h100", tier: "verified", region: "eu", freeGpus: 1 }])).gpus;
    const [model] = joinGpus((await gpusOf([{ id: "h100" }])).gpus, [...gpus, ...stock]);
    expect(model).toMatchObject({ type: "h100", pricePerHour: 2.99, availableCount: 1 });
    expect(inTiers(model ? [model] : [])).toEqual([2.99, 2.99, 3.74, undefined]);
  });

  it("is unknown in each tier beside another unit", async () => {
    const pricing = { community: 2, verified: 3 };
    const { gpus } = await gpusOf({ prices: [{ ...h100, price: 1, pricing }], unit: "minute" });
    expect([priceInTier(gpus), priceInTier(gpus, "verified")]).toEqual([{}, {}]);
  });

  it("is the highest of several places", async () => {
    const { gpus } = await gpusOf([
      { gpu_type: "h100", region: "eu", price_per_hour: 2.5, currency: "EUR" },
      { gpu_type: "h100", region: "us", price_per_hour: 3 },
    ]);
    expect([priceInTier(gpus), mergeRecords(gpus)?.pricePerHour]).toEqual([{ pricePerHour: 3 }, 3]);
  });
});

test("the most certain match of a GPU decides, if it is the only one", async () => {
  expect(new Set(["RTX 4090", "rtx-4090", "rtx_4090", "Rtx4090"].map(gpuKey)).size).toBe(1);
  const { gpus } = await gpusOf(["a100-40gb", "a100"].map((id) => ({ id, name: `NVIDIA ${id}` })));
  expect(matchGpu("A100", gpus)).toMatchObject({ kind: "one", gpu: { type: "a100" } });
  expect(matchGpu("nvidia a100-40gb", gpus)).toMatchObject({ kind: "one", gpu: { type: "a100-40gb" } });
  expect(matchGpu("a10", gpus)).toEqual({ kind: "none" });
  const twins = (await gpusOf(["x1", "x2"].map((id) => ({ id, name: "H100" })))).gpus;
  expect(matchGpu("h100", twins)).toMatchObject({ kind: "ambiguous", candidates: [{ type: "x1" }, { type: "x2" }] });
});

describe("the availability of one type", () => {
  it.each<[string, unknown]>([
    ["is read from a record", { gpu_type: "h100", available: true }],
    ["is read from records by region", [false, true].map((available) => ({ type: "H100", region: "", available }))],
  ])("%s", (_name, json) => {
    expect(mergeRecords(readGpuType(json, "h100"))).toMatchObject({ type: "h100", available: true });
  });

  it("is not read from records of other types, and unknown from nothing", () => {
    for (const json of [{ gpu_type: "l4", available: true }, [{ type: "l4" }], [{ region: "eu", available: true }]])
      expect(() => readGpuType(json, "h100")).toThrow("it is not about this GPU type");
    expect(readGpuType(null, "h100")).toEqual([{ type: "h100", raw: {} }]);
  });
});
