import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Backend } from "./backend";
import { catalogs, type SimulatedGpuType } from "./catalog";
import { addForeign, applyChanges, type ClusterChanges, type ForeignCluster } from "./changes";
import { clusterRoutes } from "./clusterRoutes";
import type { Dialect, PerValue } from "./dialectOptions";
import { resolveDialect } from "./dialects";
import { type Fault, parseFault } from "./faults";
import { Fleet } from "./fleet";
import { gpuRoutes } from "./gpuRoutes";
import { PendingFaults } from "./pendingFaults";
import { RateWindows } from "./rates";
import { listen, type OpenRequest, type RecordedRequest, type RequestLog, urlOf } from "./server";
import { serviceRoutes } from "./serviceRoutes";
import type { SimulatedCluster } from "./snapshot";

/** Options of a simulator. */
export interface SimulatorOptions {
  /** @default 0, a free port. The host is always 127.0.0.1. */
  port?: number;
  /** Organizations by API key. @default one generated key of the organization `org_default` */
  apiKeys?: Record<string, string>;
  /** A name from `dialects`, or options that change `plain`. @default "plain" */
  dialect?: string | Partial<Dialect>;
  /** Milliseconds from creation, restart or rollout until all replicas are healthy. @default 3000 */
  provisioningMs?: number;
  /** Milliseconds from DELETE until the cluster is gone, and from stop until it is stopped. @default 300 */
  deletionMs?: number;
  /** Number of requests per key and window. @default 100 */
  rateLimit?: number;
  /** @default 60000 */
  rateWindowMs?: number;
  /**
   * Milliseconds by which `GET /v1/clusters` lags. A new cluster is missing, a deleted one is still listed, and all fields
   * have their earlier values. All other answers are current. @default 0
   */
  listLagMs?: number;
  /** Milliseconds added to each request, in real time. @default 0 */
  latencyMs?: number;
  /** The GPU types with prices and stock. @default the catalog of the dialect */
  gpuTypes?: SimulatedGpuType[];
  /** Faults from the start. @default none */
  faults?: Fault[];
  /** The base URL of all clusters' endpoints, such as that of a server of your test. @default one without a server */
  endpoint?: string;
  /** The time for clusters and rate windows. @default Date */
  clock?: { now(): number };
}

/** A running simulator. */
export interface Simulator {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** The first API key. */
  readonly apiKey: string;
  /** The organization of `apiKey`. */
  readonly organization: string;
  readonly dialect: Dialect;
  /** Every request so far, in the order of the answers. */
  readonly requests: RecordedRequest[];
  /** The requests in flight, oldest first, for example those that a `delay` holds. */
  openRequests(): OpenRequest[];
  /** Every cluster ever created, oldest first, including those that are gone. */
  clusters(): SimulatedCluster[];
  cluster(id: string): SimulatedCluster | undefined;
  /** Adds a fault. */
  fault(fault: Fault): void;
  /**
   * Changes price, stock, ... of a GPU type: `{ stock: 0 }` sells it out, `{ reportedStock: 8 }` makes answers report a wrong
   * number, `{ pricePerHour: undefined }` hides its price.
   */
  setGpuType(type: string, changes: Partial<SimulatedGpuType>): void;
  /** Changes a cluster without a request, as another program or a failure would. */
  change(id: string, changes: ClusterChanges): void;
  /** Adds a cluster of another program. By default it is running, with all replicas healthy. */
  addCluster(fields: ForeignCluster): SimulatedCluster;
  /** Refuses an API key from now on, as after a rotation. */
  revokeKey(apiKey: string): void;
  /** Ends the server and its connections. Can be called again. */
  close(): Promise<void>;
}

/** Opens a simulator that keeps none of the requests that it has answered. */
export async function openSimulator(
  options: SimulatorOptions,
  onAnswer: RequestLog["onAnswer"],
): Promise<Omit<Simulator, "requests">> {
  const closing = new AbortController();
  // Every delayed request listens to this signal.
  setMaxListeners(0, closing.signal);
  const backend = createBackend(options, closing.signal);
  const [[apiKey, organization] = ["", ""]] = backend.apiKeys;
  const log: RequestLog = { open: new Set(), onAnswer };
  const server = await listen(backend, options.port ?? 0, log);
  let closed: Promise<void> | undefined;
  return {
    url: urlOf(server),
    apiKey,
    organization,
    dialect: backend.dialect,
    openRequests: () => [...log.open],
    ...controlsOf(backend, organization),
    close() {
      closed ??= new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

type Controls = "clusters" | "cluster" | "fault" | "setGpuType" | "change" | "addCluster" | "revokeKey";

/** What a test reads and changes without a request. */
function controlsOf({ fleet, faults, apiKeys }: Backend, organization: string): Pick<Simulator, Controls> {
  return {
    clusters: () => fleet.all().map((state) => fleet.view(state)),
    cluster(id) {
      const state = fleet.get(id);
      return state && fleet.view(state);
    },
    fault: (fault) => faults.add(parseFault(fault)),
    setGpuType(type, changes) {
      const gpu = fleet.gpu(type);
      if (!gpu) throw new RangeError(`There is no GPU type "${type}".`);
      Object.assign(gpu, changes, { type });
    },
    change(id, changes) {
      const state = fleet.get(id);
      if (!state) throw new RangeError(`There is no cluster "${id}".`);
      applyChanges(state, changes, fleet.clock.now(), fleet.timing);
      fleet.recordHistory();
    },
    addCluster: (fields) => addForeign(fleet, organization, fields),
    revokeKey: (key) => void apiKeys.delete(key),
  };
}

function createBackend(options: SimulatorOptions, signal: AbortSignal): Backend {
  const dialect = resolveDialect(options.dialect);
  const { provisioningMs = 3000, deletionMs = 300, listLagMs = 0, endpoint, clock = Date } = options;
  const faults = new PendingFaults();
  for (const fault of options.faults ?? []) faults.add(parseFault(fault));
  const { runningWhen, tombstone, variant, catalog } = dialect;
  const timing = { provisioningMs, deletionMs, listLagMs, tombstoneMs: tombstonesMs[tombstone], runningWhen };
  const fleet = new Fleet(clock, timing, options.gpuTypes ?? catalogs[catalog], variant, endpoint);
  const service = { dialect, faults, fleet };
  return {
    ...service,
    routes: [...serviceRoutes, ...gpuRoutes(service), ...clusterRoutes(service)],
    rates: new RateWindows(options.rateLimit ?? 100, options.rateWindowMs ?? 60_000),
    apiKeys: new Map(Object.entries(options.apiKeys ?? { [`sim_${randomBytes(12).toString("hex")}`]: "org_default" })),
    latencyMs: options.latencyMs ?? 0,
    signal,
  };
}

const tombstonesMs: PerValue<"tombstone", { lists: number; reads: number }> = {
  none: { lists: 0, reads: 0 },
  listed: { lists: 60_000, reads: 60_000 },
  readable: { lists: 0, reads: Number.POSITIVE_INFINITY },
};
