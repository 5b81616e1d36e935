import type * as pulumi from "@pulumi/pulumi";
import type {
  GetClusterArgs,
  GetClusterOutputArgs,
  GetClusterResult,
  GetClusterStatusArgs,
  GetClusterStatusOutputArgs,
  GetClusterStatusResult,
  GetClustersArgs,
  GetClustersOutputArgs,
  GetClustersResult,
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityOutputArgs,
  GetGpuAvailabilityResult,
  GetGpuModelsArgs,
  GetGpuModelsOutputArgs,
  GetGpuModelsResult,
  GetGpuPricingArgs,
  GetGpuPricingOutputArgs,
  GetGpuPricingResult,
  GetGpuTypesArgs,
  GetGpuTypesOutputArgs,
  GetGpuTypesResult,
  GetHealthArgs,
  GetHealthOutputArgs,
  GetHealthResult,
  GetServiceInfoArgs,
  GetServiceInfoOutputArgs,
  GetServiceInfoResult,
} from "../functions";
import { invoke, invokeOutput } from "./invoke";

export type {
  ClusterInfo,
  GetClusterArgs,
  GetClusterOutputArgs,
  GetClusterResult,
  GetClusterStatusArgs,
  GetClusterStatusOutputArgs,
  GetClusterStatusResult,
  GetClustersArgs,
  GetClustersOutputArgs,
  GetClustersResult,
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityOutputArgs,
  GetGpuAvailabilityResult,
  GetGpuModelsArgs,
  GetGpuModelsOutputArgs,
  GetGpuModelsResult,
  GetGpuPricingArgs,
  GetGpuPricingOutputArgs,
  GetGpuPricingResult,
  GetGpuTypesArgs,
  GetGpuTypesOutputArgs,
  GetGpuTypesResult,
  GetHealthArgs,
  GetHealthOutputArgs,
  GetHealthResult,
  GetServiceInfoArgs,
  GetServiceInfoOutputArgs,
  GetServiceInfoResult,
  GpuAvailability,
  GpuModel,
  GpuPrice,
  GpuType,
} from "../functions";

/** The GPU types that the service lists, with prices per GPU-hour and availability if the service reports them. */
export function getGpuTypes(args: GetGpuTypesArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetGpuTypesResult> {
  return invoke("getGpuTypes", args, opts);
}

/** `getGpuTypes` as an output, for arguments that are outputs. */
export function getGpuTypesOutput(
  args: GetGpuTypesOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetGpuTypesResult> {
  return invokeOutput("getGpuTypes", args, opts);
}

/** The GPU models of the service: a description of each GPU type, with its memory in GB if the service reports it. */
export function getGpuModels(args: GetGpuModelsArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetGpuModelsResult> {
  return invoke("getGpuModels", args, opts);
}

/** `getGpuModels` as an output, for arguments that are outputs. */
export function getGpuModelsOutput(
  args: GetGpuModelsOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetGpuModelsResult> {
  return invokeOutput("getGpuModels", args, opts);
}

/** The price of each GPU type, for one GPU and one hour, with its currency if the service reports it. */
export function getGpuPricing(args: GetGpuPricingArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetGpuPricingResult> {
  return invoke("getGpuPricing", args, opts);
}

/** `getGpuPricing` as an output, for arguments that are outputs. */
export function getGpuPricingOutput(
  args: GetGpuPricingOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetGpuPricingResult> {
  return invokeOutput("getGpuPricing", args, opts);
}

/** Whether GPUs are available now, of one type or of each type, and how many if the service reports it. */
export function getGpuAvailability(
  args: GetGpuAvailabilityArgs = {},
  opts?: pulumi.InvokeOptions,
): Promise<GetGpuAvailabilityResult> {
  return invoke("getGpuAvailability", args, opts);
}

/** `getGpuAvailability` as an output, for arguments that are outputs. */
export function getGpuAvailabilityOutput(
  args: GetGpuAvailabilityOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetGpuAvailabilityResult> {
  return invokeOutput("getGpuAvailability", args, opts);
}

/** All clusters of the API key's organization, also those that other programs made. */
export function getClusters(args: GetClustersArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetClustersResult> {
  return invoke("getClusters", args, opts);
}

/** `getClusters` as an output, for arguments that are outputs. */
export function getClustersOutput(
  args: GetClustersOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClustersResult> {
  return invokeOutput("getClusters", args, opts);
}

/** One cluster of the API key's organization, by its id or by its name, also if another program made it. */
export function getCluster(args: GetClusterArgs, opts?: pulumi.InvokeOptions): Promise<GetClusterResult> {
  return invoke("getCluster", args, opts);
}

/** `getCluster` as an output, for arguments that are outputs. */
export function getClusterOutput(
  args: GetClusterOutputArgs,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClusterResult> {
  return invokeOutput("getCluster", args, opts);
}

/** The present health of each replica of a cluster. */
export function getClusterStatus(
  args: GetClusterStatusArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetClusterStatusResult> {
  return invoke("getClusterStatus", args, opts);
}

/** `getClusterStatus` as an output, for arguments that are outputs. */
export function getClusterStatusOutput(
  args: GetClusterStatusOutputArgs,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetClusterStatusResult> {
  return invokeOutput("getClusterStatus", args, opts);
}

/** The health that the service reports of itself. Rejects if the service does not answer at all. */
export function getHealth(args: GetHealthArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetHealthResult> {
  return invoke("getHealth", args, opts);
}

/** `getHealth` as an output, for arguments that are outputs. */
export function getHealthOutput(
  args: GetHealthOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetHealthResult> {
  return invokeOutput("getHealth", args, opts);
}

/** The name, the version and the paths that the service reports of itself. */
export function getServiceInfo(
  args: GetServiceInfoArgs = {},
  opts?: pulumi.InvokeOptions,
): Promise<GetServiceInfoResult> {
  return invoke("getServiceInfo", args, opts);
}

/** `getServiceInfo` as an output, for arguments that are outputs. */
export function getServiceInfoOutput(
  args: GetServiceInfoOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetServiceInfoResult> {
  return invokeOutput("getServiceInfo", args, opts);
}
