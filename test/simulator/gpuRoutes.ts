import { type Answer, ApiError } from "./answer";
import type { SimulatedGpuType } from "./catalog";
import { type GpuFacts, gpuList, gpuPrice, gpuStock, isStockListed, pricesBeside } from "./gpuRecords";
import type { Route } from "./router";
import type { Service } from "./service";

/** GPU types, prices and stock. */
export function gpuRoutes({ fleet, dialect }: Service): Route[] {
  const facts = gpuFacts({ fleet, dialect });
  const read = (path: string, body: () => unknown): Route => ({
    method: "GET",
    path,
    run: () => ({ status: 200, body: body() }),
  });
  const list = (items: GpuFacts[], word: string) => gpuList[dialect.gpuListShape](items, word);
  const obtainable = () =>
    fleet.gpus().filter(({ type }) => isStockListed[dialect.gpuStockListed](fleet.available(type)));
  const availability = (type: string): Answer => {
    const gpu = fleet.gpu(type);
    if (!gpu) throw new ApiError(404, "gpu_type_not_found", `There is no GPU type "${type}".`);
    const { type: gpuType, ...stock } = facts.stock(gpu);
    return { status: 200, body: { gpu_type: gpuType, ...stock } };
  };
  const types = (): unknown => {
    const gpus = obtainable();
    const beside = pricesBeside(dialect);
    const known = gpus.map((gpu) => ({ ...facts.model(gpu), ...(!beside && facts.price(gpu)), ...facts.stock(gpu) }));
    return beside ? beside({ gpus: known, pricing: gpus.map(facts.price) }) : list(known, "gpus");
  };
  return [
    read("/v1/gpus", types),
    read("/v1/gpus/models", () => list(fleet.gpus().map(facts.model), "models")),
    read("/v1/gpus/availability", () => list(obtainable().map(facts.stock), "availability")),
    read("/v1/gpus/pricing", () => list(fleet.gpus().map(facts.price), "pricing")),
    { method: "GET", path: "/v1/gpus/:type/availability", run: ({ param }) => availability(param) },
  ];
}

/** What there is to say about a GPU type, each with its `type`. */
function gpuFacts({ fleet, dialect }: Pick<Service, "fleet" | "dialect">) {
  return {
    model: ({ type, name, memoryGb }: SimulatedGpuType) => ({ type, name, memory_gb: memoryGb }),
    price: (gpu: SimulatedGpuType) => ({ type: gpu.type, ...gpuPrice(gpu, dialect) }),
    stock: ({ type }: SimulatedGpuType) => ({ type, ...gpuStock(fleet.available(type), dialect) }),
  };
}
