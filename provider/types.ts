import type { Integer, ReplicaStatus, ServiceOutputs } from "./cluster/fields";

/**
 * What data functions take and answer. Plain types only: they are published (see cluster/fields.ts). What the service does
 * not say is absent, never invented.
 */

/** Which service and organization to ask. */
export interface ConnectionArgs {
  /**
   * Name of an entry of the config `gpucluster:connections`, which says where the service is and which key to use. Default:
   * the address and the key of the environment or of the stack.
   */
  connection?: string;
}

/** One record about a GPU type. */
export interface GpuRecord {
  /** Identifier, such as `h100`, as `gpuType` of a cluster takes it. */
  type: string;
  /** The whole record, as the service answered it. */
  raw: Record<string, unknown>;
}

/** What a GPU type is (section 4, `/v1/gpus/models`). */
export interface GpuModel extends GpuRecord {
  /** Name for people. */
  name?: string;
  /** Memory of one GPU, in GB. */
  memoryGb?: number;
}

/** What a GPU type costs (section 4, `/v1/gpus/pricing`). */
export interface GpuPrice extends GpuRecord {
  /** Price of one GPU for one hour, in `currency`. */
  pricePerHour?: number;
  /** ISO 4217 code, where the service says it. */
  currency?: string;
}

/** Whether a GPU type can be had (section 4, `/v1/gpus/availability`). */
export interface GpuAvailability extends GpuRecord {
  /** Whether one can be had now. */
  available?: boolean;
  /** How many can be had now. */
  availableCount?: Integer;
}

/** A GPU type with everything that the service says of it (section 4, `/v1/gpus`). */
export interface GpuType extends GpuModel, GpuPrice, GpuAvailability {}

/** Which service and organization to ask. */
export interface GetGpuTypesArgs extends ConnectionArgs {}

/** The answer of `getGpuTypes`. */
export interface GetGpuTypesResult {
  /** The types that the service lists, in its order. It may list only what is in stock. */
  gpuTypes: GpuType[];
}

/** Which service and organization to ask. */
export interface GetGpuModelsArgs extends ConnectionArgs {}

/** The answer of `getGpuModels`. */
export interface GetGpuModelsResult {
  /** The models that the service lists, in its order. */
  models: GpuModel[];
}

/** Which service and organization to ask. */
export interface GetGpuPricingArgs extends ConnectionArgs {}

/** The answer of `getGpuPricing`. */
export interface GetGpuPricingResult {
  /** The prices that the service lists, in its order. */
  prices: GpuPrice[];
}

/** Which availability to ask for. */
export interface GetGpuAvailabilityArgs extends ConnectionArgs {
  /** Identifier of one GPU type, such as `h100`. Default: all types. */
  type?: string;
}

/** The answer of `getGpuAvailability`. */
export interface GetGpuAvailabilityResult {
  /** What the service says, in its order; just one entry where one type was asked for. */
  availability: GpuAvailability[];
}

/** A cluster, as the list of clusters shows it (section 2). */
export interface ClusterInfo extends Partial<Pick<ServiceOutputs, "status" | "endpoint" | "createdAt">> {
  /** The service's id, of the form `cl_<suffix>`. */
  id: string;
  /** Name of the cluster in the service. (Specification, section 2.) */
  name?: string;
  /** GPU type of each replica, such as `h100`. (Specification, section 2.) */
  gpuType?: string;
  /** Number of replicas that were asked for. (Specification, section 2.) */
  replicas?: Integer;
}

/** Which service and organization to ask. */
export interface GetClustersArgs extends ConnectionArgs {}

/** The answer of `getClusters`. */
export interface GetClustersResult {
  /** The clusters of the key's organization, in the service's order; also those that stopped, failed, or are on their way out. */
  clusters: ClusterInfo[];
  /** False where there may be more clusters than these: that one is not among them then proves nothing. */
  complete: boolean;
}

/** Which cluster to read: exactly one of `id` and `name`. */
export interface GetClusterArgs extends ConnectionArgs {
  /** The service's id, of the form `cl_<suffix>`. */
  id?: string;
  /** Name of the cluster in the service, whatever the case of its letters. It has to be the name of just one. */
  name?: string;
}

/** The answer of `getCluster`. */
export interface GetClusterResult extends ClusterInfo {
  /** Container image that each replica runs, where the service shows it. */
  container?: string;
  /** Names of the environment variables, where the service shows them. Values are secret, and never part of an answer. */
  envNames?: string[];
}

/** Which cluster to look at. */
export interface GetClusterStatusArgs extends ConnectionArgs {
  /** The service's id, of the form `cl_<suffix>`. */
  id: string;
}

/** The answer of `getClusterStatus`. */
export interface GetClusterStatusResult extends Partial<Pick<ServiceOutputs, "status">> {
  /** Health of each replica, in the service's order. (Specification, section 4.) */
  replicas: ReplicaStatus[];
  /** How many replicas are healthy. */
  readyReplicas: Integer;
}

/** Which service and organization to ask. */
export interface GetHealthArgs extends ConnectionArgs {}

/** The health of the service (section 4, `/health`). */
export interface Health {
  /** Whether it is healthy: its own word for it, else a success. */
  healthy: boolean;
  /** The service's own word; empty where it has none. */
  status: string;
  /** The whole answer. */
  raw: Record<string, unknown>;
}

/** Which service and organization to ask. */
export interface GetServiceInfoArgs extends ConnectionArgs {}

/** What the service says of itself (section 4, the descriptor document). */
export interface ServiceInfo {
  /** Name of the API. */
  name?: string;
  /** Version of the API as a whole, of the form `<major>.<minor>.<patch>`. (Specification, section 9.) */
  version?: string;
  /** URL of the documentation. */
  documentation?: string;
  /** Paths by group (`health`, `gpus`, `clusters`), as the service writes them; empty where it names none. */
  endpoints: Record<string, unknown>;
  /** The whole document. */
  raw: Record<string, unknown>;
}
