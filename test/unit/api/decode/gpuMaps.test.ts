import { readGpuType } from "../../../../provider/api/decode/gpuRecords";
import { endpoints as e } from "../../../../provider/api/endpoints";
import { gpusOf } from "./listHarness";

/** Lists about GPUs as maps from a type to a record, or to a value that means what the endpoint is about. */

const lists = {
  types: e.listGpuTypes,
  models: e.listGpuModels,
  pricing: e.listGpuPricing,
  availability: e.listGpuAvailability,
};
type Subject = keyof typeof lists;

const read = async (subject: Subject, json: unknown) =>
  (await gpusOf(json, lists[subject])).gpus.map(({ raw: _raw, ...gpu }) => gpu);

const record = { name: "NVIDIA H100", price_cents_per_hour: 249, in_stock: true };
const full = { type: "h100", name: "NVIDIA H100", pricePerHour: 2.49, available: true };
const [priced, inDollars] = [
  { type: "h100", pricePerHour: 2.49 },
  { type: "h100", pricePerHour: 2.49, currency: "USD" },
];
const yes = { type: "h100", available: true };
const no = { type: "b200", available: false };
const [free, none] = [
  { ...yes, availableCount: 48 },
  { ...no, availableCount: 0 },
];
const named = { type: "h100", name: "NVIDIA H100" };
const names = [undefined, "gpus", "types", "models", "data", "result"];

test.each(names)("a map of records is read as a list of types or of models, bare or under a name: %s", async (name) => {
  const map = { h100: record, l4: { price_cents_per_hour: 80 } };
  for (const subject of ["types", "models"] as const)
    expect(await read(subject, name === undefined ? map : { [name]: map, total: 2 })).toEqual([
      full,
      { type: "l4", pricePerHour: 0.8 },
    ]);
});

test.each<[Subject, unknown, object[]]>([
  ["pricing", { h100: { cents_per_hour: 249 } }, [priced]],
  ["pricing", { prices: { h100: { hourly: 2.49, currency: "USD" } } }, [inDollars]],
  ["pricing", { result: { h100: "2.4900" } }, [priced]],
  ["pricing", { h100: 2.49 }, [priced]],
  ["pricing", { pricing: { h100: "$2.49" } }, [inDollars]],
  [
    "pricing",
    { prices: { h100: 2.49, titan: 1 }, currency: "usd" },
    [inDollars, { ...inDollars, type: "titan", pricePerHour: 1 }],
  ],
  ["pricing", { data: { prices: { h100: 2.49 } }, unit: "hour" }, [priced]],
  ["availability", { h100: 48, b200: 0 }, [free, none]],
  ["availability", { availability: { h100: "available", b200: "sold_out" } }, [yes, no]],
  ["availability", { h100: true, b200: false }, [yes, no]],
  ["availability", { data: { h100: "48", b200: "0" } }, [free, none]],
  ["availability", { h100: { free_gpus: 48 }, b200: { free_gpus: 0 } }, [free, none]],
  ["models", { models: { h100: "NVIDIA H100" } }, [named]],
  ["models", { h100: "NVIDIA H100", owner: "acme" }, [named]],
  ["models", { h100: { name: "NVIDIA H100" }, owner: { name: "acme" }, notes: {} }, [named]],
])("a map about %s is read by type: %j", async (subject, json, expected) => {
  expect(await read(subject, json)).toEqual(expected);
});

test.each<[Subject, unknown]>([
  ["types", { h100: 3, l4: 0 }],
  ["types", { gpus: { h100: 2.49 } }],
  ["types", { h100: "NVIDIA H100" }],
  ["models", { h100: true }],
  ["models", { h100: 80 }],
  ["pricing", { h100: true }],
  ["pricing", { h100: -1 }],
  ["pricing", { h100: "on request" }],
  ["pricing", { h100: "0,5" }],
  ["pricing", { h100: 2.49, l4: "0.80" }],
  ["pricing", { h100: 2.49, currency: "USD" }],
  ["pricing", { prices: { h100: 249, cents: 249 } }],
  ["pricing", { prices: { community: 2.49, verified: 3 } }],
  ["pricing", { prices: { h100: 0.04 }, unit: "minute" }],
  ["pricing", { prices: { h100: 1 }, type: "spot" }],
  ["pricing", { prices: { h100: 249 }, scale: 100 }],
  ["pricing", { prices: { h100: { spot: 1 } } }],
  ["pricing", { h100_spot: 1 }],
  ["pricing", { "us-east-1": { h100: 2.49 } }],
  ["pricing", { "us-east-1": 2.49 }],
  ["pricing", { "24": 2.49 }],
  ["pricing", { "1h": 2.49, "24h": 50 }],
  ["availability", { h100: 48, total: 48 }],
  ["availability", { h100: 48, count: 1, limit: 10 }],
  ["availability", { h100: 48, next_page: 2 }],
  ["availability", { h100: 0.5 }],
  ["availability", { h100: "perhaps" }],
  ["availability", { h100: "available", b200: 0 }],
  ["availability", { "us-east-1": 48 }],
  ["availability", { "us-east-1": { available: true } }],
  ["availability", { available: 48 }],
  ["availability", { "2026-11-21": 48 }],
  ["availability", { h100: 48, b200: null }],
])("no list about %s is %j", async (subject, json) => {
  await expect(read(subject, json)).rejects.toThrow();
});

test("types in a list have the fields of a map beside it", async () => {
  const json = { types: ["h100", "l4"], prices: { H100: { hourly: 2.49, name: "NVIDIA H100" } } };
  expect(await read("types", json)).toEqual([
    { ...priced, name: "NVIDIA H100" },
    { type: "l4", name: "l4" },
  ]);
  expect(await read("types", { ...json, unit: "minute" })).toEqual([
    { type: "h100", name: "NVIDIA H100", pricePerHour: 2.49 },
    { type: "l4", name: "l4" },
  ]);
});

test("the availability of one type is read from a map that has it, and from no other", () => {
  expect(readGpuType("h100")({ H100: 48, b200: 0 })).toMatchObject([{ type: "h100", availableCount: 48 }]);
  expect(readGpuType("h100")({ availability: { h100: "sold_out" } })).toMatchObject([
    { type: "h100", available: false },
  ]);
  expect(readGpuType("h100")({ zone1: 48, zone2: 1 })).toEqual([{ type: "h100", raw: { zone1: 48, zone2: 1 } }]);
});
