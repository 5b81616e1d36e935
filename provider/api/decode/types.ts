/**
 * The arguments and results of data functions. Plain types only: they are published (see cluster/schema/fields.ts). What the
 * service does not show is absent, never invented.
 */

/** A whole number, for languages with a type for integers. */
export type Integer = number;

/** One record about a GPU type. */
export interface GpuRecord {
  /** Identifier, such as `h100`, for `gpuType` of a cluster. */
  type: string;
  /** The whole record, as the service shows it. */
  raw: Record<string, unknown>;
}

/** A GPU model. */
export interface GpuModel extends GpuRecord {
  /** Display name. */
  name?: string;
  /** Memory of one GPU, in GB. */
  memoryGb?: number;
}

/** The price of a GPU type. */
export interface GpuPrice extends GpuRecord {
  /** Price of one GPU for one hour, in `currency`. */
  pricePerHour?: number;
  /** ISO 4217 code, if the service shows it. */
  currency?: string;
}

/** The availability of a GPU type. */
export interface GpuAvailability extends GpuRecord {
  /** Whether the type is available now. */
  available?: boolean;
  /** How many are available now. */
  availableCount?: Integer;
}

/** A GPU type with everything that the service shows of it. */
export interface GpuType extends GpuModel, GpuPrice, GpuAvailability {}

/** The result of `getGpuTypes`. */
export interface GetGpuTypesResult {
  /** The GPU types, in the service's order. The service may list only those in stock. */
  gpuTypes: GpuType[];
}

/** The result of `getGpuModels`. */
export interface GetGpuModelsResult {
  /** The GPU models, in the service's order. */
  models: GpuModel[];
}

/** The result of `getGpuPricing`. */
export interface GetGpuPricingResult {
  /** The prices, in the service's order. */
  prices: GpuPrice[];
}

/** The GPU type to ask for. */
export interface GetGpuAvailabilityArgs {
  /** Identifier of one GPU type, such as `h100`. Default: all types. */
  type?: string;
}

/** The result of `getGpuAvailability`. */
export interface GetGpuAvailabilityResult {
  /** The availability of the GPU types, in the service's order; one entry if `type` was given. */
  availability: GpuAvailability[];
}

/** What only the service says of a cluster. */
export interface ClusterDetails {
  /** Lifecycle state, as the service's own status word, such as `running`. */
  status: string;
  /** URL at which the cluster is served. */
  endpoint: string;
  /** When the cluster was created, ISO 8601 in UTC. */
  createdAt: string;
}

/** One replica of a cluster, as last observed. */
export interface ReplicaStatus {
  /** The service's id of the replica; its place in the list if it has none. */
  id: string;
  /** The service's own status word, such as `starting`; empty if it has none. */
  status: string;
  /** Whether the replica is healthy and serves. If the service reports no replica health, whether the cluster is ready. */
  healthy: boolean;
  /** Reason why the replica is not healthy, if the service gives one. */
  message?: string;
}

/** A cluster, as the list of clusters shows it. */
export interface ClusterInfo extends Partial<ClusterDetails> {
  /** The service's id, of the form `cl_<suffix>`. */
  id: string;
  /** Name of the cluster in the service. */
  name?: string;
  /** GPU type of each replica, such as `h100`. */
  gpuType?: string;
  /** Desired number of replicas. */
  replicas?: Integer;
}

/** The result of `getClusters`. */
export interface GetClustersResult {
  /**
   * The clusters of the key's organization, in the service's order; also those that are stopped, failed or being
   * deleted.
   */
  clusters: ClusterInfo[];
  /** False if there may be more clusters than these: then a missing cluster proves nothing. */
  complete: boolean;
}

/** The cluster to read: exactly one of `id` and `name`. */
export interface GetClusterArgs {
  /** The service's id, of the form `cl_<suffix>`. */
  id?: string;
  /** Name of the cluster in the service, in upper or lower case. Exactly one cluster has to have this name. */
  name?: string;
}

/** The result of `getCluster`. */
export interface GetClusterResult extends ClusterInfo {
  /** Container image that each replica runs, if the service shows it. */
  container?: string;
  /** Names of the environment variables, if the service shows them. Values are secret, and never part of a result. */
  envNames?: string[];
}

/** The cluster to read. */
export interface GetClusterStatusArgs {
  /** The service's id, of the form `cl_<suffix>`. */
  id: string;
}

/** The result of `getClusterStatus`. */
export interface GetClusterStatusResult extends Partial<Pick<ClusterDetails, "status">> {
  /** Health of each replica, in the service's order. */
  replicas: ReplicaStatus[];
  /** Number of healthy replicas. */
  readyReplicas: Integer;
}

/** The health of the service. */
export interface Health {
  /** Whether the service is healthy: by a flag or word of its answer; a success without any means healthy. */
  healthy: boolean;
  /** The service's own status word; empty if it shows none. */
  status: string;
  /** The whole answer. */
  raw: Record<string, unknown>;
}

/** The description of the service. */
export interface ServiceInfo {
  /** Name of the API. */
  name?: string;
  /** Version of the API as a whole, of the form `<major>.<minor>.<patch>`. */
  version?: string;
  /** URL of the documentation. */
  documentation?: string;
  /** Paths by group (`health`, `gpus`, `clusters`), in the service's form; empty if it names none. */
  endpoints: Record<string, unknown>;
  /** The whole document. */
  raw: Record<string, unknown>;
}

/** A cluster of an organization, as the list of clusters shows it. */
export interface OrganizationCluster extends ClusterInfo {
  /** Price of one GPU of its type for one hour, if the service reports it. */
  readonly gpuPrice?: number;
  /** ISO 4217 code, if the service reports it. */
  readonly currency?: string;
  readonly isStopped: boolean;
  readonly isLeaving: boolean;
}

export interface Organization {
  readonly address: string;
  /** Identifies the address and the key, as in the states of clusters; it reveals neither of them. */
  readonly seenBy: string;
  readonly clusters: readonly OrganizationCluster[];
  /** False if there may be more clusters. */
  readonly complete: boolean;
}
