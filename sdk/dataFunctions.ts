import type { InvokeOptions, InvokeOutputOptions, Output } from "@pulumi/pulumi";
import type * as types from "./functionTypes";

/** The data functions of both packages: each as a promise, and as an output. */
export interface DataFunctions {
  /**
   * The GPU types that the service lists, with prices per GPU-hour and availability if the service reports them. The
   * provider caches an answer for ten seconds.
   *
   * ```ts
   * const { gpuTypes } = await gpu.getGpuTypes();
   * const affordable = gpuTypes.filter((type) => type.available && (type.pricePerHour ?? Infinity) < 2);
   * ```
   * (Specification, section 4, `/v1/gpus`.)
   */
  getGpuTypes(opts?: InvokeOptions): Promise<types.GetGpuTypesResult>;
  /** `getGpuTypes` as an output, for programs that cannot await. */
  getGpuTypesOutput(opts?: InvokeOutputOptions): Output<types.GetGpuTypesResult>;

  /**
   * The GPU models of the service: a description of each GPU type, with its memory in GB if the service reports it.
   *
   * ```ts
   * const { models } = await gpu.getGpuModels();
   * const large = models.filter(({ memoryGb = 0 }) => memoryGb >= 80);
   * ```
   * (Specification, section 4, `/v1/gpus/models`.)
   */
  getGpuModels(opts?: InvokeOptions): Promise<types.GetGpuModelsResult>;
  /** `getGpuModels` as an output, for programs that cannot await. */
  getGpuModelsOutput(opts?: InvokeOutputOptions): Output<types.GetGpuModelsResult>;

  /**
   * The price of each GPU type, for one GPU and one hour, with its currency if the service reports it.
   *
   * ```ts
   * const { prices } = await gpu.getGpuPricing();
   * const h100 = prices.find(({ type }) => type === "h100")?.pricePerHour;
   * ```
   * (Specification, section 4, `/v1/gpus/pricing`.)
   */
  getGpuPricing(opts?: InvokeOptions): Promise<types.GetGpuPricingResult>;
  /** `getGpuPricing` as an output, for programs that cannot await. */
  getGpuPricingOutput(opts?: InvokeOutputOptions): Output<types.GetGpuPricingResult>;

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
  getGpuAvailability(
    args?: types.GetGpuAvailabilityArgs,
    opts?: InvokeOptions,
  ): Promise<types.GetGpuAvailabilityResult>;
  /** `getGpuAvailability` as an output: for arguments that are outputs, and for programs that cannot await. */
  getGpuAvailabilityOutput(
    args?: types.GetGpuAvailabilityOutputArgs,
    opts?: InvokeOutputOptions,
  ): Output<types.GetGpuAvailabilityResult>;

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
  getClusters(opts?: InvokeOptions): Promise<types.GetClustersResult>;
  /** `getClusters` as an output, for programs that cannot await. */
  getClustersOutput(opts?: InvokeOutputOptions): Output<types.GetClustersResult>;

  /**
   * One cluster of the API key's organization, by its id or by its name, also if another program made it.
   *
   * ```ts
   * const { endpoint } = await gpu.getCluster({ name: "web" });
   * ```
   * The lookup ignores the case of names, and clusters that are being deleted. Rejects if there is no such cluster, if
   * several clusters have the name, or if an incomplete list of clusters leaves it open. The answer contains the names of
   * env, never its values. (Specification, sections 2 and 4, `/v1/clusters/:id`.)
   */
  getCluster(args: types.GetClusterArgs, opts?: InvokeOptions): Promise<types.GetClusterResult>;
  /** `getCluster` as an output: for arguments that are outputs, and for programs that cannot await. */
  getClusterOutput(args: types.GetClusterOutputArgs, opts?: InvokeOutputOptions): Output<types.GetClusterResult>;

  /**
   * The present health of each replica of a cluster.
   *
   * ```ts
   * const { readyReplicas, replicas } = await gpu.getClusterStatus({ id: "cl_1a2b3c" });
   * const sick = replicas.filter(({ healthy }) => !healthy).map(({ id, message }) => `${id}: ${message}`);
   * ```
   * In messages, `[secret]` replaces each value of env that the service shows or, in the native package, that the same run
   * has dealt with. Rejects if there is no such cluster. (Specification, section 4, `/v1/clusters/:id/status`.)
   */
  getClusterStatus(args: types.GetClusterStatusArgs, opts?: InvokeOptions): Promise<types.GetClusterStatusResult>;
  /** `getClusterStatus` as an output: for arguments that are outputs, and for programs that cannot await. */
  getClusterStatusOutput(
    args: types.GetClusterStatusOutputArgs,
    opts?: InvokeOutputOptions,
  ): Output<types.GetClusterStatusResult>;

  /**
   * The health that the service reports of itself. Rejects if the service does not answer at all.
   *
   * ```ts
   * const { healthy, status } = await gpu.getHealth();
   * ```
   * (Specification, section 4, `/health`.)
   */
  getHealth(opts?: InvokeOptions): Promise<types.GetHealthResult>;
  /** `getHealth` as an output, for programs that cannot await. */
  getHealthOutput(opts?: InvokeOutputOptions): Output<types.GetHealthResult>;

  /**
   * The name, the version and the paths that the service reports of itself.
   *
   * ```ts
   * const { version } = await gpu.getServiceInfo();
   * ```
   * The path of this document is not specified: the provider tries `/`, `/v1` and `/api`. Rejects if none of them has it.
   * (Specification, section 4, the descriptor document, and section 9.)
   */
  getServiceInfo(opts?: InvokeOptions): Promise<types.GetServiceInfoResult>;
  /** `getServiceInfo` as an output, for programs that cannot await. */
  getServiceInfoOutput(opts?: InvokeOutputOptions): Output<types.GetServiceInfoResult>;
}
