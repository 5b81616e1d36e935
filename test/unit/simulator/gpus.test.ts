import { type Dialect, dialects, gpuModelId } from "../../../simulator";
import { start, startWithCluster, stopAll } from "./harness";

afterEach(stopAll);

const gpuTypes = [
  { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 3, stock: 4 },
  { type: "l4", name: "L4", memoryGb: 24, pricePerHour: 0.5, stock: 0 },
];

/** The answer about GPUs of a service that has only the first type, unless it is told otherwise. */
async function answer(dialect: Partial<Dialect>, path: string, types: object[] = gpuTypes.slice(0, 1)) {
  const { call } = await start({ dialect, gpuTypes: types as typeof gpuTypes });
  return (await call(`GET /v1/gpus${path}`)).body;
}

const type = "h100";
const model = { name: "H100", memory_gb: 80 };
const price = { price_per_hour: 3, currency: "USD" };
const stock = { available: true, available_count: 4 };
const list = (name: string, facts: object) => ({ [name]: [{ type, ...facts }] });

test.each<[Partial<Dialect>, string, unknown]>([
  [{}, "", list("gpus", { ...model, ...price, ...stock })],
  [{}, "/models", list("models", model)],
  [{}, "/availability", list("availability", stock)],
  [{}, "/pricing", list("pricing", price)],
  [{ listShape: "bare" }, "", [{ type, ...model, ...price, ...stock }]],
  [{}, "/h100/availability", { gpu_type: type, ...stock }],
])("%j shapes the answer to GET /v1/gpus%s", async (dialect, path, expected) => {
  expect(await answer(dialect, path)).toEqual(expected);
});

test("price and stock of a type can be changed", async () => {
  const { call, simulator } = await start({ gpuTypes });
  expect((await call("GET /v1/gpus/l4/availability")).body).toEqual({
    gpu_type: "l4",
    available: false,
    available_count: 0,
  });
  simulator.setGpuType("l4", { stock: 1, pricePerHour: 0.75 });
  const { gpus } = (await call("GET /v1/gpus")).body;
  expect(gpus[1]).toMatchObject({ type: "l4", price_per_hour: 0.75, available_count: 1 });
  expect(() => simulator.setGpuType("x900", {})).toThrow("x900");
  expect((await call("GET /v1/gpus/x900/availability")).status).toBe(404);
});

test("clusters take GPUs out of the stock, and stopping or deleting gives them back", async () => {
  const bench = await startWithCluster();
  const free: number[] = [];
  for (const step of ["", "POST /scale", "POST /stop", "POST /restart", "DELETE "]) {
    const [method, rest] = step.split(" ");
    if (step) await bench.call(`${method} ${bench.path}${rest}`, rest === "/scale" ? { replicas: 4 } : undefined);
    bench.clock.advance(3000);
    free.push((await bench.call("GET /v1/gpus/h100/availability")).body.available_count);
  }
  expect(free).toEqual([253, 252, 256, 252, 256]);
});

test("a stock may lie: answers show another number than creations find", async () => {
  const { call, simulator } = await start({ gpuTypes });
  const web = { name: "web", gpu_type: "h100", replicas: 5, container: "a/b:1", env: {} };
  const shown = async () => (await call("GET /v1/gpus")).body.gpus[0].available_count;
  simulator.setGpuType("h100", { shownStock: 9 });
  expect(await shown()).toBe(9);
  expect((await call("POST /v1/clusters", web)).body.error.code).toBe("insufficient_capacity");
  simulator.setGpuType("h100", { shownStock: 0 });
  expect(await shown()).toBe(0);
  expect((await call("POST /v1/clusters", { ...web, replicas: 4 })).status).toBe(201);
});

describe("the lists of the client's dialect", () => {
  const theirs = [
    { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 2.99, stock: 10 },
    { type: "mi300x", name: "MI300X", memoryGb: 192, stock: 0 },
  ];
  const { client } = dialects;

  it.each([
    ["", 10, 4],
    ["?tier=community&regions=us-east,eu-north", 6, 2],
    ["?regions=mars", 0, 0],
  ])("models%s say their availability: %d GPUs", async (query, totalGpus, nodeCount) => {
    const availability = { totalGpus, nodeCount };
    const names = { id: gpuModelId("h100"), name: "H100", manufacturer: "NVIDIA", vramGb: 80 };
    const { data } = await answer(client, `/models${query}`, theirs);
    expect(data[0]).toMatchObject({ ...names, availability });
    expect(data[1]).toMatchObject({ name: "MI300X", availability: { totalGpus: 0, nodeCount: 0 } });
  });

  it.each([
    ["", "eu-north community 3, us-east community 3, eu-north verified 2, us-east verified 2"],
    ["?tier=community&region=us-east", "us-east community 3"],
  ])("availability%s has a row by model, region and tier", async (query, expected) => {
    const { data } = await answer(client, `/availability${query}`, theirs.slice(0, 1));
    const rows: { region: string; tier: string; totalGpus: number }[] = data.availability;
    expect(rows.map(({ region, tier, totalGpus }) => `${region} ${tier} ${totalGpus}`).join(", ")).toBe(expected);
    expect(data.timestamp).toBe("2030-01-01T00:00:00.000Z");
  });

  it("prices are by tier, and a model without a price has none", async () => {
    const pricing = { community: { pricePerHour: 2.99 }, verified: { pricePerHour: 3.74 } };
    expect((await answer(client, "/pricing", theirs)).data).toEqual([{ gpuModel: "H100", vramGb: 80, pricing }]);
  });
});
