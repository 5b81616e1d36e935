import type { Dialect } from "../../../simulator";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

const gpuTypes = [
  { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 3, stock: 4 },
  { type: "l4", name: "L4", memoryGb: 24, pricePerHour: 0.5, stock: 0 },
];

test("the GPU lists tell model, price and stock", async () => {
  const { call } = await start({ gpuTypes });
  const h100 = { type: "h100", name: "H100", memory_gb: 80 };
  const price = { price_per_hour: 3, currency: "USD" };
  const stock = { available: true, available_count: 4 };
  expect((await call("GET /v1/gpus")).body.gpus[0]).toEqual({ ...h100, ...price, ...stock });
  expect((await call("GET /v1/gpus/models")).body.models[0]).toEqual(h100);
  expect((await call("GET /v1/gpus/pricing")).body.pricing[0]).toEqual({ type: "h100", ...price });
  expect((await call("GET /v1/gpus/availability")).body.availability[0]).toEqual({ type: "h100", ...stock });
  expect((await call("GET /v1/gpus/l4/availability")).body).toEqual({
    gpu_type: "l4",
    available: false,
    available_count: 0,
  });
});

test("the availability of an unknown type is not found", async () => {
  const { call } = await start({ gpuTypes });
  expect((await call("GET /v1/gpus/x900/availability")).body.error).toMatchObject({ status: 404 });
});

test("in the default catalog the cheapest type is sold out", async () => {
  const { call } = await start();
  const { gpus } = (await call("GET /v1/gpus")).body;
  const [cheapest] = gpus.toSorted(
    (a: { price_per_hour: number }, b: { price_per_hour: number }) => a.price_per_hour - b.price_per_hour,
  );
  expect(cheapest).toMatchObject({ available: false, available_count: 0 });
  expect(gpus.length).toBeGreaterThanOrEqual(7);
});

test("clusters take GPUs out of the stock, and stopping or deleting gives them back", async () => {
  const { call, clock } = await start({ gpuTypes });
  const free = async () => (await call("GET /v1/gpus/h100/availability")).body.available_count;
  const path = `/v1/clusters/${(await call("POST /v1/clusters", web)).body.id}`;
  expect(await free()).toBe(1);
  await call(`POST ${path}/scale`, { replicas: 4 });
  expect(await free()).toBe(0);
  expect((await call("POST /v1/clusters", { ...web, replicas: 1 })).body.error.code).toBe("invalid_gpu_type");
  await call(`POST ${path}/stop`);
  clock.advance(300);
  expect(await free()).toBe(4);
  await call(`POST ${path}/restart`);
  expect(await free()).toBe(0);
  await call(`DELETE ${path}`);
  clock.advance(300);
  expect(await free()).toBe(4);
});

test("growing beyond the stock is refused, also by update and by start, and changes nothing", async () => {
  const { call, clock, simulator } = await start({ gpuTypes });
  const { id } = (await call("POST /v1/clusters", web)).body;
  const path = `/v1/clusters/${id}`;
  expect((await call(`POST ${path}/scale`, { replicas: 5 })).body.error).toMatchObject({
    status: 409,
    code: "insufficient_capacity",
  });
  expect((await call(`PATCH ${path}`, { replicas: 5, env: {} })).status).toBe(409);
  expect(simulator.cluster(id)).toMatchObject({ replicas: 3, env: { A: "1" } });
  await call(`POST ${path}/stop`);
  clock.advance(300);
  simulator.setGpuType("h100", { stock: 2 });
  expect((await call(`POST ${path}/restart`)).body.error.code).toBe("insufficient_capacity");
  expect(simulator.cluster(id)?.status).toBe("stopped");
});

test("prices and stocks can change while it runs", async () => {
  const { call, simulator } = await start({ gpuTypes });
  simulator.setGpuType("l4", { pricePerHour: 0.75, stock: 9 });
  expect((await call("GET /v1/gpus")).body.gpus[1]).toMatchObject({ price_per_hour: 0.75, available_count: 9 });
  expect(() => simulator.setGpuType("x900", {})).toThrow("x900");
});

test.each<[Partial<Dialect>, unknown]>([
  [{ gpuListShape: "bare" }, [{ type: "h100", price_per_hour: 3, currency: "USD" }]],
  [{ gpuListShape: "by-type" }, { h100: { price_per_hour: 3, currency: "USD" } }],
  [{ priceForm: "text" }, { pricing: [{ type: "h100", price_per_hour: "3.00", currency: "USD" }] }],
  [{ pricePlace: "object" }, { pricing: [{ type: "h100", pricing: { hourly: 3, currency: "USD" } }] }],
  [{ priceForm: "cents" }, { pricing: [{ type: "h100", price_cents_per_hour: 300, currency: "USD" }] }],
  [{ priceForm: "text", priceText: "currency" }, { pricing: [{ type: "h100", price: "$3.00/hr" }] }],
  [
    { pricePlace: "object", priceForm: "text" },
    { pricing: [{ type: "h100", pricing: { hourly: "3.00", currency: "USD" } }] },
  ],
  [
    { pricePlace: "object", priceForm: "cents" },
    { pricing: [{ type: "h100", pricing: { hourly_cents: 300, currency: "USD" } }] },
  ],
  [
    { pricePlace: "object", priceForm: "text", priceText: "currency" },
    { pricing: [{ type: "h100", pricing: { hourly: "$3.00/hr" } }] },
  ],
  [{ pricePlace: "beside" }, { pricing: [{ type: "h100", price_per_hour: 3, currency: "USD" }] }],
])("prices in the dialect %j", async (dialect, expected) => {
  const { call } = await start({ gpuTypes: gpuTypes.slice(0, 1), dialect });
  expect((await call("GET /v1/gpus/pricing")).body).toEqual(expected);
});

test.each<[Partial<Dialect>, unknown, unknown]>([
  [{}, { pricing: [{ type: "h100" }] }, { gpus: [{ type: "h100" }] }],
  [{ gpuListShape: "bare", priceForm: "text" }, [{ type: "h100" }], [{ type: "h100" }]],
  [{ gpuListShape: "by-type", priceForm: "cents" }, { h100: {} }, { h100: {} }],
  [{ pricePlace: "object" }, { pricing: [{ type: "h100" }] }, { gpus: [{ type: "h100" }] }],
  [
    { pricePlace: "beside" },
    { pricing: [{ type: "h100" }] },
    { gpus: [{ type: "h100" }], pricing: [{ type: "h100" }] },
  ],
])(
  "a type without a price has none in its record, nor a currency, in the dialect %j",
  async (dialect, prices, types) => {
    const { call, simulator } = await start({ gpuTypes: gpuTypes.slice(0, 1), dialect });
    simulator.setGpuType("h100", { pricePerHour: undefined });
    expect((await call("GET /v1/gpus/pricing")).body).toEqual(prices);
    const { text, body } = await call("GET /v1/gpus");
    expect(body).toMatchObject(types as object);
    expect(text).not.toMatch(/price|hourly|currency/);
    simulator.setGpuType("h100", { pricePerHour: 9 });
    expect((await call("GET /v1/gpus/pricing")).text).toContain("9");
  },
);

const regions = (eu: unknown, us: unknown) => ({ availability: { "eu-north": eu, "us-east": us } });

test.each<[Partial<Dialect>, object, object]>([
  [{}, { available: true, available_count: 3 }, { available: false, available_count: 0 }],
  [{ stockForm: "flag" }, { available: true }, { available: false }],
  [{ stockForm: "count" }, { available_count: 3 }, { available_count: 0 }],
  [
    { stockFlag: "word" },
    { availability: "in_stock", available_count: 3 },
    { availability: "sold_out", available_count: 0 },
  ],
  [{ stockFlag: "word", stockForm: "flag" }, { availability: "in_stock" }, { availability: "sold_out" }],
  [
    { stockPlace: "by-region" },
    regions({ available: true, available_count: 2 }, { available: true, available_count: 1 }),
    regions({ available: false, available_count: 0 }, { available: false, available_count: 0 }),
  ],
  [{ stockPlace: "by-region", stockForm: "flag" }, regions(true, true), regions(false, false)],
  [{ stockPlace: "by-region", stockForm: "count" }, regions(2, 1), regions(0, 0)],
  [
    { stockPlace: "by-region", stockForm: "flag", stockFlag: "word" },
    regions("in_stock", "in_stock"),
    regions("sold_out", "sold_out"),
  ],
])("stock in the dialect %j", async (dialect, some, none) => {
  const { call, simulator } = await start({ gpuTypes, dialect });
  simulator.setGpuType("h100", { stock: 3 });
  expect((await call("GET /v1/gpus/h100/availability")).body).toEqual({ gpu_type: "h100", ...some });
  expect((await call("GET /v1/gpus/l4/availability")).body).toEqual({ gpu_type: "l4", ...none });
});

const model = { name: "H100", memory_gb: 80 };
const price = { price_per_hour: 3, currency: "USD" };
const stock = { available_count: 4 };

test.each<[Dialect["gpuListShape"], unknown]>([
  ["wrapped", { gpus: [{ type: "h100", ...model, ...stock }], pricing: [{ type: "h100", ...price }] }],
  ["by-type", { gpus: { h100: { ...model, ...stock } }, pricing: { h100: price } }],
  // A bare list has no fields beside it.
  ["bare", [{ type: "h100", ...model, ...price, ...stock }]],
])("prices beside the types, in a %s list", async (gpuListShape, expected) => {
  const dialect = { gpuListShape, pricePlace: "beside", stockForm: "count" } as const;
  const { call } = await start({ gpuTypes: gpuTypes.slice(0, 1), dialect });
  expect((await call("GET /v1/gpus")).body).toEqual(expected);
});

test.each<[Dialect["gpuStockListed"], number]>([
  ["all", 2],
  ["in-stock-only", 1],
])("lists of available GPUs: %s", async (gpuStockListed, count) => {
  const { call } = await start({ gpuTypes, dialect: { gpuStockListed, gpuListShape: "bare" } });
  expect((await call("GET /v1/gpus")).body).toHaveLength(count);
  expect((await call("GET /v1/gpus/availability")).body).toHaveLength(count);
  for (const path of ["models", "pricing"]) expect((await call(`GET /v1/gpus/${path}`)).body).toHaveLength(2);
  expect((await call("GET /v1/gpus/l4/availability")).status).toBe(200);
});

test("a list of available GPUs follows the stock, and so do the prices beside it", async () => {
  const { call, simulator } = await start({
    gpuTypes,
    dialect: { gpuStockListed: "in-stock-only", pricePlace: "beside" },
  });
  simulator.setGpuType("l4", { stock: 1 });
  simulator.setGpuType("h100", { stock: 0 });
  expect((await call("GET /v1/gpus")).body).toMatchObject({ gpus: [{ type: "l4" }], pricing: [{ type: "l4" }] });
});
