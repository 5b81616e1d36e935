import { createClient } from "../../../../provider/api/client";
import { readGpuType } from "../../../../provider/api/decode/gpuRecords";
import { gpuKey } from "../../../../provider/api/decode/names";
import type { GpuType } from "../../../../provider/api/decode/types";
import { joinGpus, matchGpu, mergeRecords, priceInTier } from "../../../../provider/api/gpuMatch";
import { readAnswer } from "../../../../provider/api/http/answers";
import { gpusOf, readGpus } from "./listHarness";

/** That no price is read too low, and no GPU taken for another one, whatever the form, are laws in neverWorst.test.ts. */

test.each<[string, unknown, string[]]>([
  ["gpu_type before its row", [{ id: "x1", gpu_type: "h100" }], ["h100"]],
  ["what differs, not what all are", ["h100", "l4"].map((id) => ({ type: "x", id })), ["h100", "l4"]],
  ["an id, not the category of the only record", [{ type: "gpu", id: "h100" }], ["h100"]],
  ["a name, not the number of its row", [{ id: 17, name: "h100" }], ["h100"]],
  ["a map", { gpus: { "h100-sxm": { price: 1 }, l4: { available: true } } }, ["h100-sxm", "l4"]],
])("the types of %s are read", async (_what, json, expected) => {
  expect((await gpusOf(json)).gpus.map(({ type }) => type)).toEqual(expected);
});

test.each<[string, unknown, string]>([
  ["a list under another name", { catalog: [{ type: "h100" }] }, "it is not a list of GPU types"],
  ["a bare map without a name like that of a GPU", { user: { price: 1 } }, "it is not a list of GPU types"],
  ["a map of numbers, which may be counts", { gpus: { h100: 3, l4: 0 } }, "it is not a list of GPU types"],
  ["other things by name", { data: { user: { id: "u-1" } } }, "none of its records names a GPU type"],
  ["records without an identifier", { data: [{ price: 1 }] }, "none of its records names a GPU type"],
])("%s is no list of GPU types", async (_what, json, why) => {
  await expect(gpusOf(json)).rejects.toThrow(why);
});

const [idH100, idL4] = [{ id: "h100" }, { id: "l4" }];
test.each<[string, unknown, boolean]>([
  ["identifiers that differ", [idH100, idL4], true],
  ["one type by region", ["us", "eu"].map((region) => ({ gpu_type: "h100", region })), true],
  ["nothing", { gpus: [] }, false],
  ["names for people", [{ name: "H100" }, { name: "L4" }], false],
  ["one type twice", [idH100, { ...idH100, price: 1 }], false],
  ["a second list of other types", { gpus: [idH100], models: [idL4] }, false],
  ["the first page of two", { gpus: [idH100], has_more: true }, false],
])("a list of %s shows whether it is certain", async (_what, json, certain) => {
  expect((await gpusOf(json)).certain).toBe(certain);
});

const soldOut = { available: false };
const forMachines = { vm: { freeGpus: 5 }, cluster: { totalGpus: 16, freeGpus: 8, maxPlaceableGpus: 4 } };
test.each<[string, Record<string, unknown>, object]>([
  ["no stock by a word", { status: "OUT_OF_STOCK" }, soldOut],
  ["no stock by a flag that says no", { sold_out: true }, soldOut],
  ["a word that nobody knows, as nothing", { availability: "perhaps" }, {}],
  ["a flag and a count that disagree", { available: false, stock: 2 }, { ...soldOut, availableCount: 2 }],
  ["its stock for clusters, not that for machines", forMachines, { available: true, availableCount: 8 }],
  ["its memory", { memory: "80GB" }, { memoryGb: 80 }],
  ["the memory of a machine, as nothing", { vcpus: 30, memory_gib: 200 }, {}],
  [
    "the price of an hour before others",
    { price: 9, price_per_hour: 2.99, price_per_month: 1900 },
    { pricePerHour: 2.99 },
  ],
  ["cents", { hourlyPriceCents: 299, currency: "USD" }, { pricePerHour: 2.99, currency: "USD" }],
  [
    "a price inside objects",
    { pricing: { on_demand: { usd_per_hour: 2 }, spot: { usd_per_hour: 1 } } },
    { pricePerHour: 2, currency: "USD" },
  ],
  ["a currency in its name", { price_per_hour_eur: 2.99 }, { pricePerHour: 2.99, currency: "EUR" }],
  ["the highest of several prices", { hourly_price: 2.99, cost_per_hour: 1 }, { pricePerHour: 2.99 }],
  ["prices of something else, as nothing", { spot_price: 1, setup_cost: 5, price_per_token: 0.1 }, {}],
])("a GPU is read with %s", async (_what, fields, expected) => {
  const raw = { id: "h100", ...fields };
  expect((await gpusOf([raw])).gpus).toEqual([{ type: "h100", ...expected, raw }]);
});

test("a unit beside the list counts for all its prices, in each tier", async () => {
  const pricing = { community: 2, verified: 3 };
  const { gpus } = await gpusOf({ prices: [{ id: "h100", price: 1, pricing }], unit: "minute" });
  expect([priceInTier(gpus), priceInTier(gpus, "verified")]).toEqual([{}, {}]);
});

describe("the price in a tier", () => {
  const rows = [
    { gpuModelId: "h100", tier: "verified", pricePerHourCents: 374 },
    { gpuModelId: "h100", tier: "community", pricePerHourCents: 299 },
  ];
  const inTiers = (gpus: readonly GpuType[]) =>
    [undefined, "community", "verified", "gold"].map((tier) => priceInTier(gpus, tier).pricePerHour);

  it.each<[string, unknown]>([
    ["rows", { gpu: rows, cpu: [] }],
    ["objects", [{ id: "h100", pricing: { community: { hourlyCents: 299 }, verified: { hourlyCents: 374 } } }]],
    ["names", [{ id: "h100", communityCents: 299, verifiedCents: 374 }]],
    ["numbers", [{ id: "h100", prices: { community: 2.99, verified: 3.74 } }]],
  ])("is found in %s, also after the lists are joined; of another tier, there is none", async (_what, json) => {
    const { gpus } = await gpusOf(json);
    expect(inTiers(gpus)).toEqual([2.99, 2.99, 3.74, undefined]);
    const stock = (await gpusOf([{ gpuModel: "h100", tier: "verified", region: "eu", freeGpus: 1 }])).gpus;
    const [model] = joinGpus((await gpusOf([{ id: "h100" }])).gpus, [...gpus, ...stock]);
    expect(model).toMatchObject({ type: "h100", pricePerHour: 2.99, availableCount: 1 });
    expect(inTiers(model ? [model] : [])).toEqual([2.99, 2.99, 3.74, undefined]);
  });

  it("is the highest of several places", async () => {
    const { gpus } = await gpusOf([
      { gpu_type: "h100", region: "eu", price_per_hour: 2.5, currency: "EUR" },
      { gpu_type: "h100", region: "us", price_per_hour: 3 },
    ]);
    expect([priceInTier(gpus), mergeRecords(gpus)?.pricePerHour]).toEqual([{ pricePerHour: 3 }, 3]);
  });
});

test("of several matches, the most certain decides, or none", async () => {
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
    ["a record", { gpu_type: "h100", available: true }],
    ["records by region", [false, true].map((available) => ({ type: "H100", region: `${available}`, available }))],
    ["a map of types", { gpus: { l4: { stock: 0 }, h100: { stock: 1 } } }],
  ])("is read from %s", (_what, json) => {
    expect(mergeRecords(readGpuType("h100")(json))).toMatchObject({ type: "h100", available: true });
  });

  it("is not read from records that do not name it, and unknown from nothing", () => {
    for (const json of [{ gpu_type: "l4", available: true }, [{ type: "l4" }], [{ region: "eu", available: true }]])
      expect(() => readGpuType("h100")(json)).toThrow("it is not about this GPU type");
    expect(readGpuType("h100")(null)).toEqual([{ type: "h100", raw: {} }]);
  });
});

test("a list of GPUs in pages is read to its end, and one that repeats a page is an error", async () => {
  const pagesOf = (pages: Record<string, unknown>) =>
    readGpus(async (query = "") => ({ json: pages[query], headers: {} }));
  const page = { gpus: [idH100], next_cursor: "x" };
  const { items } = await pagesOf({ "": page, "cursor=x": { gpus: [idL4] } });
  expect(items.map(({ type }) => type)).toEqual(["h100", "l4"]);
  const response = { status: 200, headers: {}, body: JSON.stringify(page) };
  const client = createClient(async (request) => readAnswer(request, response, String));
  await expect(client.listGpuTypes()).rejects.toThrow("the same page repeatedly");
});
