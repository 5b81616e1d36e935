import { type Answer, ApiError } from "./answer";
import type { SimulatedGpuType } from "./catalog";
import { gpuList, gpuPrice, gpuStock } from "./render";
import type { Route } from "./router";
import type { Service } from "./service";

type Facts = (gpu: SimulatedGpuType) => { type: string };

/** GPU types, prices and stock. */
export function gpuRoutes({ fleet, dialect }: Service): Route[] {
  const model = ({ type, name, memoryGb }: SimulatedGpuType) => ({ type, name, memory_gb: memoryGb });
  const price = gpuPrice[dialect.priceShape];
  const stock = (gpu: SimulatedGpuType) => gpuStock[dialect.stockShape](fleet.available(gpu.type));
  const list = (path: string, word: string, facts: Facts): Route => ({
    method: "GET",
    path,
    run: () => ({ status: 200, body: gpuList[dialect.gpuListShape](fleet.gpus().map(facts), word) }),
  });
  const availability = (type: string): Answer => {
    const gpu = fleet.gpu(type);
    if (!gpu) throw new ApiError(404, "gpu_type_not_found", `There is no GPU type "${type}".`);
    return { status: 200, body: { gpu_type: type, ...stock(gpu) } };
  };
  return [
    list("/v1/gpus", "gpus", (gpu) => ({ ...model(gpu), ...price(gpu), ...stock(gpu) })),
    list("/v1/gpus/models", "models", model),
    list("/v1/gpus/availability", "availability", (gpu) => ({ type: gpu.type, ...stock(gpu) })),
    list("/v1/gpus/pricing", "pricing", (gpu) => ({ type: gpu.type, ...price(gpu) })),
    { method: "GET", path: "/v1/gpus/:type/availability", run: ({ param }) => availability(param) },
  ];
}
