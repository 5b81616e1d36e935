import type { Clock } from "../../provider/base/clock";
import { type Dialect, type Simulator, startSimulator } from "../../simulator";
import type { WindowPhase } from "./bound";
import { spec } from "./contenders";
import { ScaledClock } from "./scaledClock";

/** The service of every run, in milliseconds of its own clock. */
export const service = { limit: 100, windowMs: 60_000, latencyMs: 90, deletionMs: 5_000 };

const apiKey = "bench-key-0123456789abcdef";
/** More GPUs than any run takes. */
const gpuTypes = [{ type: spec.gpuType, name: "NVIDIA H100", memoryGb: 80, pricePerHour: 2.99, stock: 1_000_000 }];

/** A service on the real clock whose rate limit no run reaches, and the environment of a process that uses it. */
export async function openUnlimited(provisioningMs: number) {
  const apiKeys = { [apiKey]: "org_bench" };
  const simulator = await startSimulator({ provisioningMs, rateLimit: 1_000_000, apiKeys, gpuTypes });
  return { simulator, env: { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: apiKey } };
}

export interface ServiceOptions {
  readonly provisioningMs: number;
  /** Milliseconds since its window began. */
  readonly phaseMs: number;
  /** The length of a window, if not that of `service`. */
  readonly windowMs?: number;
  readonly dialect?: Partial<Dialect>;
}

/** A window that began `phaseMs` ago with one request, as after a preview; a fresh window if `phaseMs` is 0. */
export function windowOf({ phaseMs, windowMs = service.windowMs }: ServiceOptions): WindowPhase {
  return { limit: service.limit, windowMs, phaseMs, used: phaseMs > 0 ? 1 : 0 };
}

/** Starts the service on a clock. */
export async function openService(clock: Clock, options: ServiceOptions): Promise<Simulator> {
  const { provisioningMs, phaseMs, dialect, windowMs = service.windowMs } = options;
  const { limit, latencyMs, deletionMs } = service;
  const factor = clock instanceof ScaledClock ? clock.factor : 1;
  const simulator = await startSimulator({
    clock,
    dialect,
    provisioningMs,
    deletionMs,
    rateLimit: limit,
    rateWindowMs: windowMs,
    // The simulator's latency is real time.
    latencyMs: latencyMs / factor,
    gpuTypes,
  });
  if (phaseMs > 0) {
    await fetch(`${simulator.url}/v1/clusters`, { headers: { authorization: `Bearer ${simulator.apiKey}` } });
    await clock.sleep(phaseMs);
  }
  return simulator;
}

/** The service's requests since a time of its clock. */
export function trafficOf({ requests }: Simulator, sinceMs: number): { requests: number; refused: number } {
  const counted = requests.filter(({ at }) => at >= sinceMs);
  return { requests: counted.length, refused: counted.filter(({ status }) => status === 429).length };
}
