import type { Properties } from "../../../provider/contract";

/** A value that must show nowhere. */
export const canary = "hf_canary-7f3a9e-0123456789";

/** The URN of a cluster of this name in the program. */
export function urnOf(name: string): string {
  return `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/gpucluster:Cluster::${name}`;
}

/** The least that a program has to say. */
export const least: Properties = { gpuType: "h100", container: "vllm/vllm-openai:v0.6.3" };

/** Inputs as check hands them out. */
export const checked: Properties = { ...least, name: "web", replicas: 2, env: { MODEL: canary } };

/** The same with the defaults that stand in the state. */
export const completed: Properties = { ...checked, desiredStatus: "running" };

/** The same for a cluster that exists: what is certain of its outputs is among them. */
export const existing: Properties = {
  ...completed,
  endpoint: "https://web-1.example.com",
  createdAt: "2030-01-01T00:00:00.000Z",
  hourlyCost: 5.98,
};
