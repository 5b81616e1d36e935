import { ApiError } from "./answers";
import { clientModel, type SimulatedGpuType, uuidOf } from "./catalog";
import type { Dialect, PerValue } from "./dialectOptions";
import type { Service } from "./fleet";
import type { ParsedRequest, Route } from "./router";

/** The routes of GPU types, prices and stock. */
export function gpuRoutes(service: Service): Route[] {
  return routesOf[service.dialect.variant](service);
}

const routesOf: PerValue<"variant", (service: Service) => Route[]> = {
  specification({ fleet, dialect }) {
    const stockOf = ({ type }: SimulatedGpuType) => {
      const count = fleet.reportedStock(type);
      return { available: count > 0, available_count: count };
    };
    const list = (name: string, fieldsOf: (gpu: SimulatedGpuType) => object) => () => {
      const records = fleet.gpus().map((gpu) => ({ type: gpu.type, ...fieldsOf(gpu) }));
      return listBody(records, name, dialect);
    };
    const availabilityOf = (type: string) => {
      const gpu = fleet.gpu(type);
      if (!gpu) throw new ApiError(404, "gpu_type_not_found", `There is no GPU type "${type}".`);
      return { gpu_type: gpu.type, ...stockOf(gpu) };
    };
    return [
      readRoute(
        "/v1/gpus",
        list("gpus", (gpu) => ({ ...modelOf(gpu), ...priceOf(gpu), ...stockOf(gpu) })),
      ),
      readRoute("/v1/gpus/models", list("models", modelOf)),
      readRoute("/v1/gpus/availability", list("availability", stockOf)),
      readRoute("/v1/gpus/pricing", list("pricing", priceOf)),
      readRoute("/v1/gpus/:type/availability", ({ param }) => availabilityOf(param)),
    ];
  },
  client: (service) => [
    readRoute("/v1/gpus/models", ({ query }) => clientModels(service, query), ["tier", "regions"]),
    readRoute("/v1/gpus/availability", ({ query }) => clientAvailability(service, query), ["tier", "region"]),
    readRoute("/v1/gpus/pricing", () => clientPrices(service)),
  ],
};

function readRoute(path: string, body: (request: ParsedRequest) => unknown, query?: readonly string[]): Route {
  return { method: "GET", path, query, run: (request) => ({ status: 200, body: body(request) }) };
}

/** A list about GPU types under its name, or bare. */
function listBody(records: object[], name: string, { listShape }: Dialect): unknown {
  return listShape === "bare" ? records : { [name]: records };
}

function modelOf({ name, memoryGb }: SimulatedGpuType): object {
  return { name, memory_gb: memoryGb };
}

/** The price of one GPU for one hour; no fields if the type has no price. */
function priceOf({ pricePerHour }: SimulatedGpuType): object {
  return pricePerHour === undefined ? {} : { price_per_hour: pricePerHour, currency: "USD" };
}

/** The filters of a request about GPUs; each can be missing. */
type GpuQuery = Readonly<Record<string, string>>;

/** Answer of `GET /v1/gpus/models` as the client reads it. */
function clientModels({ fleet }: Service, query: GpuQuery): object {
  const data = fleet.gpus().map((gpu) => {
    const rows = freeGpus(fleet.reportedStock(gpu.type), query);
    const sum = (field: "totalGpus" | "nodeCount") => rows.reduce((total, row) => total + row[field], 0);
    const availability = { totalGpus: sum("totalGpus"), nodeCount: sum("nodeCount") };
    return { id: uuidOf(gpu.type), ...clientModel(gpu), architecture: null, availability };
  });
  return { data };
}

/** Answer of `GET /v1/gpus/availability` as the client reads it. */
function clientAvailability({ fleet }: Service, query: GpuQuery): object {
  const availability = fleet.gpus().flatMap((gpu) => {
    const { name: gpuModel, ...model } = clientModel(gpu);
    return freeGpus(fleet.reportedStock(gpu.type), query).map((row) => ({ gpuModel, ...model, ...row }));
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

/** Price on a verified node, relative to a community node. */
const verifiedFactor = 1.25;

const gpusPerNode = 8;

function tierPrices({ pricePerHour: price }: SimulatedGpuType) {
  if (price === undefined) return [];
  const verified = Math.round(price * verifiedFactor * 100) / 100;
  return tiers.map((tier) => ({ tier, price: tier === "verified" ? verified : price }));
}

/** The free GPUs of a type by tier and region, after the filters of the request. */
function freeGpus(count: number, { tier, region, regions: regionList = region }: GpuQuery) {
  const places = tiers.flatMap((each) => regions.map((place) => ({ ...place, tier: each })));
  const selected = regionList?.split(",");
  return places
    .map((place, index) => {
      const totalGpus = Math.floor((count + places.length - 1 - index) / places.length);
      return { ...place, totalGpus, nodeCount: Math.ceil(totalGpus / gpusPerNode) };
    })
    .filter((row) => (tier === undefined || row.tier === tier) && (selected?.includes(row.region) ?? true));
}
