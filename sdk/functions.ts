import type * as types from "./functionTypes";
import { forPeople, provider } from "./provider";
import { toOutput } from "./types";

export * from "./functionTypes";

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
export const getGpuTypes = (args: types.GetGpuTypesArgs = {}) => forPeople(provider().getGpuTypes(args));

/** `getGpuTypes` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getGpuTypesOutput = (args: types.GetGpuTypesOutputArgs = {}) => toOutput(getGpuTypes, args);

/**
 * The GPU types that fit a new cluster, the cheapest first, as a list for `gpuType`. The list counts at creation only:
 * a cluster that exists keeps its type, whatever happens to prices and stock.
 *
 * ```ts
 * const { types } = await gpu.getGpuTypesFor({ minMemoryGb: 80, maxPricePerHour: 4 });
 * const web = new gpu.Cluster("web", { gpuType: types, container: "acme/model:1" });
 * ```
 * Rejects if no type fits, and names the types that the service lists. (Specification, section 4, `/v1/gpus`.)
 */
export const getGpuTypesFor = (args: types.GetGpuTypesForArgs = {}) => forPeople(provider().getGpuTypesFor(args));

/** `getGpuTypesFor` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getGpuTypesForOutput = (args: types.GetGpuTypesForOutputArgs = {}) => toOutput(getGpuTypesFor, args);

/**
 * The GPU models of the service: a description of each GPU type, with its memory in GB if the service reports it.
 *
 * ```ts
 * const { models } = await gpu.getGpuModels();
 * const large = models.filter(({ memoryGb = 0 }) => memoryGb >= 80);
 * ```
 * (Specification, section 4, `/v1/gpus/models`.)
 */
export const getGpuModels = (args: types.GetGpuModelsArgs = {}) => forPeople(provider().getGpuModels(args));

/** `getGpuModels` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getGpuModelsOutput = (args: types.GetGpuModelsOutputArgs = {}) => toOutput(getGpuModels, args);

/**
 * The price of each GPU type, for one GPU and one hour, with its currency if the service reports it.
 *
 * ```ts
 * const { prices } = await gpu.getGpuPricing();
 * const h100 = prices.find(({ type }) => type === "h100")?.pricePerHour;
 * ```
 * (Specification, section 4, `/v1/gpus/pricing`.)
 */
export const getGpuPricing = (args: types.GetGpuPricingArgs = {}) => forPeople(provider().getGpuPricing(args));

/** `getGpuPricing` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getGpuPricingOutput = (args: types.GetGpuPricingOutputArgs = {}) => toOutput(getGpuPricing, args);

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
export const getGpuAvailability = (args: types.GetGpuAvailabilityArgs = {}) =>
  forPeople(provider().getGpuAvailability(args));

/** `getGpuAvailability` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getGpuAvailabilityOutput = (args: types.GetGpuAvailabilityOutputArgs = {}) =>
  toOutput(getGpuAvailability, args);

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
export const getClusters = (args: types.GetClustersArgs = {}) => forPeople(provider().getClusters(args));

/** `getClusters` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getClustersOutput = (args: types.GetClustersOutputArgs = {}) => toOutput(getClusters, args);

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
export const getCluster = (args: types.GetClusterArgs) => forPeople(provider().getCluster(args));

/** `getCluster` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getClusterOutput = (args: types.GetClusterOutputArgs) => toOutput(getCluster, args);

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
export const getClusterStatus = (args: types.GetClusterStatusArgs) => forPeople(provider().getClusterStatus(args));

/** `getClusterStatus` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getClusterStatusOutput = (args: types.GetClusterStatusOutputArgs) => toOutput(getClusterStatus, args);

/**
 * The health that the service reports of itself. Rejects if the service does not answer at all.
 *
 * ```ts
 * const { healthy, status } = await gpu.getHealth();
 * ```
 * (Specification, section 4, `/health`.)
 */
export const getHealth = (args: types.GetHealthArgs = {}) => forPeople(provider().getHealth(args));

/** `getHealth` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getHealthOutput = (args: types.GetHealthOutputArgs = {}) => toOutput(getHealth, args);

/**
 * The name, the version and the paths that the service reports of itself.
 *
 * ```ts
 * const { version } = await gpu.getServiceInfo();
 * ```
 * The path of this document is not specified: the provider tries `/`, `/v1` and `/api`. Rejects if none of them has it.
 * (Specification, section 4, the descriptor document, and section 9.)
 */
export const getServiceInfo = (args: types.GetServiceInfoArgs = {}) => forPeople(provider().getServiceInfo(args));

/** `getServiceInfo` as an output: for arguments that are outputs, and for programs that cannot await. */
export const getServiceInfoOutput = (args: types.GetServiceInfoOutputArgs = {}) => toOutput(getServiceInfo, args);
