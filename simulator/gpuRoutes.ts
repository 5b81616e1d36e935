import { type Answer, ApiError } from "./answers";
import { modelFacts, type SimulatedGpuType, wireIds } from "./catalog";
import type { Dialect, PerValue } from "./dialectOptions";
import type { Service } from "./fleet";
import type { Route } from "./router";

/** The routes of GPU types, prices and stock. */
export function gpuRoutes(service: Service): Route[] {
  const { fleet, dialect } = service;
  const facts = gpuFacts(service);
  const lists = gpuLists[dialect.form](service);
  const read = (path: string, body: (query: GpuQuery) => unknown, query?: readonly string[]): Route => ({
    method: "GET",
    path,
    query,
    run: (call) => ({ status: 200, body: body(call.query) }),
  });
  const availability = (asked: string): Answer => {
    const gpu = fleet.gpus().find(({ type }) => wireIds[dialect.form](type) === asked);
    if (!gpu) throw new ApiError(404, "gpu_type_not_found", `There is no GPU type "${asked}".`);
    const { type: gpuType, ...stock } = facts.stock(gpu);
    return { status: 200, body: { gpu_type: gpuType, ...stock } };
  };
  const types = () => fleet.gpus().map((gpu) => ({ ...facts.model(gpu), ...facts.price(gpu), ...facts.stock(gpu) }));
  return [
    read("/v1/gpus", () => listOf(types(), "gpus", dialect)),
    read("/v1/gpus/models", lists.models, lists.filters?.models),
    read("/v1/gpus/availability", lists.availability, lists.filters?.availability),
    read("/v1/gpus/pricing", lists.prices),
    { method: "GET", path: "/v1/gpus/:type/availability", run: ({ param }) => availability(param) },
  ];
}

/** The three lists, with the filters that requests may carry. */
interface GpuLists {
  filters?: typeof gpuFilters;
  models(query: GpuQuery): unknown;
  availability(query: GpuQuery): unknown;
  prices(): unknown;
}

const gpuLists: PerValue<"form", (service: Service) => GpuLists> = {
  specification: (service) => {
    const facts = gpuFacts(service);
    const { fleet, dialect } = service;
    return {
      models: () => listOf(fleet.gpus().map(facts.model), "models", dialect),
      availability: () => listOf(fleet.gpus().map(facts.stock), "availability", dialect),
      prices: () => listOf(fleet.gpus().map(facts.price), "pricing", dialect),
    };
  },
  client: (service) => ({
    filters: gpuFilters,
    models: (query) => clientModels(service, query),
    availability: (query) => clientAvailability(service, query),
    prices: () => clientPrices(service),
  }),
};

/** A list of GPU facts; `word` is its name, unless lists are bare. */
function listOf(items: object[], word: string, { listShape }: Dialect): unknown {
  return listShape === "bare" ? items : { [word]: items };
}

/** The facts about GPU types, each with its `type`. */
function gpuFacts({ fleet, dialect }: Service) {
  const typeOf = (gpu: SimulatedGpuType) => wireIds[dialect.form](gpu.type);
  return {
    model: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), name: gpu.name, memory_gb: gpu.memoryGb }),
    price: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), ...priceOf(gpu) }),
    stock: (gpu: SimulatedGpuType) => {
      const count = fleet.shown(gpu.type);
      return { type: typeOf(gpu), available: count > 0, available_count: count };
    },
  };
}

/** The price of a GPU type for one hour; an empty record without a price. */
function priceOf({ pricePerHour }: SimulatedGpuType): object {
  return pricePerHour === undefined ? {} : { price_per_hour: pricePerHour, currency: "USD" };
}

/** The filters of a request about GPUs; each may be missing. */
type GpuQuery = Readonly<Record<string, string>>;

/** Answer of `GET /v1/gpus/models` as the client reads it. */
function clientModels({ fleet, dialect }: Service, query: GpuQuery): object {
  const data = fleet.gpus().map((gpu) => {
    const rows = rowsOf(fleet.shown(gpu.type), query);
    const sum = (field: "totalGpus" | "nodeCount") => rows.reduce((total, row) => total + row[field], 0);
    const { architecture = null } = gpu;
    const availability = { totalGpus: sum("totalGpus"), nodeCount: sum("nodeCount") };
    return { id: wireIds[dialect.form](gpu.type), ...modelFacts(gpu), architecture, availability };
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

/** The filters of models, and of availability. */
const gpuFilters = { models: ["tier", "regions"], availability: ["tier", "region"] };

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
