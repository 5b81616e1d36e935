import { createHash } from "node:crypto";
import type { PerValue } from "./dialectOptions";

/** One GPU type that the simulated service rents out. */
export interface SimulatedGpuType {
  /** The value of `gpu_type` in requests. */
  type: string;
  /** Display name. */
  name: string;
  memoryGb: number;
  /** US dollars for one GPU and one hour. Without it, the service shows no price for this type. */
  pricePerHour?: number;
  /** Number of GPUs that the service owns. Clusters hold GPUs of this stock. */
  stock: number;
  /** Number of free GPUs that answers report, whether it is right or wrong. @default the free GPUs */
  reportedStock?: number;
}

// The cheapest type is sold out on purpose: a program that takes the cheapest type must check the stock too.
const ownCatalog: readonly SimulatedGpuType[] = [
  { type: "a100-40gb", name: "NVIDIA A100 40GB", memoryGb: 40, pricePerHour: 1.29, stock: 64 },
  { type: "a100-80gb", name: "NVIDIA A100 80GB", memoryGb: 80, pricePerHour: 1.79, stock: 128 },
  { type: "h100", name: "NVIDIA H100", memoryGb: 80, pricePerHour: 2.99, stock: 256 },
  { type: "h200", name: "NVIDIA H200", memoryGb: 141, pricePerHour: 3.99, stock: 32 },
  { type: "l4", name: "NVIDIA L4", memoryGb: 24, pricePerHour: 0.44, stock: 128 },
  { type: "l40s", name: "NVIDIA L40S", memoryGb: 48, pricePerHour: 0.86, stock: 64 },
  { type: "rtx4090", name: "NVIDIA GeForce RTX 4090", memoryGb: 24, pricePerHour: 0.34, stock: 0 },
];

// The names of the service's public documents. Two types share the first word of their name, so that a short name is
// ambiguous; again the cheapest one is sold out.
const publishedCatalog: readonly SimulatedGpuType[] = [
  { type: "rtx-4090", name: "RTX 4090", memoryGb: 24, pricePerHour: 0.49, stock: 48 },
  { type: "rtx-3090", name: "RTX 3090", memoryGb: 24, pricePerHour: 0.29, stock: 0 },
  { type: "a100-40gb", name: "A100 40GB", memoryGb: 40, pricePerHour: 1.29, stock: 64 },
  { type: "a100-80gb", name: "A100 80GB", memoryGb: 80, pricePerHour: 1.79, stock: 128 },
  { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 2.99, stock: 256 },
  { type: "h200", name: "H200", memoryGb: 141, pricePerHour: 3.99, stock: 32 },
  { type: "l4", name: "L4", memoryGb: 24, pricePerHour: 0.44, stock: 128 },
];

/** The default catalogs, by the option `catalog`. */
export const catalogs: PerValue<"catalog", readonly SimulatedGpuType[]> = {
  own: ownCatalog,
  published: publishedCatalog,
};

/** A GPU model in the records of the client, without its id. */
export function clientModel({ name, memoryGb }: SimulatedGpuType) {
  return { name, manufacturer: "NVIDIA", vramGb: memoryGb };
}

/** The UUID for a string, such as the name of a GPU type or a replica. Equal strings have equal UUIDs. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The id of a GPU type in requests and answers. */
export const gpuIds: PerValue<"variant", (type: string) => string> = { specification: (type) => type, client: uuidOf };
