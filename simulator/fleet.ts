import { randomBytes, randomUUID } from "node:crypto";
import type { SimulatedGpuType } from "./catalog";
import { addReplicas, type ClusterState, type Configuration, type Timing } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";
import type { PendingFaults } from "./pendingFaults";
import { holdsGpus, type SimulatedCluster, snapshot, statusAt } from "./snapshot";

/** The arguments of a new cluster. */
export interface ClusterSeed extends Configuration {
  name: string;
  organization: string;
  gpuType: string;
  replicas: number;
  gpusPerReplica: number;
  extras: ExtraFields;
}

const clusterIds: PerValue<"variant", (suffix: string) => string> = {
  specification: (suffix) => `cl_${suffix}`,
  client: () => randomUUID(),
};

/** Every cluster ever created, and the GPUs that they run on. */
export class Fleet {
  readonly #clusters = new Map<string, ClusterState>();
  readonly #catalog: Map<string, SimulatedGpuType>;
  /** Past states of all clusters, oldest first, for lists that lag. */
  #history: { at: number; states: ClusterState[] }[] = [];

  constructor(
    readonly clock: { now(): number },
    readonly timing: Timing,
    catalog: readonly SimulatedGpuType[],
    readonly variant: Dialect["variant"],
    /** The base URL of the clusters' endpoints. */
    readonly endpointBase: string | undefined,
  ) {
    this.#catalog = new Map(catalog.map((gpu) => [gpu.type, { ...gpu }]));
  }

  /** All clusters, oldest first. */
  all(): ClusterState[] {
    return [...this.#clusters.values()];
  }

  /** A cluster by id, even a deleted one. */
  get(id: string): ClusterState | undefined {
    return this.#clusters.get(id);
  }

  /** A cluster of an organization by id, even a deleted one. */
  find(id: string, organization: string): ClusterState | undefined {
    const state = this.#clusters.get(id);
    return state?.organization === organization ? state : undefined;
  }

  /** The clusters of an organization that are not gone. */
  existing(organization: string): ClusterState[] {
    return this.all().filter((state) => state.organization === organization && !this.isGone(state));
  }

  /** An organization's list as it was `listLagMs` ago: the existing clusters, and the tombstones of deleted ones. */
  listed(organization: string): SimulatedCluster[] {
    const { listLagMs, tombstoneMs } = this.timing;
    const time = this.clock.now() - listLagMs;
    const states = listLagMs > 0 ? this.#history.findLast(({ at }) => at <= time)?.states : this.all();
    return (states ?? [])
      .filter((state) => state.organization === organization)
      .filter((state) => this.#isVisibleAt(state, time, tombstoneMs.lists))
      .map((state) => snapshot(state, time, this.timing))
      .filter(({ hidden }) => !hidden);
  }

  /** Records the clusters for lists that lag. Must be called after each event. */
  recordHistory(): void {
    const { listLagMs } = this.timing;
    if (listLagMs === 0) return;
    const now = this.clock.now();
    const oldest = this.#history.findLastIndex(({ at }) => at <= now - listLagMs);
    this.#history = [...this.#history.slice(Math.max(0, oldest)), { at: now, states: structuredClone(this.all()) }];
  }

  isGone(state: ClusterState): boolean {
    return statusAt(state, this.clock.now(), this.timing) === "gone";
  }

  /** Whether a read by id shows the cluster, or its tombstone. */
  isReadable(state: ClusterState): boolean {
    return this.#isVisibleAt(state, this.clock.now(), this.timing.tombstoneMs.reads);
  }

  /** Adds a cluster whose replicas all become healthy within `durationMs`. */
  add(seed: ClusterSeed, durationMs: number, createdAt: number = this.clock.now()): ClusterState {
    const { name, organization, gpuType, gpusPerReplica, extras } = seed;
    const suffix = this.#uniqueSuffix();
    const configuration = { container: seed.container, env: { ...seed.env } };
    const state: ClusterState = {
      id: clusterIds[this.variant](suffix),
      suffix,
      endpoint: this.endpointBase ? `${this.endpointBase}/${name}` : `https://${name}-${suffix}.clusters.example.com`,
      name,
      organization,
      gpuType,
      gpusPerReplica,
      createdAt,
      configuration,
      extras,
      deployed: configuration,
      desiredReplicas: seed.replicas,
      replicas: [],
      generation: 1,
      replicasCreated: 0,
      phase: { status: "provisioning", until: createdAt },
      hiddenUntil: createdAt,
    };
    addReplicas(state, seed.replicas, createdAt, durationMs);
    this.#clusters.set(state.id, state);
    return state;
  }

  /** A snapshot of a cluster now. */
  view(state: ClusterState): SimulatedCluster {
    return snapshot(state, this.clock.now(), this.timing);
  }

  /** The current catalog. */
  gpus(): SimulatedGpuType[] {
    return [...this.#catalog.values()];
  }

  gpu(type: string): SimulatedGpuType | undefined {
    return this.#catalog.get(type);
  }

  /** Number of free GPUs of a type. The GPUs of the cluster `except`, which is about to change, count as free. */
  available(type: string, except?: ClusterState): number {
    const now = this.clock.now();
    const held = this.all()
      .filter((state) => state !== except && state.gpuType === type && holdsGpus(state, now, this.timing))
      .reduce((sum, state) => sum + state.desiredReplicas * state.gpusPerReplica, 0);
    return Math.max(0, (this.#catalog.get(type)?.stock ?? 0) - held);
  }

  /** Number of free GPUs of a type that answers report. */
  reportedStock(type: string): number {
    return this.#catalog.get(type)?.reportedStock ?? this.available(type);
  }

  #isVisibleAt({ deletedAt = Number.POSITIVE_INFINITY }: ClusterState, time: number, tombstoneMs: number): boolean {
    return time < deletedAt + this.timing.deletionMs + tombstoneMs;
  }

  #uniqueSuffix(): string {
    const suffix = randomBytes(4).toString("hex");
    return this.all().some((state) => state.suffix === suffix) ? this.#uniqueSuffix() : suffix;
  }
}

/** The data that the endpoints use. */
export interface Service {
  fleet: Fleet;
  dialect: Dialect;
  faults: PendingFaults;
}
