import { readGpus, readGpuType } from "../../../../provider/api/read/gpuRecords";

const readGpuTypes = (json: unknown) => readGpus("types")(json).gpus;

test.each(["gpus", "gpu_types", "types", "models", "prices", "pricing", "availability", "data"])(
  "GPU types are read from a list under %s",
  (name) => {
    const record = { type: "h100" };
    expect(readGpuTypes({ [name]: [record] })).toEqual([{ type: "h100", raw: record }]);
  },
);

test("GPU types are read from a bare list, words too; records without a type are left out", () => {
  const types = readGpuTypes([{ type: "h100" }, {}, null, "l4", { price: 1 }, { id: "a100" }]).map(({ type }) => type);
  expect(types).toEqual(["h100", "l4", "a100"]);
});

test.each([undefined, null, "x", { error: { code: "c", message: "m" } }])("%p is no list of GPU types", (json) => {
  expect(() => readGpuTypes(json)).toThrow("is not a list of GPU types");
});

test.each(["type", "gpu_type", "id", "model", "name"])("the type is read from %s", (field) => {
  const raw = { [field]: "h100" };
  expect(readGpuTypes([raw])).toEqual([{ type: "h100", ...(field === "name" && raw), raw }]);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["the most specific name", { price: 9, price_per_hour: 2.99, hourly_price: 8 }, { pricePerHour: 2.99 }],
  ["hourly_price", { hourly_price: 2.99 }, { pricePerHour: 2.99 }],
  ["price_hourly", { price_hourly: 2.99 }, { pricePerHour: 2.99 }],
  ["price", { price: 2.99 }, { pricePerHour: 2.99 }],
  ["a price as text", { price_per_hour: "2.99" }, { pricePerHour: 2.99 }],
  ["a price of nothing", { price_per_hour: 0 }, { pricePerHour: 0 }],
  ["a price that is none, then one that is", { price_per_hour: "on request", price: 3 }, { pricePerHour: 3 }],
  ["an empty price", { price_per_hour: " " }, {}],
  ["an infinite price", { price_per_hour: "Infinity" }, {}],
  ["a currency", { currency: "EUR" }, { currency: "EUR" }],
  ["memory_gb", { memory_gb: 80 }, { memoryGb: 80 }],
  ["vram_gb", { vram_gb: 80 }, { memoryGb: 80 }],
  ["gpu_memory_gb", { gpu_memory_gb: "80" }, { memoryGb: 80 }],
  ["display_name", { display_name: "NVIDIA H100" }, { name: "NVIDIA H100" }],
  ["description", { description: "NVIDIA H100" }, { name: "NVIDIA H100" }],
  ["a flag", { available: false }, { available: false }],
  ["in_stock", { in_stock: true }, { available: true }],
  ["a count, which says the flag too", { available_count: 5 }, { available: true, availableCount: 5 }],
  ["a count of nothing", { count: 0 }, { available: false, availableCount: 0 }],
  ["a flag and a count that disagree", { available: false, stock: 2 }, { available: false, availableCount: 2 }],
  ["a count that is none", { available_count: -1 }, {}],
  ["a part of a GPU", { available_count: 1.5 }, {}],
  ["a flag that is a word", { available: "yes" }, { available: true }],
  ["null", { price: null, available: null, memory_gb: null }, {}],
])("a GPU record is read with %s", (_what, fields, expected) => {
  const raw = { type: "h100", ...fields };
  expect(readGpuTypes([raw])).toEqual([{ type: "h100", ...expected, raw }]);
});

test.each([
  ["bare", { gpu_type: "h100", available: true }],
  ["under gpu", { gpu: { gpu_type: "h100", available: true } }],
  ["under availability", { availability: { available: true } }],
  ["under data", { data: { available: true } }],
  ["without its type", { available: true }],
])("the availability of one type is read %s", (_what, json) => {
  expect(readGpuType("h100")(json)).toMatchObject({ type: "h100", available: true });
});

test.each([null, [], "perhaps", {}])("%p says nothing about the availability", (json) => {
  expect(readGpuType("h100")(json)).toEqual({ type: "h100", raw: expect.anything() });
});

const priced = [{ id: "h100", price: 2.99, stock: 3 }].concat({ id: "l4", price: 0.44, stock: 0 });
test.each<[string, unknown]>([
  ["a map", { h100: { price_per_hour: 2.99, available_count: 3 }, l4: { price_per_hour: 0.44, available_count: 0 } }],
  ["a map under gpus", { gpus: { h100: { price: 2.99, stock: 3 }, l4: { price: 0.44, stock: 0 } } }],
  ["a list two deep", { data: { gpus: priced } }],
  ["a list of a name that nobody knows", { catalog: priced }],
  [
    "lists beside each other",
    {
      gpus: [{ type: "h100" }, { type: "l4" }],
      pricing: [{ type: "l4", price: 0.44 }].concat({ type: "h100", price: 2.99 }),
      availability: { h100: 3, l4: 0 },
    },
  ],
  [
    "maps of values beside a list of words",
    { models: ["h100", "l4"], prices: { h100: 2.99, l4: "$0.44/hr" }, availability: { h100: 3, l4: 0 } },
  ],
])("types, prices and stock are read from %s", (_what, json) => {
  const facts = readGpuTypes(json).map((gpu) => [gpu.type, gpu.pricePerHour, gpu.available, gpu.availableCount]);
  expect(facts.map(String)).toEqual(["h100,2.99,true,3", "l4,0.44,false,0"]);
});

test("a list that is empty, in a list or a map, holds no types", () => {
  expect([[], {}, { gpus: [] }, { gpus: {} }].map(readGpuTypes)).toEqual([[], [], [], []]);
});

test("a field with the category of a record is not its identifier", () => {
  expect(readGpuTypes([{ type: "gpu", id: "h100" }]).map(({ type }) => type)).toEqual(["h100"]);
});

test.each<[string, Record<string, unknown>, number | undefined, string | undefined]>([
  ["a text with a sign and a time", { price: "$2.99/hr" }, 2.99, "USD"],
  ["a text with a currency behind", { price: "2.99 EUR per hour" }, 2.99, "EUR"],
  ["a text with a decimal comma", { price: "2,99 \u20ac" }, 2.99, "EUR"],
  ["a text with thousands", { price: "US$1,299.50" }, 1299.5, "USD"],
  ["cents", { price_cents_per_hour: 299 }, 2.99, undefined],
  ["cents in camelCase", { hourlyPriceCents: 299, currency: "USD" }, 2.99, "USD"],
  ["millionths, as none", { price_micros: 2_990_000 }, undefined, undefined],
  ["tiers", { pricing: { verified: { pricePerHour: 3.5 }, community: { pricePerHour: 2.99 } } }, 2.99, undefined],
  ["tiers in names", { verifiedCents: 350, communityCents: 299 }, 2.99, undefined],
  ["a time in a name of cents", { pricing: { cents_per_minute: 5 } }, 3, undefined],
  ["a currency in its name", { price_per_hour_usd: 2.99 }, 2.99, "USD"],
  ["an object", { pricing: { hourly: 2.99, currency: "USD" } }, 2.99, "USD"],
  ["an object of cents", { price: { amount: 299, unit: "cents", currency: "EUR" } }, 2.99, "EUR"],
  ["an object two deep", { pricing: { on_demand: { per_hour: 2.99 } } }, 2.99, undefined],
  ["an amount for an hour", { price: { amount: 2.99, per: "hour" } }, 2.99, undefined],
  ["an amount for a minute", { price: { value: 0.05, per: "minute" } }, 3, undefined],
  ["a price for a second", { price_per_second: 0.001 }, 3.6, undefined],
  ["a price for an hour before others", { price: 9, hourly_cost: 2.99, price_per_month: 1900 }, 2.99, undefined],
  ["a price for a month, which cannot be converted", { price_per_month: 1900 }, undefined, undefined],
  ["an amount for a month", { price: { amount: 1900, per: "month" } }, undefined, undefined],
  ["a month in its text", { price: "1900 USD/month" }, undefined, undefined],
  ["a price of something else", { spot_price: 1, setup_cost: 5, price_per_token: 0.1 }, undefined, undefined],
  ["a sign that several currencies have", { price: "\u00a5300" }, 300, undefined],
  ["a range", { price: "2.99-3.99" }, undefined, undefined],
  ["a price below nothing", { price: -1 }, undefined, undefined],
  ["a limit that has a rate in its name", { rate_limit: 100 }, undefined, undefined],
])("a price is read from %s", (_what, fields, pricePerHour, currency) => {
  const [gpu] = readGpuTypes([{ type: "h100", ...fields }]);
  expect([gpu?.pricePerHour, gpu?.currency]).toEqual([pricePerHour, currency]);
});

test.each<[string, Record<string, unknown>, boolean | undefined, number | undefined]>([
  ["a number under available", { available: 5 }, true, 5],
  ["no number under available", { available: 0 }, false, 0],
  ["a number in a text", { quantity: "5" }, true, 5],
  ["a word", { availability: "in_stock" }, true, undefined],
  ["another word", { availability: "High" }, true, undefined],
  ["a word that says no", { availability: "Sold out" }, false, undefined],
  ["a status", { status: "unavailable" }, false, undefined],
  ["a word that nobody knows", { availability: "perhaps" }, undefined, undefined],
  ["numbers by region", { availability: { "eu-north": 3, "us-east": 0 } }, true, 3],
  ["flags by region", { regions: { eu: false, us: true } }, true, undefined],
  ["words by region", { regions: { eu: "sold_out", us: "sold_out" } }, false, undefined],
  ["records by region", { regions: [{ region: "eu", available: 2 }].concat({ region: "us", available: 1 }) }, true, 3],
  ["names of regions", { regions: ["eu", "us"] }, true, undefined],
  ["no region", { regions: [] }, false, undefined],
  ["an object", { availability: { in_stock: true, count: 4 } }, true, 4],
])("stock is read from %s", (_what, fields, available, availableCount) => {
  const [gpu] = readGpuTypes([{ type: "h100", ...fields }]);
  expect([gpu?.available, gpu?.availableCount]).toEqual([available, availableCount]);
  expect(readGpuType("h100")(fields)).toMatchObject(
    available === undefined ? { type: "h100" } : { type: "h100", available },
  );
});

test.each<[string, unknown, boolean | undefined]>([
  ["a flag", true, true],
  ["a number", 0, false],
  ["a word", "available", true],
  ["a list of regions", [{ region: "eu", available: false }].concat({ region: "us", available: true }), true],
  ["a list of types", [{ type: "l4", available: false }].concat({ type: "H100", available: true }), true],
  ["a map of types", { l4: false, h100: true }, true],
])("the availability of one type is read from %s alone", (_what, json, available) => {
  expect(readGpuType("h100")(json).available).toBe(available);
});

test.each<[Record<string, unknown>, number | undefined]>([
  [{ memory: "80GB" }, 80],
  [{ memory: "80 GiB" }, 80],
  [{ memory: "81920 MB" }, 80],
  [{ vramGb: 80 }, 80],
  [{ memory: 80 }, 80],
  [{ memory: 81920 }, undefined],
  [{ memoryGb: 30, gpuMemoryGb: 24 }, 24],
  [{ vcpus: 30, memory_gib: 200 }, undefined],
  [{ specs: { gpu_type: "a100", gpu_memory: 80 } }, 80],
  [{ memory_gb: 0 }, undefined],
])("the memory %p is %p GB", (fields, memoryGb) => {
  expect(readGpuTypes([{ type: "h100", ...fields }])[0]?.memoryGb).toBe(memoryGb);
});
