import { randomBytes, randomUUID } from "node:crypto";
import type { SimulatedGpuType } from "./catalog";
import { addReplicas, type ClusterState, type Configuration, type Timing } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import type { ExtraFields } from "./extraFields";
import type { FaultBook } from "./faultBook";
import { holdsGpus, type SimulatedCluster, snapshot, statusAt } from "./life";

/** The arguments of a new cluster. */
export interface ClusterSeed extends Configuration {
  name: string;
  organization: string;
  gpuType: string;
  replicas: number;
  gpusPerReplica: number;
  extras: ExtraFields;
}

const clusterIds: PerValue<"form", (suffix: string) => string> = {
  specification: (suffix) => `cl_${suffix}`,
  client: () => randomUUID(),
};

/** Every cluster ever created, and the GPUs that they run on. */
export class Fleet {
  readonly #clusters = new Map<string, ClusterState>();
  readonly #catalog: Map<string, SimulatedGpuType>;
  /** Past states of all clusters, oldest first, for lists that lag. */
  #past: { at: number; states: ClusterState[] }[] = [];
  /** The address below which the endpoints of new clusters are. */
  endpointBase: string | undefined;

  constructor(
    readonly clock: { now(): number },
    readonly timing: Timing,
    catalog: readonly SimulatedGpuType[],
    readonly listLagMs = 0,
    readonly form: Dialect["form"] = "specification",
  ) {
    this.#catalog = new Map(catalog.map((gpu) => [gpu.type, { ...gpu }]));
  }

  /** All clusters, oldest first. */
  all(): ClusterState[] {
    return [...this.#clusters.values()];
  }

  /** A cluster by id, also a gone one. */
  get(id: string): ClusterState | undefined {
    return this.#clusters.get(id);
  }

  /** The clusters that an organization's key can change. */
  living(organization: string): ClusterState[] {
    return this.all().filter((state) => state.organization === organization && !this.isGone(state));
  }

  /**
   * The clusters in an organization's list, as they were `listLagMs` ago: the living clusters, and the tombstones of gone
   * ones.
   */
  listed(organization: string): SimulatedCluster[] {
    const time = this.clock.now() - this.listLagMs;
    const states = this.listLagMs > 0 ? this.#past.findLast(({ at }) => at <= time)?.states : this.all();
    return (states ?? [])
      .filter((state) => state.organization === organization)
      .filter((state) => this.#isShownAt(state, time, this.timing.tombstoneMs.lists))
      .map((state) => snapshot(state, time, this.timing))
      .filter(({ hidden }) => !hidden);
  }

  /** Records the clusters for lists that lag. Must be called after each event. */
  remember(): void {
    if (this.listLagMs === 0) return;
    const now = this.clock.now();
    const shown = this.#past.findLastIndex(({ at }) => at <= now - this.listLagMs);
    this.#past = [...this.#past.slice(Math.max(0, shown)), { at: now, states: structuredClone(this.all()) }];
  }

  /** A cluster of an organization by id, also a gone one. */
  find(id: string, organization: string): ClusterState | undefined {
    const state = this.#clusters.get(id);
    return state?.organization === organization ? state : undefined;
  }

  isGone(state: ClusterState): boolean {
    return statusAt(state, this.clock.now(), this.timing) === "gone";
  }

  /** Whether a read by id shows the cluster, or its tombstone. */
  isReadable(state: ClusterState): boolean {
    return this.#isShownAt(state, this.clock.now(), this.timing.tombstoneMs.reads);
  }

  /** Adds a cluster whose replicas all become healthy within `durationMs`. */
  add(seed: ClusterSeed, durationMs: number, createdAt: number = this.clock.now()): ClusterState {
    const suffix = this.#freshSuffix();
    const configuration = { container: seed.container, env: { ...seed.env } };
    const state: ClusterState = {
      id: clusterIds[this.form](suffix),
      suffix,
      endpoint: this.endpointBase
        ? `${this.endpointBase}/${seed.name}`
        : `https://${seed.name}-${suffix}.clusters.example.com`,
      name: seed.name,
      organization: seed.organization,
      gpuType: seed.gpuType,
      gpusPerReplica: seed.gpusPerReplica,
      createdAt,
      configuration,
      extras: seed.extras,
      deployed: configuration,
      desiredReplicas: seed.replicas,
      replicas: [],
      generation: 1,
      serial: 0,
      phase: { word: "provisioning", until: createdAt },
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

  /** The catalog as it is now. */
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

  /** Number of free GPUs of a type that answers show. */
  shown(type: string): number {
    return this.#catalog.get(type)?.shownStock ?? this.available(type);
  }

  #isShownAt({ deletedAt = Number.POSITIVE_INFINITY }: ClusterState, time: number, tombstoneMs: number): boolean {
    return time < deletedAt + this.timing.deletionMs + tombstoneMs;
  }

  #freshSuffix(): string {
    const suffix = randomBytes(4).toString("hex");
    return this.all().some((state) => state.suffix === suffix) ? this.#freshSuffix() : suffix;
  }
}

/** The data that the endpoints use. */
export interface Service {
  fleet: Fleet;
  dialect: Dialect;
  faults: FaultBook;
}
