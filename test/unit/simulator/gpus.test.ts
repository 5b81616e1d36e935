import type { Dialect } from "../../simulator";
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
  [{ priceShape: "string" }, { pricing: [{ type: "h100", price_per_hour: "3.00", currency: "USD" }] }],
  [{ priceShape: "object" }, { pricing: [{ type: "h100", pricing: { hourly: 3, currency: "USD" } }] }],
])("prices in the dialect %j", async (dialect, expected) => {
  const { call } = await start({ gpuTypes: gpuTypes.slice(0, 1), dialect });
  expect((await call("GET /v1/gpus/pricing")).body).toEqual(expected);
});

test.each<[Partial<Dialect>, unknown]>([
  [{ stockShape: "flag" }, { gpu_type: "h100", available: true }],
  [{ stockShape: "count" }, { gpu_type: "h100", available_count: 4 }],
])("stock in the dialect %j", async (dialect, expected) => {
  const { call } = await start({ gpuTypes, dialect });
  expect((await call("GET /v1/gpus/h100/availability")).body).toEqual(expected);
});
