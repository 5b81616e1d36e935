import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { catalogs, type SimulatedGpuType, uuidOf } from "./catalog";
import { addForeign, applyChanges, type ClusterChanges, type ForeignCluster } from "./changes";
import { clusterRoutes } from "./clusterRoutes";
import type { ClusterState } from "./clusterState";
import { type Dialect, dialectOptions, type PerValue } from "./dialectOptions";
import { dialects, resolveDialect } from "./dialects";
import type { Backend } from "./exchange";
import { FaultBook } from "./faultBook";
import { type Fault, parseFault } from "./faults";
import { Fleet } from "./fleet";
import { gpuRoutes } from "./gpuRoutes";
import type { SimulatedCluster } from "./life";
import { RateWindows } from "./rates";
import { listen, type OpenRequest, type RecordedRequest, type RequestBook, urlOf } from "./server";
import { serviceRoutes } from "./serviceRoutes";

export type { ClusterStatus } from "./clusterState";
export type { SimulatedReplica } from "./life";
export type {
  ClusterChanges,
  Dialect,
  Fault,
  ForeignCluster,
  OpenRequest,
  RecordedRequest,
  SimulatedCluster,
  SimulatedGpuType,
};
export { dialectOptions, dialects, uuidOf as gpuModelId };

/** Options of a simulator. */
export interface SimulatorOptions {
  /** @default 0, a free port. The host is always 127.0.0.1. */
  port?: number;
  /** Organizations by API key. @default one generated key of the organization `org_default` */
  apiKeys?: Record<string, string>;
  /** A name from `dialects`, or options on top of `plain`. @default "plain" */
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
  /** The address below which the endpoints of clusters are, such as that of a server of your test. @default one without a server */
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
   * Changes price, stock, ... of a GPU type: `{ stock: 0 }` sells it out, `{ shownStock: 8 }` makes the stock lie,
   * `{ pricePerHour: undefined }` hides its price.
   */
  setGpuType(type: string, changes: Partial<SimulatedGpuType>): void;
  /** Changes a cluster without a request, as another program or a failure would. */
  change(id: string, changes: ClusterChanges): void;
  /** Adds a cluster that another program made. By default it is running, with all replicas healthy. */
  addCluster(fields: ForeignCluster): SimulatedCluster;
  /** Refuses an API key from now on, as after a rotation. */
  revokeKey(apiKey: string): void;
  /** Ends the server and its connections. May be called again. */
  close(): Promise<void>;
}

/** Starts a simulator of the GPU cluster service. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const closing = new AbortController();
  // Every delayed request listens to this signal.
  setMaxListeners(0, closing.signal);
  const backend = assemble(options, closing.signal);
  const { fleet, dialect } = backend;
  fleet.endpointBase = options.endpoint;
  const book: RequestBook = { answered: [], open: new Set() };
  const [[apiKey, organization] = ["", ""]] = backend.apiKeys;
  const server = await listen(backend, options.port ?? 0, book);
  const stateOf = (id: string) => fleet.get(id) ?? notFound(`There is no cluster "${id}".`);
  let closed: Promise<void> | undefined;
  return {
    url: urlOf(server),
    apiKey,
    organization,
    dialect,
    requests: book.answered,
    openRequests: () => [...book.open],
    clusters: () => fleet.all().map((state) => fleet.view(state)),
    cluster: (id) => optionalView(fleet, fleet.get(id)),
    fault: (fault) => backend.faults.add(parseFault(fault)),
    setGpuType: (type, changes) => {
      Object.assign(fleet.gpu(type) ?? notFound(`There is no GPU type "${type}".`), changes, { type });
    },
    change: (id, changes) => {
      applyChanges(stateOf(id), changes, fleet.clock.now(), fleet.timing);
      fleet.remember();
    },
    revokeKey: (key) => void backend.apiKeys.delete(key),
    addCluster: (fields) => addForeign(fleet, organization, fields),
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

function assemble(options: SimulatorOptions, signal: AbortSignal): Backend {
  const dialect = resolveDialect(options.dialect);
  const { provisioningMs = 3000, deletionMs = 300, clock = Date, gpuTypes = catalogs[dialect.catalog] } = options;
  const faults = new FaultBook();
  for (const fault of options.faults ?? []) faults.add(parseFault(fault));
  const { runningWhen, tombstone } = dialect;
  const timing = { provisioningMs, deletionMs, tombstoneMs: tombstonesMs[tombstone], runningWhen };
  const service = { dialect, faults, fleet: new Fleet(clock, timing, gpuTypes, options.listLagMs, dialect.form) };
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

function optionalView(fleet: Fleet, state: ClusterState | undefined): SimulatedCluster | undefined {
  return state && fleet.view(state);
}

function notFound(message: string): never {
  throw new RangeError(message);
}
