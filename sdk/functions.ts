import type * as pulumi from "@pulumi/pulumi";
import type {
  GetClusterArgs,
  GetClusterResult,
  GetClusterStatusArgs,
  GetClusterStatusResult,
  GetClustersArgs,
  GetClustersResult,
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityResult,
  GetGpuModelsArgs,
  GetGpuModelsResult,
  GetGpuPricingArgs,
  GetGpuPricingResult,
  GetGpuTypesArgs,
  GetGpuTypesResult,
  GetHealthArgs,
  Health as GetHealthResult,
  GetServiceInfoArgs,
  ServiceInfo as GetServiceInfoResult,
} from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type {
  ClusterInfo,
  GetClusterArgs,
  GetClusterResult,
  GetClusterStatusArgs,
  GetClusterStatusResult,
  GetClustersArgs,
  GetClustersResult,
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityResult,
  GetGpuModelsArgs,
  GetGpuModelsResult,
  GetGpuPricingArgs,
  GetGpuPricingResult,
  GetGpuTypesArgs,
  GetGpuTypesResult,
  GetHealthArgs,
  GetServiceInfoArgs,
  GpuAvailability,
  GpuModel,
  GpuPrice,
  GpuType,
  Health as GetHealthResult,
  ServiceInfo as GetServiceInfoResult,
} from "../provider/types";

/** Which service and organization to read from. */
export interface GetGpuTypesOutputArgs extends Inputs<GetGpuTypesArgs> {}

/**
 * The GPU types that the service lists, with prices per GPU-hour and availability if the service reports them. The provider
 * caches an answer for ten seconds.
 *
 * ```ts
 * const { gpuTypes } = await gpu.getGpuTypes();
 * const affordable = gpuTypes.filter((type) => type.available && (type.pricePerHour ?? Infinity) < 2);
 * ```
 * (Specification, section 4, `/v1/gpus`.)
 */
export function getGpuTypes(args: GetGpuTypesArgs = {}): Promise<GetGpuTypesResult> {
  return forPeople(provider.getGpuTypes(args));
}

/** `getGpuTypes` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuTypesOutput(args: GetGpuTypesOutputArgs = {}): pulumi.Output<GetGpuTypesResult> {
  return toOutput(getGpuTypes, args);
}

/** Which service and organization to read from. */
export interface GetGpuModelsOutputArgs extends Inputs<GetGpuModelsArgs> {}

/**
 * The GPU models of the service: a description of each GPU type, with its memory in GB if the service reports it.
 *
 * ```ts
 * const { models } = await gpu.getGpuModels();
 * const large = models.filter(({ memoryGb = 0 }) => memoryGb >= 80);
 * ```
 * (Specification, section 4, `/v1/gpus/models`.)
 */
export function getGpuModels(args: GetGpuModelsArgs = {}): Promise<GetGpuModelsResult> {
  return forPeople(provider.getGpuModels(args));
}

/** `getGpuModels` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuModelsOutput(args: GetGpuModelsOutputArgs = {}): pulumi.Output<GetGpuModelsResult> {
  return toOutput(getGpuModels, args);
}

/** Which service and organization to read from. */
export interface GetGpuPricingOutputArgs extends Inputs<GetGpuPricingArgs> {}

/**
 * The price of each GPU type, for one GPU and one hour, with its currency if the service reports it.
 *
 * ```ts
 * const { prices } = await gpu.getGpuPricing();
 * const h100 = prices.find(({ type }) => type === "h100")?.pricePerHour;
 * ```
 * (Specification, section 4, `/v1/gpus/pricing`.)
 */
export function getGpuPricing(args: GetGpuPricingArgs = {}): Promise<GetGpuPricingResult> {
  return forPeople(provider.getGpuPricing(args));
}

/** `getGpuPricing` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuPricingOutput(args: GetGpuPricingOutputArgs = {}): pulumi.Output<GetGpuPricingResult> {
  return toOutput(getGpuPricing, args);
}

/** Which GPU type to read the availability of; without one, of every type. */
export interface GetGpuAvailabilityOutputArgs extends Inputs<GetGpuAvailabilityArgs> {}

/**
 * Whether GPUs are available now, of one type or of each type, and how many if the service reports it.
 *
 * ```ts
 * const { availability } = await gpu.getGpuAvailability({ type: "h100" });
 * const enough = (availability[0]?.availableCount ?? 0) >= 4;
 * ```
 * Rejects if the service does not know the type. (Specification, section 4, `/v1/gpus/availability` and
 * `/v1/gpus/:type/availability`.)
 */
export function getGpuAvailability(args: GetGpuAvailabilityArgs = {}): Promise<GetGpuAvailabilityResult> {
  return forPeople(provider.getGpuAvailability(args));
}

/** `getGpuAvailability` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getGpuAvailabilityOutput(
  args: GetGpuAvailabilityOutputArgs = {},
): pulumi.Output<GetGpuAvailabilityResult> {
  return toOutput(getGpuAvailability, args);
}

/** Which service and organization to read from. */
export interface GetClustersOutputArgs extends Inputs<GetClustersArgs> {}

/**
 * All clusters of the API key's organization, also those that other programs made.
 *
 * ```ts
 * const { clusters } = await gpu.getClusters();
 * const replicas = clusters.reduce((sum, cluster) => sum + (cluster.replicas ?? 0), 0);
 * ```
 * `complete` is false if there may be more clusters than the answer holds. Rejects if the list cannot be read to
 * its end. (Specification, section 4, `/v1/clusters`.)
 */
export function getClusters(args: GetClustersArgs = {}): Promise<GetClustersResult> {
  return forPeople(provider.getClusters(args));
}

/** `getClusters` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getClustersOutput(args: GetClustersOutputArgs = {}): pulumi.Output<GetClustersResult> {
  return toOutput(getClusters, args);
}

/** Which cluster to read: exactly one of `id` and `name`. */
export interface GetClusterOutputArgs extends Inputs<GetClusterArgs> {}

/**
 * One cluster of the API key's organization, by its id or by its name, also if another program made it.
 *
 * ```ts
 * const { endpoint } = await gpu.getCluster({ name: "web" });
 * ```
 * The lookup ignores the case of names, and clusters that are being deleted. Rejects if there is no such cluster, if several
 * clusters have the name, or if an incomplete list of clusters leaves it open. The answer contains the names of env, never
 * its values. (Specification, sections 2 and 4, `/v1/clusters/:id`.)
 */
export function getCluster(args: GetClusterArgs): Promise<GetClusterResult> {
  return forPeople(provider.getCluster(args));
}

/** `getCluster` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getClusterOutput(args: GetClusterOutputArgs): pulumi.Output<GetClusterResult> {
  return toOutput(getCluster, args);
}

/** Which cluster to read. */
export interface GetClusterStatusOutputArgs extends Inputs<GetClusterStatusArgs> {}

/**
 * The present health of each replica of a cluster.
 *
 * ```ts
 * const { readyReplicas, replicas } = await gpu.getClusterStatus({ id: "cl_1a2b3c" });
 * const sick = replicas.filter(({ healthy }) => !healthy).map(({ id, message }) => `${id}: ${message}`);
 * ```
 * In messages, `[secret]` replaces each value of env that the service shows or, in the native package, that the same run has
 * dealt with. Rejects if there is no such cluster. (Specification, section 4, `/v1/clusters/:id/status`.)
 */
export function getClusterStatus(args: GetClusterStatusArgs): Promise<GetClusterStatusResult> {
  return forPeople(provider.getClusterStatus(args));
}

/** `getClusterStatus` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getClusterStatusOutput(args: GetClusterStatusOutputArgs): pulumi.Output<GetClusterStatusResult> {
  return toOutput(getClusterStatus, args);
}

/** Which service and organization to read from. */
export interface GetHealthOutputArgs extends Inputs<GetHealthArgs> {}

/**
 * The health that the service reports of itself. Rejects if the service does not answer at all.
 *
 * ```ts
 * const { healthy, status } = await gpu.getHealth();
 * ```
 * (Specification, section 4, `/health`.)
 */
export function getHealth(args: GetHealthArgs = {}): Promise<GetHealthResult> {
  return forPeople(provider.getHealth(args));
}

/** `getHealth` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getHealthOutput(args: GetHealthOutputArgs = {}): pulumi.Output<GetHealthResult> {
  return toOutput(getHealth, args);
}

/** Which service and organization to read from. */
export interface GetServiceInfoOutputArgs extends Inputs<GetServiceInfoArgs> {}

/**
 * The name, the version and the paths that the service reports of itself.
 *
 * ```ts
 * const { version } = await gpu.getServiceInfo();
 * ```
 * The path of this document is not specified: the provider tries `/`, `/v1` and `/api`. Rejects if none of them has it.
 * (Specification, section 4, the descriptor document, and section 9.)
 */
export function getServiceInfo(args: GetServiceInfoArgs = {}): Promise<GetServiceInfoResult> {
  return forPeople(provider.getServiceInfo(args));
}

/** `getServiceInfo` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getServiceInfoOutput(args: GetServiceInfoOutputArgs = {}): pulumi.Output<GetServiceInfoResult> {
  return toOutput(getServiceInfo, args);
}
