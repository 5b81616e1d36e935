import type { Properties } from "../../../provider/contract";

/** A value that must not appear anywhere. */
export const canary = "hf_canary-7f3a9e-0123456789";

/** The URN of a cluster of this name in the program. */
export function urnOf(name: string): string {
  return `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/gpucluster:Cluster::${name}`;
}

/** The required inputs. */
export const least: Properties = { gpuType: "h100", container: "acme/model:1" };

/** Inputs as check returns them. */
export const checked: Properties = { ...least, name: "web", replicas: 2, env: { MODEL: canary } };

/** The same with the defaults that the state has. */
export const completed: Properties = { ...checked, desiredStatus: "running" };

/** The same for a cluster that exists, with the outputs that are certain. */
export const existing: Properties = {
  ...completed,
  endpoint: "https://web-1.example.com",
  createdAt: "2030-01-01T00:00:00.000Z",
  hourlyCost: 5.98,
};
