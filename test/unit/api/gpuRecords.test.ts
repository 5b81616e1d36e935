import { readGpuType, readGpuTypes } from "../../../provider/api/records";

test.each(["gpus", "gpu_types", "types", "models", "prices", "pricing", "availability", "data"])(
  "GPU types are read from a list under %s",
  (name) => {
    const record = { type: "h100" };
    expect(readGpuTypes({ [name]: [record] })).toEqual([{ type: "h100", raw: record }]);
  },
);

test("GPU types are read from a bare list; records without a type are left out", () => {
  const types = readGpuTypes([{ type: "h100" }, {}, null, "l4", { price: 1 }, { id: "a100" }]).map(({ type }) => type);
  expect(types).toEqual(["h100", "a100"]);
});

test.each([undefined, null, "x", {}, { gpus: {} }])("%p is no list of GPU types", (json) => {
  expect(() => readGpuTypes(json)).toThrow("is not a list of records");
});

test.each([
  ["type", "h100", { type: "h100" }],
  ["gpu_type", "h100", { type: "h100" }],
  ["id", "h100", { type: "h100" }],
  ["model", "h100", { type: "h100" }],
  ["name", "h100", { type: "h100", name: "h100" }],
])("the type is read from %s", (field, value, expected) => {
  expect(readGpuTypes([{ [field]: value }])).toEqual([{ ...expected, raw: { [field]: value } }]);
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
  ["a flag that is a word", { available: "yes" }, {}],
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

test.each([null, [], "yes", {}])("%p says nothing of the availability", (json) => {
  expect(readGpuType("h100")(json)).toEqual({ type: "h100", raw: expect.anything() });
});
