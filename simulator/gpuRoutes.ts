import { ApiError } from "./answers";
import { modelFacts, type SimulatedGpuType, uuidOf } from "./catalog";
import type { Dialect, PerValue } from "./dialectOptions";
import type { Service } from "./fleet";
import type { Call, Route } from "./router";

/** The routes of GPU types, prices and stock. */
export function gpuRoutes(service: Service): Route[] {
  return routesOf[service.dialect.form](service);
}

const routesOf: PerValue<"form", (service: Service) => Route[]> = {
  specification({ fleet, dialect }) {
    const stockOf = ({ type }: SimulatedGpuType) => {
      const count = fleet.shown(type);
      return { available: count > 0, available_count: count };
    };
    const list = (word: string, facts: (gpu: SimulatedGpuType) => object) => () => {
      return listOf(
        fleet.gpus().map((gpu) => ({ type: gpu.type, ...facts(gpu) })),
        word,
        dialect,
      );
    };
    const one = (asked: string) => {
      const gpu = fleet.gpu(asked);
      if (!gpu) throw new ApiError(404, "gpu_type_not_found", `There is no GPU type "${asked}".`);
      return { gpu_type: gpu.type, ...stockOf(gpu) };
    };
    return [
      read(
        "/v1/gpus",
        list("gpus", (gpu) => ({ ...modelOf(gpu), ...priceOf(gpu), ...stockOf(gpu) })),
      ),
      read("/v1/gpus/models", list("models", modelOf)),
      read("/v1/gpus/availability", list("availability", stockOf)),
      read("/v1/gpus/pricing", list("pricing", priceOf)),
      read("/v1/gpus/:type/availability", ({ param }) => one(param)),
    ];
  },
  client: (service) => [
    read("/v1/gpus/models", ({ query }) => clientModels(service, query), ["tier", "regions"]),
    read("/v1/gpus/availability", ({ query }) => clientAvailability(service, query), ["tier", "region"]),
    read("/v1/gpus/pricing", () => clientPrices(service)),
  ],
};

function read(path: string, body: (call: Call) => unknown, query?: readonly string[]): Route {
  return { method: "GET", path, query, run: (call) => ({ status: 200, body: body(call) }) };
}

/** A list of GPU facts; `word` is its name, unless lists are bare. */
function listOf(items: object[], word: string, { listShape }: Dialect): unknown {
  return listShape === "bare" ? items : { [word]: items };
}

function modelOf({ name, memoryGb }: SimulatedGpuType): object {
  return { name, memory_gb: memoryGb };
}

/** The price of a GPU type for one hour; an empty record without a price. */
function priceOf({ pricePerHour }: SimulatedGpuType): object {
  return pricePerHour === undefined ? {} : { price_per_hour: pricePerHour, currency: "USD" };
}

/** The filters of a request about GPUs; each may be missing. */
type GpuQuery = Readonly<Record<string, string>>;

/** Answer of `GET /v1/gpus/models` as the client reads it. */
function clientModels({ fleet }: Service, query: GpuQuery): object {
  const data = fleet.gpus().map((gpu) => {
    const rows = rowsOf(fleet.shown(gpu.type), query);
    const sum = (field: "totalGpus" | "nodeCount") => rows.reduce((total, row) => total + row[field], 0);
    const availability = { totalGpus: sum("totalGpus"), nodeCount: sum("nodeCount") };
    return { id: uuidOf(gpu.type), ...modelFacts(gpu), architecture: null, availability };
  });
  return { data };
}

/** Answer of `GET /v1/gpus/availability` as the client reads it. */
function clientAvailability({ fleet }: Service, query: GpuQuery): object {
  const availability = fleet.gpus().flatMap((gpu) => {
    const { name: gpuModel, ...facts } = modelFacts(gpu);
    return rowsOf(fleet.shown(gpu.type), query).map((row) => ({ gpuModel, ...facts, ...row }));
  });
  return { data: { timestamp: new Date(fleet.clock.now()).toISOString(), availability } };
}

/** Answer of `GET /v1/gpus/pricing` as the client reads it. */
function clientPrices({ fleet }: Service): object {
  const data = fleet.gpus().flatMap((gpu) => {
    const prices = tierPrices(gpu).map(({ tier, price }) => [tier, { pricePerHour: price }]);
    return prices.length === 0 ? [] : { gpuModel: gpu.name, vramGb: gpu.memoryGb, pricing: Object.fromEntries(prices) };
  });
  return { data };
}

const regions = [
  { region: "eu-north", location: "Helsinki", country: "FI" },
  { region: "us-east", location: "Ashburn", country: "US" },
];

const tiers = ["community", "verified"] as const;

/** Price of a verified node, relative to a community node. */
const verifiedFactor = 1.25;

const gpusPerNode = 8;

function tierPrices({ pricePerHour: price }: SimulatedGpuType) {
  if (price === undefined) return [];
  const verified = Math.round(price * verifiedFactor * 100) / 100;
  return tiers.map((tier) => ({ tier, price: tier === "verified" ? verified : price }));
}

/** The free GPUs of a type by region and tier, after the filters of the request. */
function rowsOf(count: number, { tier, region, regions: several = region }: GpuQuery) {
  const places = tiers.flatMap((each) => regions.map((place) => ({ ...place, tier: each })));
  const wanted = several?.split(",");
  return places
    .map((place, index) => {
      const totalGpus = Math.floor((count + places.length - 1 - index) / places.length);
      return { ...place, totalGpus, nodeCount: Math.ceil(totalGpus / gpusPerNode) };
    })
    .filter((row) => (tier === undefined || row.tier === tier) && (wanted?.includes(row.region) ?? true));
}
