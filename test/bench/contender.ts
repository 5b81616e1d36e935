import type { Clock } from "../../provider/clock";

/** Where a service is. */
export interface Address {
  readonly url: string;
  readonly apiKey: string;
}

/** What a contender is asked to run. */
export interface Wanted {
  readonly name: string;
  /** Whose word counts: that of each replica, or the list's. A contender may have but one way. */
  readonly healthCheck: "status" | "list";
}

/** A cluster as a contender keeps it. */
export interface Made {
  readonly id: string;
  readonly state: Record<string, unknown>;
}

/** Something that manages clusters: the operations that the engine would call, all at once. */
export interface Contender {
  /** Resolves when the cluster is ready. */
  create(wanted: Wanted): Promise<Made>;
  read(made: Made): Promise<unknown>;
  /** Resolves when the cluster is gone. */
  remove(made: Made): Promise<void>;
}

/** Makes a contender as a process of its own would: it knows nothing of what came before. */
export type Open = (address: Address, clock: Clock) => Contender;

/** What every contender asks for: one replica, so that all clusters take the same time. */
export const spec = { gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", replicas: 1 };
