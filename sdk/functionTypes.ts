import type * as types from "../provider/types";
import type { Inputs } from "./types";

/** The arguments and results of the functions for programs. */

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
  GetGpuTypesForArgs,
  GetGpuTypesForResult,
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
export interface GetGpuTypesOutputArgs extends Inputs<types.GetGpuTypesArgs> {}

/** What a new cluster needs of its GPUs. */
export interface GetGpuTypesForOutputArgs extends Inputs<types.GetGpuTypesForArgs> {}

/** Which service and organization to read from. */
export interface GetGpuModelsOutputArgs extends Inputs<types.GetGpuModelsArgs> {}

/** Which service and organization to read from. */
export interface GetGpuPricingOutputArgs extends Inputs<types.GetGpuPricingArgs> {}

/** Which GPU type to read the availability of; without one, of every type. */
export interface GetGpuAvailabilityOutputArgs extends Inputs<types.GetGpuAvailabilityArgs> {}

/** Which service and organization to read from. */
export interface GetClustersOutputArgs extends Inputs<types.GetClustersArgs> {}

/** Which cluster to read: exactly one of `id` and `name`. */
export interface GetClusterOutputArgs extends Inputs<types.GetClusterArgs> {}

/** Which cluster to read. */
export interface GetClusterStatusOutputArgs extends Inputs<types.GetClusterStatusArgs> {}

/** Which service and organization to read from. */
export interface GetHealthOutputArgs extends Inputs<types.GetHealthArgs> {}

/** Which service and organization to read from. */
export interface GetServiceInfoOutputArgs extends Inputs<types.GetServiceInfoArgs> {}
