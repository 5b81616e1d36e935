import { joinGpus, matchGpu, mergeRows, priceInTier } from "../../../../provider/api/gpuMatch";
import { gpuKey } from "../../../../provider/api/names";
import { readGpuList, readGpuType } from "../../../../provider/api/read/gpuRecords";
import type { GpuType } from "../../../../provider/api/types";
import { gpusOf } from "./listHarness";

/** That no price is read too low, and no GPU taken for another one, whatever the form, are laws in neverWorst.test.ts. */

const typesOf = async (json: unknown) => (await gpusOf(json)).gpus.map(({ type }) => type);
/** What is read of one GPU with these fields. */
async function factsOf(fields: object) {
  const [{ type: _type, raw: _raw, ...facts } = { type: "", raw: {} }] = (await gpusOf([{ id: "h100", ...fields }]))
    .gpus;
  return facts;
}

test.each<[string, unknown, string[]]>([
  ["gpu_type before its row", [{ id: "x1", gpu_type: "h100" }], ["h100"]],
  ["the id of a model before its name", [{ gpuModelName: "RTX 4090", gpuModelId: "rtx-4090" }], ["rtx-4090"]],
  ["what differs, not what all are", ["h100", "l4"].map((id) => ({ type: "x", id })), ["h100", "l4"]],
  ["an id, not the category of the only record", [{ type: "gpu", id: "h100" }], ["h100"]],
  ["a name, not the number of its row", [{ id: 17, name: "h100" }], ["h100"]],
  ["a map", { gpus: { "h100-sxm": { price: 1 }, l4: { available: true } } }, ["h100-sxm", "l4"]],
  ["a list beside an id and a type", { id: "list_1", type: "list", data: [{ type: "h100" }] }, ["h100"]],
  ["an empty list", [], []],
])("the types of %s are read", async (_what, json, expected) => {
  expect(await typesOf(json)).toEqual(expected);
});

test.each<[string, unknown, string]>([
  ["null", null, "it is not a list of GPU types"],
  ["a list under another name", { catalog: [{ type: "h100" }] }, "it is not a list of GPU types"],
  ["a bare map, which may be about anything", { h100: { price: 1 } }, "it is not a list of GPU types"],
  ["a map of numbers, which may be counts", { gpus: { h100: 3, l4: 0 } }, "it is not a list of GPU types"],
  ["records that say only what they are", { gpus: [{ type: "gpu" }] }, "none of its records names a GPU type"],
  ["other things by name", { data: { user: { id: "u-1" } } }, "none of its records names a GPU type"],
])("%s is no list of GPU types", async (_what, json, why) => {
  await expect(gpusOf(json)).rejects.toThrow(why);
});

const [idH100, idL4] = [{ id: "h100" }, { id: "l4" }];
test.each<[string, unknown, boolean]>([
  ["identifiers that differ", [idH100, idL4], true],
  ["one type by region", ["us", "eu"].map((region) => ({ gpu_type: "h100", region })), true],
  ["words, which may be for people", ["h100", "l4"], false],
  ["nothing", { gpus: [] }, false],
  ["names for people", [{ name: "H100" }, { name: "L4" }], false],
  ["one type twice", [idH100, { ...idH100, price: 1 }], false],
  ["a second list of other types", { gpus: [idH100], models: [idL4] }, false],
  ["the first page of two", { gpus: [idH100], has_more: true }, false],
])("a list of %s shows whether it is certain", async (_what, json, certain) => {
  expect((await gpusOf(json)).certain).toBe(certain);
});

const [inStock, soldOut] = [{ available: true }, { available: false }];
const forMachines = { vm: { freeGpus: 5 }, cluster: { totalGpus: 16, freeGpus: 8, maxPlaceableGpus: 4 } };
test.each<[string, Record<string, unknown>, object]>([
  ["a word", { status: "OUT_OF_STOCK" }, soldOut],
  ["a word that nobody knows, as nothing", { availability: "perhaps" }, {}],
  ["a flag that says no", { sold_out: true }, soldOut],
  ["a number", { freeGpus: "5" }, { ...inStock, availableCount: 5 }],
  ["a number of none", { stock: 0 }, { ...soldOut, availableCount: 0 }],
  ["a flag and a count that disagree", { available: false, stock: 2 }, { ...soldOut, availableCount: 2 }],
  ["a count that is none", { available_count: -1, available: null }, {}],
  ["its part for clusters, not that for machines", forMachines, { ...inStock, availableCount: 8 }],
])("the stock is read from %s", async (_what, fields, expected) => {
  expect(await factsOf(fields)).toEqual(expected);
});

test.each<[Record<string, unknown>, number | undefined]>([
  [{ memory: "80GB" }, 80],
  [{ memory: 81920 }, undefined],
  [{ memoryGb: 30, gpuMemoryGb: 24 }, 24],
  [{ vcpus: 30, memory_gib: 200 }, undefined],
])("the memory %p is %p GB", async (fields, memoryGb) => {
  expect(await factsOf(fields)).toEqual(memoryGb === undefined ? {} : { memoryGb });
});

test.each<[string, Record<string, unknown>, number | undefined, string | undefined]>([
  ["an hour before others", { price: 9, price_per_hour: 2.99, price_per_month: 1900 }, 2.99, undefined],
  ["a price that is none, then one that is", { price_per_hour: "on request", price: 3 }, 3, undefined],
  ["cents", { hourlyPriceCents: 299, currency: "USD" }, 2.99, "USD"],
  ["tiers", { pricing: { verified: { pricePerHour: 3.5 }, community: { pricePerHour: 2.99 } } }, 2.99, undefined],
  ["a currency in its name", { price_per_hour_eur: 2.99 }, 2.99, "EUR"],
  ["the highest of several", { hourly_price: 2.99, price_per_hour: 3.99, cost_per_hour: 1 }, 3.99, undefined],
  ["a price of something else, as none", { spot_price: 1, setup_cost: 5, price_per_token: 0.1 }, undefined, undefined],
  ["a price below nothing, as none", { price: -1 }, undefined, undefined],
])("a price is read from %s", async (_what, fields, pricePerHour, currency) => {
  const facts = await factsOf(fields);
  expect([facts.pricePerHour, facts.currency]).toEqual([pricePerHour, currency]);
});

test.each<[string, object]>([
  ["minute", { unit: "minute" }],
  ["exponent", { meta: {}, exponent: 2 }],
  ["word for contracts", { tier: "reserved" }],
])("a %s beside the list counts for all its prices, in each tier", async (_what, beside) => {
  const pricing = { community: 2, verified: 3 };
  const { gpus } = await gpusOf({ prices: [{ id: "h100", price: 1, pricing }], ...beside });
  expect(gpus[0]).not.toHaveProperty("pricePerHour");
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
    ["names", [{ id: "h100", communityCents: 299, verifiedCents: 374 }]],
  ])("is found in %s, also after the lists are joined; of another tier, there is none", async (_what, json) => {
    const { gpus } = await gpusOf(json);
    expect(inTiers(gpus)).toEqual([2.99, 2.99, 3.74, undefined]);
    const stock = (await gpusOf([{ gpuModel: "h100", tier: "verified", region: "eu", freeGpus: 1 }])).gpus;
    const [model] = joinGpus((await gpusOf([{ id: "h100" }])).gpus, gpus, stock);
    expect(model).toMatchObject({ type: "h100", pricePerHour: 2.99, availableCount: 1 });
    expect(inTiers(model ? [model] : [])).toEqual([2.99, 2.99, 3.74, undefined]);
  });

  it("is that of the service if it has no tiers, and the highest of several places", async () => {
    const { gpus } = await gpusOf([
      { gpu_type: "h100", region: "eu", price_per_hour: 2.5, currency: "EUR" },
      { gpu_type: "h100", region: "us", price_per_hour: 3 },
    ]);
    expect(priceInTier(gpus)).toEqual({ pricePerHour: 3 });
    expect(priceInTier(gpus.slice(0, 1), "verified")).toEqual({ pricePerHour: 2.5, currency: "EUR" });
    expect(mergeRows(gpus)).toMatchObject({ type: "h100", pricePerHour: 3 });
  });
});

test("identifiers that differ in case and punctuation alone are one; of several matches, the most certain decides, or none", async () => {
  expect(new Set(["RTX 4090", "rtx-4090", "rtx_4090", "Rtx4090"].map(gpuKey)).size).toBe(1);
  const { gpus } = await gpusOf(["a100-40gb", "a100-80gb", "a100"].map((id) => ({ id, name: `NVIDIA ${id}` })));
  expect(matchGpu("A100", gpus)).toMatchObject({ kind: "one", gpu: { type: "a100" } });
  expect(matchGpu("nvidia a100-40gb", gpus)).toMatchObject({ kind: "one", gpu: { type: "a100-40gb" } });
  expect(matchGpu("a10", gpus)).toEqual({ kind: "none" });
  const twins = (await gpusOf(["x1", "x2"].map((id) => ({ id, name: "H100" })))).gpus;
  expect(matchGpu("h100", twins)).toMatchObject({ kind: "ambiguous", candidates: [{ type: "x1" }, { type: "x2" }] });
});

describe("the availability of one type", () => {
  const gpuL4 = { type: "l4", available: true };

  it.each<[string, unknown]>([
    ["a record", { gpu_type: "h100", available: true }],
    ["records by region", [false, true].map((available) => ({ type: "H100", region: `${available}`, available }))],
    ["a map of types", { gpus: { l4: { stock: 0 }, h100: { stock: 1 } } }],
  ])("is read from %s", (_what, json) => {
    expect(readGpuType("h100")(json)).toMatchObject({ type: "h100", available: true });
  });

  it.each<[string, unknown]>([
    ["a record", { gpu_type: "l4", available: true }],
    ["a list of one", [gpuL4]],
    ["records by region that name no type", [{ region: "eu", available: true }]],
  ])("is not read from %s that does not name it", (_what, json) => {
    expect(() => readGpuType("h100")(json)).toThrow("it is not about this GPU type");
  });

  it.each([null, [], {}])("is unknown from %p", (json) => {
    expect(readGpuType("h100")(json)).toEqual({ type: "h100", raw: {} });
  });
});

describe("a list of GPUs in pages", () => {
  const [h100, l4] = [{ type: "h100" }, { type: "l4" }];
  const pagesOf = (pages: Record<string, unknown>) =>
    readGpuList(async (query = "") => ({ json: pages[query], headers: {} }));

  it("is read to its end", async () => {
    const { gpus } = await pagesOf({ "": { gpus: [h100], next_cursor: "x" }, "cursor=x": { gpus: [l4] } });
    expect(gpus.map(({ type }) => type)).toEqual(["h100", "l4"]);
  });

  it("that repeats a page is an error", async () => {
    const page = { gpus: [h100], next_cursor: "x" };
    await expect(pagesOf({ "": page, "cursor=x": page })).rejects.toThrow("the same page repeatedly");
  });
});
