import { createHash } from "node:crypto";
import type { PerValue } from "./dialectOptions";

/** One GPU type that the simulated service rents out. */
export interface SimulatedGpuType {
  /** What a cluster names in `gpu_type`. */
  type: string;
  /** Name for people. */
  name: string;
  memoryGb: number;
  /** US dollars for one GPU and one hour. Without it, the service says no price of this type. */
  pricePerHour?: number;
  /** GPUs that the service owns; clusters take theirs out of it. */
  stock: number;
  /** @default "NVIDIA" */
  manufacturer?: string;
  architecture?: string;
}

// The cheapest type is sold out on purpose: "take the cheapest" must look at the stock too.
/** The catalog that a simulator starts with. */
export const defaultCatalog: readonly SimulatedGpuType[] = [
  { type: "a100-40gb", name: "NVIDIA A100 40GB", memoryGb: 40, pricePerHour: 1.29, stock: 64 },
  { type: "a100-80gb", name: "NVIDIA A100 80GB", memoryGb: 80, pricePerHour: 1.79, stock: 128 },
  { type: "h100", name: "NVIDIA H100", memoryGb: 80, pricePerHour: 2.99, stock: 256 },
  { type: "h200", name: "NVIDIA H200", memoryGb: 141, pricePerHour: 3.99, stock: 32 },
  { type: "l4", name: "NVIDIA L4", memoryGb: 24, pricePerHour: 0.44, stock: 128 },
  { type: "l40s", name: "NVIDIA L40S", memoryGb: 48, pricePerHour: 0.86, stock: 64 },
  { type: "rtx4090", name: "NVIDIA GeForce RTX 4090", memoryGb: 24, pricePerHour: 0.34, stock: 0 },
];

// Two types share the first word of their name, so that a short name is ambiguous; again the cheapest one is sold out.
/** Types that are called as in the service's public documents. */
const publishedCatalog: readonly SimulatedGpuType[] = [
  { type: "rtx-4090", name: "RTX 4090", memoryGb: 24, pricePerHour: 0.49, stock: 48, architecture: "Ada" },
  { type: "rtx-3090", name: "RTX 3090", memoryGb: 24, pricePerHour: 0.29, stock: 0, architecture: "Ampere" },
  { type: "a100-40gb", name: "A100 40GB", memoryGb: 40, pricePerHour: 1.29, stock: 64, architecture: "Ampere" },
  { type: "a100-80gb", name: "A100 80GB", memoryGb: 80, pricePerHour: 1.79, stock: 128, architecture: "Ampere" },
  { type: "h100", name: "H100", memoryGb: 80, pricePerHour: 2.99, stock: 256, architecture: "Hopper" },
  { type: "h200", name: "H200", memoryGb: 141, pricePerHour: 3.99, stock: 32, architecture: "Hopper" },
  { type: "l4", name: "L4", memoryGb: 24, pricePerHour: 0.44, stock: 128 },
];

/** The catalog of a simulator that is given none. */
export const catalogs: PerValue<"catalog", readonly SimulatedGpuType[]> = {
  own: defaultCatalog,
  published: publishedCatalog,
};

/** The UUID of a GPU type, a replica, ...: the same text always has the same one. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What requests and answers call a GPU type, or a replica. */
export const wireIds: PerValue<"ids", (text: string) => string> = { words: (text) => text, uuids: uuidOf };
