import type { RecordedRequest } from "./server";
import { openSimulator, type Simulator, type SimulatorOptions } from "./simulator";

export { type SimulatedGpuType, uuidOf as gpuModelId } from "./catalog";
export type { ClusterChanges, ForeignCluster } from "./changes";
export type { ClusterStatus } from "./clusterState";
export { type Dialect, dialectOptions } from "./dialectOptions";
export { dialects } from "./dialects";
export type { Fault } from "./faults";
export type { OpenRequest, RecordedRequest } from "./server";
export type { Simulator, SimulatorOptions } from "./simulator";
export type { SimulatedCluster, SimulatedReplica } from "./snapshot";

/** Starts a simulator of the GPU cluster service. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const requests: RecordedRequest[] = [];
  const simulator = await openSimulator(options, (request) => requests.push(request));
  return { ...simulator, requests };
}
