import { readGpuType } from "../../../../provider/api/decode/gpuRecords";
import { type GpuRead, gpusOf } from "./listHarness";

/** neverWorst.test.ts has the laws that no price is read too low, and no entry about something else taken for a type. */

const [types, models, pricing, stock] = [
  "listGpuTypes",
  "listGpuModels",
  "listGpuPricing",
  "listGpuAvailability",
] as const;

const read = async (list: GpuRead, json: unknown) =>
  (await gpusOf(json, list)).gpus.map(({ raw: _raw, ...gpu }) => gpu);

const h100 = { type: "h100", pricePerHour: 2.49 };
const inDollars = { ...h100, currency: "USD" };
const twoPrices = [inDollars, { ...inDollars, type: "titan" }];
const isFree = { type: "h100", available: true };
const isSoldOut = { type: "b200", available: false };
const counted = [
  { ...isFree, availableCount: 48 },
  { ...isSoldOut, availableCount: 0 },
];
const named = [{ type: "h100", name: "NVIDIA H100" }];

describe("a map by GPU type", () => {
  it("is read with its records, even under a name", async () => {
    const record = { name: "NVIDIA H100", price_cents_per_hour: 249, in_stock: true };
    const gpus = { h100: record, l4: { price_cents_per_hour: 80 } };
    const full = { ...h100, name: "NVIDIA H100", available: true };
    for (const json of [gpus, { gpus, total: 2 }])
      expect(await read(types, json)).toEqual([full, { type: "l4", pricePerHour: 0.8 }]);
  });

  it.each<[string, GpuRead, unknown, object[]]>([
    ["has prices in strings", pricing, { pricing: { h100: "$2.49" } }, [inDollars]],
    ["has prices beside a currency", pricing, { prices: { h100: 2.49, titan: 2.49 }, currency: "usd" }, twoPrices],
    ["has prices beside the unit", pricing, { data: { prices: { h100: 2.49 } }, unit: "hour" }, [h100]],
    ["has counts in strings", stock, { data: { h100: "48", b200: "0" } }, counted],
    ["has words", stock, { availability: { h100: "available", b200: "sold_out" } }, [isFree, isSoldOut]],
    ["has names beside other things", models, { h100: "NVIDIA H100", owner: "acme" }, named],
    ["has records beside a place", types, { gpus: { h100: { price_per_hour: 2.49 }, "eu-1": { stock: 9 } } }, [h100]],
  ])("%s", async (_name, list, json, expected) => {
    expect(await read(list, json)).toEqual(expected);
  });

  it.each<[string, GpuRead, unknown]>([
    ["has no names that may be anything", types, { h100: "NVIDIA H100" }],
    ["has no prices of two kinds", pricing, { h100: 2.49, l4: "0.80" }],
    ["has no cents beside types", pricing, { prices: { h100: 249, cents: 249 } }],
    ["has no tiers in place of types", pricing, { prices: { community: 2.49, verified: 3 } }],
    ["has no unknown scale", pricing, { prices: { h100: 249 }, scale: 100 }],
    ["has no spot prices", pricing, { h100_spot: 1 }],
    ["has no dates in place of types", stock, { "2026-11-21": 48 }],
  ])("%s", async (_name, list, json) => {
    await expect(read(list, json)).rejects.toThrow();
  });

  it("adds its fields to the types in a list beside it", async () => {
    const json = { types: ["h100", "l4"], prices: { H100: { hourly: 2.49, name: "NVIDIA H100" } } };
    const l4 = { type: "l4", name: "l4" };
    expect(await read(types, json)).toEqual([{ ...h100, name: "NVIDIA H100" }, l4]);
  });

  it("shows the availability of a type that it has, and of no other", () => {
    expect(readGpuType({ H100: 48, b200: 0 }, "h100")).toMatchObject([{ type: "h100", availableCount: 48 }]);
    const words = { availability: { h100: "sold_out" } };
    expect(readGpuType(words, "h100")).toMatchObject([{ type: "h100", available: false }]);
    const unknown = [
      { zone1: 48, zone2: 1 },
      { h100: "perhaps", available: true },
      { b200: 0, total: 9, available: true },
    ];
    for (const raw of unknown) expect(readGpuType(raw, "h100")).toEqual([{ type: "h100", raw }]);
  });
});
