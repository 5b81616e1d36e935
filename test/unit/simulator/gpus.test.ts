import { start, startWithCluster, web } from "./harness";

/** The shapes of the answers are those of test/contract, and of the official client in test/install. */

const gpuTypes = [
  { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 3, stock: 4 },
  { type: "l4", name: "L4", memoryGb: 24, pricePerHour: 0.5, stock: 0 },
];

test("price and stock of a type can be changed, and a type without a price has none in its record", async () => {
  const { call, simulator } = await start({ gpuTypes });
  const none = { gpu_type: "l4", available: false, available_count: 0 };
  expect((await call("GET /v1/gpus/l4/availability")).body).toEqual(none);
  simulator.setGpuType("l4", { stock: 1, pricePerHour: undefined });
  const record = { type: "l4", name: "L4", memory_gb: 24, available: true, available_count: 1 };
  expect((await call("GET /v1/gpus")).body.gpus[1]).toEqual(record);
  expect(() => simulator.setGpuType("x900", {})).toThrow("x900");
  expect((await call("GET /v1/gpus/x900/availability")).status).toBe(404);
});

test("clusters take GPUs out of the stock, and stopping or deleting gives them back", async () => {
  const fixture = await startWithCluster();
  const free: number[] = [];
  for (const step of ["", "POST /scale", "POST /stop", "POST /restart", "DELETE "]) {
    const [method, rest] = step.split(" ");
    if (step) await fixture.call(`${method} ${fixture.path}${rest}`, rest === "/scale" ? { replicas: 4 } : undefined);
    fixture.clock.advance(3000);
    free.push((await fixture.call("GET /v1/gpus/h100/availability")).body.available_count);
  }
  expect(free).toEqual([253, 252, 256, 252, 256]);
});

test("answers can report another stock than creations find", async () => {
  const { call, simulator } = await start({ gpuTypes });
  simulator.setGpuType("h100", { reportedStock: 9 });
  expect((await call("GET /v1/gpus")).body.gpus[0].available_count).toBe(9);
  expect((await call("POST /v1/clusters", { ...web, replicas: 5 })).body.error.code).toBe("insufficient_capacity");
});
