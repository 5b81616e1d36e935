import type * as pulumi from "@pulumi/pulumi";
import type {
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityOutputArgs,
  GetGpuAvailabilityResult,
} from "../getGpuAvailability";
import type { GetGpuModelsArgs, GetGpuModelsOutputArgs, GetGpuModelsResult } from "../getGpuModels";
import type { GetGpuPricingArgs, GetGpuPricingOutputArgs, GetGpuPricingResult } from "../getGpuPricing";
import type { GetGpuTypesArgs, GetGpuTypesOutputArgs, GetGpuTypesResult } from "../getGpuTypes";
import { invoke, invokeOutput } from "./invoke";

export type {
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityOutputArgs,
  GetGpuAvailabilityResult,
  GpuAvailability,
} from "../getGpuAvailability";
export type { GetGpuModelsArgs, GetGpuModelsOutputArgs, GetGpuModelsResult, GpuModel } from "../getGpuModels";
export type { GetGpuPricingArgs, GetGpuPricingOutputArgs, GetGpuPricingResult, GpuPrice } from "../getGpuPricing";
export type { GetGpuTypesArgs, GetGpuTypesOutputArgs, GetGpuTypesResult, GpuType } from "../getGpuTypes";

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
