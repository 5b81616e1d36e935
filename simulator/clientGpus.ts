import { type SimulatedGpuType, wireIds } from "./catalog";
import { modelFacts } from "./clientRecords";
import { isStockListed } from "./gpuRecords";
import type { Service } from "./service";

/** The filters of a request about GPUs; each may be missing. */
export type GpuQuery = Readonly<Record<string, string>>;

/** Answer of `GET /v1/gpus/models` as the client reads it. */
export function clientModels({ fleet, dialect }: Service, query: GpuQuery): object {
  const data = fleet.gpus().map((gpu) => {
    const rows = rowsOf(fleet.available(gpu.type), query);
    const sum = (field: "totalGpus" | "nodeCount") => rows.reduce((total, row) => total + row[field], 0);
    const { architecture = null } = gpu;
    const availability = { totalGpus: sum("totalGpus"), nodeCount: sum("nodeCount") };
    return { id: wireIds[dialect.ids](gpu.type), ...modelFacts(gpu), architecture, availability };
  });
  return { data };
}

/** Answer of `GET /v1/gpus/availability` as the client reads it. */
export function clientAvailability({ fleet, dialect }: Service, query: GpuQuery): object {
  const availability = fleet.gpus().flatMap((gpu) => {
    const { name: gpuModel, ...facts } = modelFacts(gpu);
    return rowsOf(fleet.available(gpu.type), query)
      .filter(({ totalGpus }) => isStockListed[dialect.gpuStockListed](totalGpus))
      .map((row) => ({ gpuModel, ...facts, ...row }));
  });
  return { data: { timestamp: new Date(fleet.clock.now()).toISOString(), availability } };
}

/** Answer of `GET /v1/gpus/pricing` as the client reads it. */
export function clientPrices({ fleet }: Service): object {
  const data = fleet.gpus().flatMap((gpu) => {
    const prices = tierPrices(gpu).map(({ tier, price }) => [tier, { pricePerHour: price }]);
    return prices.length === 0 ? [] : { gpuModel: gpu.name, vramGb: gpu.memoryGb, pricing: Object.fromEntries(prices) };
  });
  return { data };
}

/** Prices in cents, by model and tier. */
export function pricesInCents({ fleet, dialect }: Service): object {
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
export const gpuFilters = { models: ["tier", "regions"], availability: ["tier", "region"] };

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
