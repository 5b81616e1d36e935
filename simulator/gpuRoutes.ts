import { type Answer, ApiError } from "./answer";
import { type SimulatedGpuType, wireIds } from "./catalog";
import { clientAvailability, clientModels, clientPrices, type GpuQuery, gpuFilters, pricesInCents } from "./clientGpus";
import type { PerValue } from "./dialectOptions";
import { type GpuFacts, gpuList, gpuPrice, gpuStock, isStockListed, pricesBeside } from "./gpuRecords";
import type { Route } from "./router";
import type { Service } from "./service";

/** The routes of GPU types, prices and stock. */
export function gpuRoutes(service: Service): Route[] {
  const { fleet, dialect } = service;
  const facts = gpuFacts(service);
  const lists = gpuLists[dialect.gpus](service);
  const read = (path: string, body: (query: GpuQuery) => unknown, query?: readonly string[]): Route => ({
    method: "GET",
    path,
    query,
    run: (call) => ({ status: 200, body: body(call.query) }),
  });
  const availability = (asked: string): Answer => {
    const gpu = fleet.gpus().find(({ type }) => wireIds[dialect.ids](type) === asked);
    if (!gpu) throw new ApiError(404, "gpu_type_not_found", `There is no GPU type "${asked}".`);
    const { type: gpuType, ...stock } = facts.stock(gpu);
    return { status: 200, body: { gpu_type: gpuType, ...stock } };
  };
  const types = (): unknown => {
    const gpus = listedTypes(service);
    const beside = pricesBeside(dialect);
    const known = gpus.map((gpu) => ({ ...facts.model(gpu), ...(!beside && facts.price(gpu)), ...facts.stock(gpu) }));
    return beside ? beside({ gpus: known, pricing: gpus.map(facts.price) }) : listOf(known, "gpus", service);
  };
  return [
    read("/v1/gpus", types),
    read("/v1/gpus/models", lists.models, lists.filters?.models),
    read("/v1/gpus/availability", lists.availability, lists.filters?.availability),
    read("/v1/gpus/pricing", () => priceLists[dialect.priceList](service, lists.prices)),
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

const gpuLists: PerValue<"gpus", (service: Service) => GpuLists> = {
  specification: (service) => {
    const facts = gpuFacts(service);
    const { fleet } = service;
    return {
      models: () => listOf(fleet.gpus().map(facts.model), "models", service),
      availability: () => listOf(listedTypes(service).map(facts.stock), "availability", service),
      prices: () => listOf(fleet.gpus().map(facts.price), "pricing", service),
    };
  },
  client: (service) => ({
    filters: gpuFilters,
    models: (query) => clientModels(service, query),
    availability: (query) => clientAvailability(service, query),
    prices: () => clientPrices(service),
  }),
};

const priceLists: PerValue<"priceList", (service: Service, same: () => unknown) => unknown> = {
  same: (_service, same) => same(),
  cents: (service) => pricesInCents(service),
};

function listOf(items: GpuFacts[], word: string, { dialect }: Service): unknown {
  return gpuList[dialect.gpuListShape](items, word);
}

function listedTypes({ fleet, dialect }: Service): SimulatedGpuType[] {
  return fleet.gpus().filter(({ type }) => isStockListed[dialect.gpuStockListed](fleet.available(type)));
}

/** The facts about GPU types, each with its `type`. */
function gpuFacts({ fleet, dialect }: Service) {
  const typeOf = (gpu: SimulatedGpuType) => wireIds[dialect.ids](gpu.type);
  return {
    model: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), name: gpu.name, memory_gb: gpu.memoryGb }),
    price: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), ...gpuPrice(gpu, dialect) }),
    stock: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), ...gpuStock(fleet.available(gpu.type), dialect) }),
  };
}
