import type { Properties } from "../../../provider/core";

/** A value that must show nowhere. */
export const canary = "canary-7f3a9e";

/** The URN of a cluster of this name in the program. */
export function urnOf(name: string): string {
  return `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/gpucluster:Cluster::${name}`;
}

/** The least that a program has to say. */
export const least: Properties = { gpuType: "h100", container: "vllm/vllm-openai:v0.6.3" };

/** Inputs as check hands them out. */
export const checked: Properties = { ...least, name: "web", replicas: 2, env: { MODEL: canary } };
