import type { Clock } from "../../provider/base/clock";

/** The address and the API key of a service. */
export interface Address {
  readonly url: string;
  readonly apiKey: string;
}

/** The cluster that a contender has to create. */
export interface Wanted {
  readonly name: string;
}

/** A created cluster in a contender's own state. */
export interface Made {
  readonly id: string;
  readonly state: Record<string, unknown>;
}

/** A provider under test: the operations that the engine would call, all concurrently. */
export interface Contender {
  /** Resolves when the cluster is ready. */
  create(wanted: Wanted): Promise<Made>;
  read(made: Made): Promise<unknown>;
  /** Resolves when the cluster is gone. */
  remove(made: Made): Promise<void>;
}

/** Makes a contender as a new process would: without any memory of earlier operations. */
export type Open = (address: Address, clock: Clock) => Contender;

/** The inputs of every cluster: one replica, so that all clusters take the same time. */
export const spec = { gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", replicas: 1 };
