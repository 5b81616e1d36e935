import { gpuModelId, publishedDialects } from "../../../simulator";
import { start, stopAll } from "./harness";

afterEach(stopAll);

const gpuTypes = [
  { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 2.99, stock: 10, architecture: "Hopper" },
  { type: "mi300x", name: "MI300X", memoryGb: 192, stock: 0, manufacturer: "AMD" },
];
const options = { dialect: "client", gpuTypes };

interface Row {
  region: string;
  tier: string;
  totalGpus: number;
}

test.each([
  ["", 10, 4],
  ["?tier=verified", 4, 2],
  ["?regions=eu-north", 5, 2],
  ["?tier=community&regions=us-east,eu-north", 6, 2],
  ["?regions=mars", 0, 0],
])("models%s say their availability: %d GPUs", async (query, totalGpus, nodeCount) => {
  const { call } = await start(options);
  expect((await call(`GET /v1/gpus/models${query}`)).body).toEqual({
    data: [
      {
        id: gpuModelId("h100"),
        name: "H100",
        manufacturer: "NVIDIA",
        vramGb: 80,
        architecture: "Hopper",
        availability: { totalGpus, nodeCount },
      },
      expect.objectContaining({ name: "MI300X", manufacturer: "AMD", availability: { totalGpus: 0, nodeCount: 0 } }),
    ],
  });
});

test.each([
  ["", ["eu-north community 3", "us-east community 3", "eu-north verified 2", "us-east verified 2"]],
  ["?tier=verified", ["eu-north verified 2", "us-east verified 2"]],
  ["?tier=community&region=us-east", ["us-east community 3"]],
])("availability%s has a row by model, region and tier", async (query, expected) => {
  const { call } = await start({
    ...options,
    dialect: { ...publishedDialects.client, gpuStockListed: "in-stock-only" },
  });
  const { timestamp, availability } = (await call(`GET /v1/gpus/availability${query}`)).body.data;
  expect(timestamp).toBe("2030-01-01T00:00:00.000Z");
  expect(availability.map(({ region, tier, totalGpus }: Row) => `${region} ${tier} ${totalGpus}`)).toEqual(expected);
  expect(availability[0]).toMatchObject({
    gpuModel: "H100",
    manufacturer: "NVIDIA",
    vramGb: 80,
    country: expect.any(String),
  });
});

test("prices are by tier, and a model without a price has none", async () => {
  const { call } = await start(options);
  const pricing = { community: { pricePerHour: 2.99 }, verified: { pricePerHour: 3.74 } };
  expect((await call("GET /v1/gpus/pricing")).body).toEqual({ data: [{ gpuModel: "H100", vramGb: 80, pricing }] });
});

test.each(["client", "plain"])("prices may be in cents, on top of %s", async (name) => {
  const dialect = name === "client" ? publishedDialects.client : {};
  const { call } = await start({ gpuTypes, dialect: { ...dialect, priceList: "cents" } });
  const facts = {
    gpuModelId: name === "client" ? gpuModelId("h100") : "h100",
    gpuModelName: "H100",
    vramGb: 80,
  };
  expect((await call("GET /v1/gpus/pricing")).body).toEqual({
    gpu: [
      { ...facts, tier: "community", pricePerHourCents: 299 },
      { ...facts, tier: "verified", pricePerHourCents: 374 },
    ],
    cpu: [],
  });
});

test.each(["models?region=eu-north", "availability?regions=eu-north", "pricing?tier=verified", "models?tier=a&tier=b"])(
  "the query of %s is unknown",
  async (path) => {
    const { call } = await start(options);
    expect((await call(`GET /v1/gpus/${path}`)).status).toBe(400);
  },
);
