import * as pulumi from "@pulumi/pulumi";
import type * as types from "../functionTypes";
import { warnOfPlainKeys } from "../stackConfig";
import { withVersion } from "./options";

export * from "../functionTypes";

/** The GPU types that the service lists, with prices per GPU-hour and availability if the service reports them. */
export const getGpuTypes = (args: types.GetGpuTypesArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetGpuTypesResult>("getGpuTypes", args, opts);

/** `getGpuTypes` as an output, for arguments that are outputs. */
export const getGpuTypesOutput = (args: types.GetGpuTypesOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetGpuTypesResult>("getGpuTypes", args, opts);

/** The GPU types that fit a new cluster, the cheapest first, as a list for `gpuType`. It counts at creation only. */
export const getGpuTypesFor = (args: types.GetGpuTypesForArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetGpuTypesForResult>("getGpuTypesFor", args, opts);

/** `getGpuTypesFor` as an output, for arguments that are outputs. */
export const getGpuTypesForOutput = (args: types.GetGpuTypesForOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetGpuTypesForResult>("getGpuTypesFor", args, opts);

/** The GPU models of the service: a description of each GPU type, with its memory in GB if the service reports it. */
export const getGpuModels = (args: types.GetGpuModelsArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetGpuModelsResult>("getGpuModels", args, opts);

/** `getGpuModels` as an output, for arguments that are outputs. */
export const getGpuModelsOutput = (args: types.GetGpuModelsOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetGpuModelsResult>("getGpuModels", args, opts);

/** The price of each GPU type, for one GPU and one hour, with its currency if the service reports it. */
export const getGpuPricing = (args: types.GetGpuPricingArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetGpuPricingResult>("getGpuPricing", args, opts);

/** `getGpuPricing` as an output, for arguments that are outputs. */
export const getGpuPricingOutput = (args: types.GetGpuPricingOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetGpuPricingResult>("getGpuPricing", args, opts);

/** Whether GPUs are available now, of one type or of each type, and how many if the service reports it. */
export const getGpuAvailability = (args: types.GetGpuAvailabilityArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetGpuAvailabilityResult>("getGpuAvailability", args, opts);

/** `getGpuAvailability` as an output, for arguments that are outputs. */
export const getGpuAvailabilityOutput = (
  args: types.GetGpuAvailabilityOutputArgs = {},
  opts?: pulumi.InvokeOutputOptions,
) => invokeOutput<types.GetGpuAvailabilityResult>("getGpuAvailability", args, opts);

/** All clusters of the API key's organization, also those that other programs made. */
export const getClusters = (args: types.GetClustersArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetClustersResult>("getClusters", args, opts);

/** `getClusters` as an output, for arguments that are outputs. */
export const getClustersOutput = (args: types.GetClustersOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetClustersResult>("getClusters", args, opts);

/** One cluster of the API key's organization, by its id or by its name, also if another program made it. */
export const getCluster = (args: types.GetClusterArgs, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetClusterResult>("getCluster", args, opts);

/** `getCluster` as an output, for arguments that are outputs. */
export const getClusterOutput = (args: types.GetClusterOutputArgs, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetClusterResult>("getCluster", args, opts);

/** The present health of each replica of a cluster. */
export const getClusterStatus = (args: types.GetClusterStatusArgs, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetClusterStatusResult>("getClusterStatus", args, opts);

/** `getClusterStatus` as an output, for arguments that are outputs. */
export const getClusterStatusOutput = (args: types.GetClusterStatusOutputArgs, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetClusterStatusResult>("getClusterStatus", args, opts);

/** The health that the service reports of itself. Rejects if the service does not answer at all. */
export const getHealth = (args: types.GetHealthArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetHealthResult>("getHealth", args, opts);

/** `getHealth` as an output, for arguments that are outputs. */
export const getHealthOutput = (args: types.GetHealthOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetHealthResult>("getHealth", args, opts);

/** The name, the version and the paths that the service reports of itself. */
export const getServiceInfo = (args: types.GetServiceInfoArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke<types.GetServiceInfoResult>("getServiceInfo", args, opts);

/** `getServiceInfo` as an output, for arguments that are outputs. */
export const getServiceInfoOutput = (args: types.GetServiceInfoOutputArgs = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput<types.GetServiceInfoResult>("getServiceInfo", args, opts);

/** Calls a function of the plugin at once. */
function invoke<Result>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<Result> {
  warnOfPlainKeys();
  return pulumi.runtime.invoke(tokenOf(name), { ...args }, withVersion(opts));
}

/** Calls a function of the plugin when the arguments are known; does not call it in a preview that cannot know them. */
function invokeOutput<Result>(name: string, args: object, opts?: pulumi.InvokeOutputOptions): pulumi.Output<Result> {
  warnOfPlainKeys();
  return pulumi.runtime.invokeOutput<Result>(tokenOf(name), { ...args }, withVersion(opts));
}

function tokenOf(name: string): string {
  return `gpucluster:index:${name}`;
}
