import type { Client } from "./api/client";
import { getHealth, getServiceInfo } from "./api/serviceInfo";
import type * as types from "./api/types";
import { systemClock } from "./base/clock";
import { createClusterResource, serviceFor } from "./cluster/resource";
import { type ConfigOrigin, type ReadConfig, resolveConnection, resolveSettings, unusedText } from "./config/settings";
import type { Resource } from "./contract";
import {
  getCluster,
  getClusterRules,
  getClusterStatus,
  getClusterStatusRules,
  getClusters,
} from "./functions/clusters";
import {
  getGpuAvailability,
  getGpuAvailabilityRules,
  getGpuModels,
  getGpuPricing,
  getGpuTypes,
} from "./functions/gpus";
import { type ArgRules, checkArgs, noArgs, singleFlight } from "./functions/query";

/** GPU types and prices are cached this long, for all modules of a program. The state of clusters is never cached. */
const catalogKeptMs = 10_000;

/**
 * Everything that an adapter offers. The functions reject with a GpuClusterError if an argument is invalid, and with a
 * ConfigError if the address or the key is missing.
 */
export interface Provider {
  readonly cluster: Resource;
  /** The functions below by name, for adapters that get names and unchecked arguments. */
  readonly functions: Readonly<Record<FunctionName, (args?: unknown) => Promise<object>>>;
  getGpuTypes(): Promise<types.GetGpuTypesResult>;
  getGpuModels(): Promise<types.GetGpuModelsResult>;
  getGpuPricing(): Promise<types.GetGpuPricingResult>;
  getGpuAvailability(args?: types.GetGpuAvailabilityArgs): Promise<types.GetGpuAvailabilityResult>;
  getClusters(): Promise<types.GetClustersResult>;
  getCluster(args: types.GetClusterArgs): Promise<types.GetClusterResult>;
  getClusterStatus(args: types.GetClusterStatusArgs): Promise<types.GetClusterStatusResult>;
  getHealth(): Promise<types.Health>;
  getServiceInfo(): Promise<types.ServiceInfo>;
}

/** The name of a data function. */
export type FunctionName = Exclude<keyof Provider, "cluster" | "functions">;

/**
 * The one entry for adapters. The configuration is read at each use and never cached: a key may be rotated while a
 * process runs.
 */
export function createProvider(readConfig: ReadConfig, origin: ConfigOrigin = "stack"): Provider {
  const service = () => serviceFor(resolveConnection(readConfig, undefined, origin));
  /** A data function: its arguments are checked first, then it asks the service. */
  const query = <Args extends object, Result>(
    name: string,
    rules: ArgRules<Args>,
    ask: (client: Client, args: Args) => Promise<Result>,
    keptMs = 0,
  ) => {
    const share = singleFlight<Client, Result>(keptMs, systemClock);
    return async (args: unknown = {}): Promise<Result> => {
      const checked = checkArgs(name, rules, args);
      const { client } = service();
      return share(client, JSON.stringify(checked), () => ask(client, checked));
    };
  };
  const functions = {
    getGpuTypes: query("getGpuTypes", noArgs, getGpuTypes, catalogKeptMs),
    getGpuModels: query("getGpuModels", noArgs, getGpuModels, catalogKeptMs),
    getGpuPricing: query("getGpuPricing", noArgs, getGpuPricing, catalogKeptMs),
    getGpuAvailability: query("getGpuAvailability", getGpuAvailabilityRules, getGpuAvailability),
    getClusters: query("getClusters", noArgs, getClusters),
    getCluster: query("getCluster", getClusterRules, getCluster),
    getClusterStatus: query("getClusterStatus", getClusterStatusRules, getClusterStatus),
    getHealth: query("getHealth", noArgs, getHealth),
    getServiceInfo: query("getServiceInfo", noArgs, (client) => getServiceInfo(client)),
  };
  const cluster = createClusterResource(service, () => resolveSettings(readConfig, origin));
  let isSaid = false;
  const check: Resource["check"] = (ctx, ...inputs) => {
    const unused = isSaid ? undefined : unusedText(readConfig, undefined, origin);
    if (unused !== undefined) ctx.log(unused, "warning");
    isSaid = true;
    return cluster.check(ctx, ...inputs);
  };
  return { cluster: { ...cluster, check }, functions, ...functions };
}
