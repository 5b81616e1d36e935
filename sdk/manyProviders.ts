import * as pulumi from "@pulumi/pulumi";

/** From one more on, a run is warned: 20 providers take 680 MB, and 20 connections take 83 MB. */
const mostProviders = 10;

/** The number of providers of each run, by its root stack resource: a process of the Automation API has several runs. */
const declared = new WeakMap<object, number>();

/** Counts a provider, and warns once per run of many. Only the program knows: each provider is a process of its own. */
export function warnOfManyProviders(): void {
  const run = pulumi.runtime.getStackResource() ?? declared;
  const count = (declared.get(run) ?? 0) + 1;
  declared.set(run, count);
  if (count !== mostProviders + 1) return;
  void pulumi.log.warn(
    `This program declares more than ${mostProviders} providers of gpucluster, and each is a process of about 32 MB. ` +
      "Use `gpucluster:connections` and the input `connection` instead: all connections share one process",
  );
}
