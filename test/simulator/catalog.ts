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
