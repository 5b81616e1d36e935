import { joinGpus, matchGpu, mergeRows, priceInTier } from "../../../../provider/api/gpuMatch";
import { gpuKey } from "../../../../provider/api/names";
import { readGpuList, readGpuType } from "../../../../provider/api/read/gpuRecords";
import type { GpuType } from "../../../../provider/api/types";
import { gpusOf } from "./listHarness";

test("identifiers that differ in case and punctuation alone are one", () => {
  expect(new Set(["RTX 4090", "rtx-4090", "rtx_4090", "Rtx4090"].map(gpuKey)).size).toBe(1);
  expect(gpuKey("a100")).not.toBe(gpuKey("a10"));
  expect(gpuKey("--")).toBe("--");
});

const typesOf = async (json: unknown) => (await gpusOf(json)).gpus.map(({ type }) => type);
/** What is read of one GPU with these fields. */
async function factsOf(fields: object) {
  const [{ type: _type, raw: _raw, ...facts } = { type: "", raw: {} }] = (await gpusOf([{ id: "h100", ...fields }]))
    .gpus;
  return facts;
}

test.each("gpus gpu gpu_types types models prices pricing availability data items result".split(" "))(
  "GPU types are read from a list under %s",
  async (name) => {
    const record = { type: "h100" };
    expect((await gpusOf({ [name]: [record] })).gpus).toEqual([{ type: "h100", raw: record }]);
  },
);

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

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["an error", { error: { code: "c", message: "m" } }],
  ["a list under another name", { catalog: [{ type: "h100" }] }],
  ["a bare map, which may be about anything", { h100: { price: 1 }, l4: { price: 2 } }],
  ["a map of numbers, which may be prices or counts", { gpus: { h100: 3, l4: 0 } }],
])("%s is no list of GPU types", async (_what, json) => {
  await expect(gpusOf(json)).rejects.toThrow("it is not a list of GPU types in a form that this version knows");
});

test.each<[string, unknown]>([
  ["records without a type", [{ price: 1 }, { available: true }]],
  ["records that say only what they are", { gpus: [{ type: "gpu" }] }],
  ["other things by name", { data: { user: { id: "u-1" }, plan: { seats: 3 } } }],
])("a list of %s names no GPU type", async (_what, json) => {
  await expect(gpusOf(json)).rejects.toThrow("none of its records names a GPU type");
});

const [idH100, idL4] = [{ id: "h100" }, { id: "l4" }];
test.each<[string, unknown, boolean]>([
  ["identifiers that differ", [idH100, idL4], true],
  ["a map", { gpus: { h100: { price: 1 }, l4: { price: 2 } } }, true],
  ["one type by region", ["us", "eu"].map((region) => ({ gpu_type: "h100", region })), true],
  ["another list beside the types", { gpus: [idH100, idL4], pricing: [{ id: "h100", price: 1 }] }, false],
  ["words, which may be for people", ["h100", "l4"], false],
  ["nothing", { gpus: [] }, false],
  ["names for people", [{ name: "H100" }, { name: "L4" }], false],
  ["one type twice", [idH100, { ...idH100, price: 1 }], false],
  ["a second list of other types", { gpus: [idH100], models: [idL4] }, false],
  ["the first page of two", { gpus: [idH100], has_more: true }, false],
])("a list of %s shows whether it is certain", async (_what, json, certain) => {
  expect((await gpusOf(json)).certain).toBe(certain);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["a name for people", { display_name: "NVIDIA H100" }, { name: "NVIDIA H100" }],
  ["a flag and a count that disagree", { available: false, stock: 2 }, { available: false, availableCount: 2 }],
  ["a count that is none", { available_count: -1 }, {}],
  ["null", { price: null, available: null, memory_gb: null }, {}],
  ["numbers by region, whose meaning is not known", { availability: { "eu-north": 3, "us-east": 0 } }, {}],
  [
    "a part for clusters and one for machines",
    { vm: { freeGpus: 5 }, cluster: { totalGpus: 16, freeGpus: 8, maxPlaceableGpus: 4 } },
    { available: true, availableCount: 8 },
  ],
])("a GPU record is read with %s", async (_what, fields, expected) => {
  expect(await factsOf(fields)).toEqual(expected);
});

const [inStock, soldOut] = [{ available: true }, { available: false }];
test.each<[string, unknown, object]>([
  ["availability", "In Stock", inStock],
  ["stockStatus", "low", inStock],
  ["status", "OUT_OF_STOCK", soldOut],
  ["capacity", "InsufficientCapacity", soldOut],
  ["sold_out", true, soldOut],
  ["outOfStock", false, inStock],
  ["freeGpus", "5", { ...inStock, availableCount: 5 }],
  ["stock", 0, { ...soldOut, availableCount: 0 }],
  ["capacity", 12, {}],
  ["availability", "perhaps", {}],
])("the stock is read from %s: %j", async (name, value, expected) => {
  expect(await factsOf({ [name]: value })).toEqual(expected);
});

test.each<[Record<string, unknown>, number | undefined]>([
  [{ memory: "80GB" }, 80],
  [{ vramGb: 80 }, 80],
  [{ memory: 81920 }, undefined],
  [{ memoryGb: 30, gpuMemoryGb: 24 }, 24],
  [{ vcpus: 30, memory_gib: 200 }, undefined],
  [{ cpuCores: 30, memory_gb: 200, vram: "24 GB" }, 24],
  [{ gpu_count: 8, memory_gb: 640 }, undefined],
  [{ memory_gb: 0 }, undefined],
])("the memory %p is %p GB", async (fields, memoryGb) => {
  expect(await factsOf(fields)).toEqual(memoryGb === undefined ? {} : { memoryGb });
});

test.each<[string, Record<string, unknown>, number | undefined, string | undefined]>([
  ["an hour before others", { price: 9, price_per_hour: 2.99, price_per_month: 1900 }, 2.99, undefined],
  ["nothing", { price_per_hour: 0 }, 0, undefined],
  ["a price that is none, then one that is", { price_per_hour: "on request", price: 3 }, 3, undefined],
  ["cents", { hourlyPriceCents: 299, currency: "USD" }, 2.99, "USD"],
  ["tiers", { pricing: { verified: { pricePerHour: 3.5 }, community: { pricePerHour: 2.99 } } }, 2.99, undefined],
  ["tiers in names", { verifiedCents: 350, communityCents: 299 }, 2.99, undefined],
  ["a tier of its own", { tier: "verified", price_per_hour: 3.5 }, 3.5, undefined],
  ["a currency in its name", { price_per_hour_eur: 2.99 }, 2.99, "EUR"],
  ["the highest of several", { hourly_price: 2.99, price_per_hour: 3.99, cost_per_hour: 1 }, 3.99, undefined],
  ["an hour in its name, whatever is billed", { price_per_hour: 3, billing_period: "minute" }, 3, undefined],
])("a price is read from %s", async (_what, fields, pricePerHour, currency) => {
  const facts = await factsOf(fields);
  expect([facts.pricePerHour, facts.currency]).toEqual([pricePerHour, currency]);
});

/** A price that is read too low would let a cluster cost more than its limit. */
test.each<[string, Record<string, unknown>]>([
  ["a unit that is a number", { price: 2, per: 100 }],
  ["a price of something else", { spot_price: 1, setup_cost: 5, price_per_token: 0.1, rate_limit: 100 }],
  ["a decimal comma", { price: "2,99 \u20ac" }],
  ["a price below nothing", { price: -1 }],
  ["names of every object", { price_constructor: 3, price_toString: 3, price___proto__: 3 }],
])("a price is none with %s", async (_what, fields) => {
  expect(await factsOf(fields)).not.toHaveProperty("pricePerHour");
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

const priced = [{ id: "h100", price: 2.99, stock: 3 }].concat({ id: "l4", price: 0.44, stock: 0 });
test.each<[string, unknown]>([
  ["a map", { gpus: { h100: { price: 2.99, stock: 3 }, l4: { price: 0.44, stock: 0 } } }],
  ["a list two deep", { data: { gpus: priced } }],
])("types, prices and stock are read from %s", async (_what, json) => {
  const facts = (await gpusOf(json)).gpus.map((gpu) => [gpu.type, gpu.pricePerHour, gpu.available, gpu.availableCount]);
  expect(facts.map(String)).toEqual(["h100,2.99,true,3", "l4,0.44,false,0"]);
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
    ["rows in another order", { gpu: [...rows].reverse() }],
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

test("of several matches, none is taken; the most certain comparison decides", async () => {
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
    [
      "records by region, which name it",
      ["eu", "us"].map((region) => ({ type: "H100", region, available: region === "us" })),
    ],
    ["a list of types", [gpuL4, { type: "H100", available: true }]],
    ["a map of types", { gpus: { l4: { stock: 0 }, h100: { stock: 1 } } }],
  ])("is read from %s", (_what, json) => {
    expect(readGpuType("h100")(json)).toMatchObject({ type: "h100", available: true });
  });

  it.each<[string, unknown]>([
    ["a record", { gpu_type: "l4", available: true }],
    ["a list of one", [gpuL4]],
    ["a list of several records under gpus", { gpus: [gpuL4, { type: "a100" }] }],
    ["a list of words", ["l4", "a100"]],
    ["records by region that name no type", [{ region: "eu", available: true }]],
  ])("is not read from %s that does not name it", (_what, json) => {
    expect(() => readGpuType("h100")(json)).toThrow("it is not about this GPU type");
  });

  it.each([null, [], "perhaps", {}])("is unknown from %p", (json) => {
    expect(readGpuType("h100")(json)).toEqual({ type: "h100", raw: {} });
  });
});

describe("a list of GPUs in pages", () => {
  const [h100, l4] = [{ type: "h100" }, { type: "l4" }];

  /** A service whose list has a page for each query. */
  async function pagesOf(pages: Record<string, unknown>) {
    const asked: string[] = [];
    const { gpus } = await readGpuList(async (query = "") => {
      asked.push(query);
      return { json: pages[query], headers: {} };
    });
    return { types: gpus.map(({ type }) => type), asked };
  }

  it.each<[string, Record<string, unknown>]>([
    ["a cursor", { "": { gpus: [h100], next_cursor: "x" }, "cursor=x": { gpus: [l4], next_cursor: null } }],
    [
      "a link",
      { "": { gpus: { h100: { price: 1 } }, links: { next: "?p=2" } }, "p=2": { gpus: { l4: { price: 1 } } } },
    ],
  ])("is read to its end by %s", async (_by, pages) => {
    expect(await pagesOf(pages)).toEqual({ types: ["h100", "l4"], asked: Object.keys(pages) });
  });

  it.each<[string, unknown]>([
    ["a bare list", [h100, l4]],
    ["a list that says nothing of pages", { gpus: [h100, l4], region: "eu" }],
  ])("that is %s is one page", async (_what, json) => {
    expect(await pagesOf({ "": json })).toEqual({ types: ["h100", "l4"], asked: [""] });
  });

  it("that repeats a page is an error", async () => {
    const page = { gpus: [h100], next_cursor: "x" };
    const asked = pagesOf({ "": page, "cursor=x": page });
    await expect(asked).rejects.toThrow("the service returns the same page repeatedly");
  });
});

test("facts that are 40 maps deep take no time", () => {
  let deep: unknown = {};
  for (let level = 0; level < 40; level += 1) deep = { regions: deep };
  const start = performance.now();
  expect(readGpuType("h100")([{ type: "h100", regions: deep, price: deep }])).toMatchObject({ type: "h100" });
  expect(readGpuType("h100")({ regions: deep })).toMatchObject({ type: "h100" });
  expect(performance.now() - start).toBeLessThan(200);
});
