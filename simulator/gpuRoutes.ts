import { type Answer, ApiError } from "./answers";
import { modelFacts, type SimulatedGpuType, wireIds } from "./catalog";
import type { Dialect, PerValue } from "./dialectOptions";
import type { Service } from "./fleet";
import type { Route } from "./router";

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
  return fleet.gpus().filter(({ type }) => isStockListed[dialect.gpuStockListed](fleet.shown(type)));
}

/** The facts about GPU types, each with its `type`. */
function gpuFacts({ fleet, dialect }: Service) {
  const typeOf = (gpu: SimulatedGpuType) => wireIds[dialect.ids](gpu.type);
  return {
    model: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), name: gpu.name, memory_gb: gpu.memoryGb }),
    price: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), ...gpuPrice(gpu, dialect) }),
    stock: (gpu: SimulatedGpuType) => ({ type: typeOf(gpu), ...gpuStock(fleet.shown(gpu.type), dialect) }),
  };
}

/** One GPU type in a list. */
type GpuFacts = { type: string } & object;

/** A list of GPU facts; `word` is its name. */
const gpuList: PerValue<"gpuListShape", (items: GpuFacts[], word: string) => unknown> = {
  wrapped: (items, word) => ({ [word]: items }),
  bare: (items) => items,
  "by-type": byType,
};

/** Two lists beside each other, by their names; undefined if the shape allows one list only. */
const gpuListsBeside: PerValue<"gpuListShape", ((lists: Readonly<Record<string, GpuFacts[]>>) => unknown) | undefined> =
  {
    wrapped: (lists) => lists,
    bare: undefined,
    // By type alone, "pricing" would read as the name of a GPU.
    "by-type": (lists) => Object.fromEntries(Object.entries(lists).map(([word, items]) => [word, byType(items)])),
  };

/** The price of a GPU type for one hour; an empty record without a price. */
function gpuPrice({ pricePerHour }: SimulatedGpuType, { priceForm, pricePlace }: Dialect): object {
  if (pricePerHour === undefined) return {};
  return pricePlaces[pricePlace](pricePerHour, prices[priceForm]);
}

interface Price {
  /** Names of the price in the record of its type, and in an object `pricing`. */
  names: { flat: string; inner: string };
  value(pricePerHour: number): number | string;
}

const names = { flat: "price_per_hour", inner: "hourly" };

const prices: PerValue<"priceForm", Price> = {
  number: { names, value: (price) => price },
  text: { names, value: (price) => price.toFixed(2) },
  cents: {
    names: { flat: "price_cents_per_hour", inner: "hourly_cents" },
    value: (price) => Math.round(price * 100),
  },
};

const pricePlaces: PerValue<"pricePlace", (pricePerHour: number, price: Price) => object> = {
  flat: flatPrice,
  object: (pricePerHour, { names: { inner }, ...price }) => ({
    pricing: flatPrice(pricePerHour, { ...price, names: { flat: inner, inner } }),
  }),
  // In the separate list of prices; or in the list of types if that list is bare.
  beside: flatPrice,
};

function flatPrice(pricePerHour: number, { names: { flat }, value }: Price): object {
  return { [flat]: value(pricePerHour), currency: "USD" };
}

/** How many GPUs of a type are free. */
function gpuStock(count: number, { stockForm, stockFlag, stockPlace }: Dialect): object {
  return stockPlaces[stockPlace](count, (number) => stockForms[stockForm](number, stockFlags[stockFlag]));
}

const stockFlags: PerValue<"stockFlag", (count: number) => object> = {
  boolean: (count) => ({ available: count > 0 }),
  word: (count) => ({ availability: count > 0 ? "in_stock" : "sold_out" }),
};

const stockForms: PerValue<"stockForm", (count: number, flag: (count: number) => object) => object> = {
  "flag-and-count": (count, flag) => ({ ...flag(count), available_count: count }),
  flag: (count, flag) => flag(count),
  count: (count) => ({ available_count: count }),
};

const stockPlaces: PerValue<"stockPlace", (count: number, say: (count: number) => object) => object> = {
  flat: (count, say) => say(count),
  "by-region": (count, say) => ({
    availability: { "eu-north": alone(say(Math.ceil(count / 2))), "us-east": alone(say(Math.floor(count / 2))) },
  }),
};

/** The stock of one region: a single fact is written without its name. */
function alone(facts: object): unknown {
  const [first, ...more] = Object.values(facts);
  return more.length > 0 ? facts : first;
}

/** Whether lists of available GPUs contain a type, by the number of its free GPUs. */
const isStockListed: PerValue<"gpuStockListed", (count: number) => boolean> = {
  all: () => true,
  "in-stock-only": (count) => count > 0,
};

/** The form of two lists if prices are beside the types; else undefined. */
function pricesBeside({ pricePlace, gpuListShape }: Dialect) {
  return pricePlace === "beside" ? gpuListsBeside[gpuListShape] : undefined;
}

function byType(items: GpuFacts[]): object {
  return Object.fromEntries(items.map(({ type, ...facts }) => [type, facts]));
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
    return { id: wireIds[dialect.ids](gpu.type), ...modelFacts(gpu), architecture, availability };
  });
  return { data };
}

/** Answer of `GET /v1/gpus/availability` as the client reads it. */
function clientAvailability({ fleet, dialect }: Service, query: GpuQuery): object {
  const availability = fleet.gpus().flatMap((gpu) => {
    const { name: gpuModel, ...facts } = modelFacts(gpu);
    return rowsOf(fleet.shown(gpu.type), query)
      .filter(({ totalGpus }) => isStockListed[dialect.gpuStockListed](totalGpus))
      .map((row) => ({ gpuModel, ...facts, ...row }));
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

/** Prices in cents, by model and tier. */
function pricesInCents({ fleet, dialect }: Service): object {
  const gpu = fleet.gpus().flatMap((type) =>
    tierPrices(type).map(({ tier, price }) => ({
      gpuModelId: wireIds[dialect.ids](type.type),
      gpuModelName: type.name,
      tier,
      vramGb: type.memoryGb,
      pricePerHourCents: Math.round(price * 100),
    })),
  );
  return { gpu, cpu: [] };
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
