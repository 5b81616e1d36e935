import type { Client } from "./api/client";
import { getHealth, getServiceInfo } from "./api/serviceInfo";
import { systemClock } from "./clock";
import { createClusterResource } from "./cluster/resource";
import { serviceFor } from "./cluster/services";
import { type ReadConfig, resolveConnection, resolveSettings } from "./config";
import type { Resource } from "./core";
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
  getGpuTypesFor,
  getGpuTypesForRules,
} from "./functions/gpus";
import { type ArgRules, checkArgs, connectionRules, singleFlight } from "./functions/query";
import type * as types from "./types";

/** GPU types and prices are cached this long, for all modules of a program. The state of clusters is never cached. */
const catalogKeptMs = 10_000;

/**
 * Everything that an adapter offers. The functions reject with a GpuClusterError if an argument is invalid, and with a
 * ConfigError if the address or the key is missing.
 */
export interface Provider {
  readonly cluster: Resource;
  /** The functions below by name, for adapters that get names and unchecked arguments. */
  readonly functions: Readonly<Record<string, (args?: unknown) => Promise<object>>>;
  getGpuTypes(args?: types.GetGpuTypesArgs): Promise<types.GetGpuTypesResult>;
  getGpuTypesFor(args?: types.GetGpuTypesForArgs): Promise<types.GetGpuTypesForResult>;
  getGpuModels(args?: types.GetGpuModelsArgs): Promise<types.GetGpuModelsResult>;
  getGpuPricing(args?: types.GetGpuPricingArgs): Promise<types.GetGpuPricingResult>;
  getGpuAvailability(args?: types.GetGpuAvailabilityArgs): Promise<types.GetGpuAvailabilityResult>;
  getClusters(args?: types.GetClustersArgs): Promise<types.GetClustersResult>;
  getCluster(args: types.GetClusterArgs): Promise<types.GetClusterResult>;
  getClusterStatus(args: types.GetClusterStatusArgs): Promise<types.GetClusterStatusResult>;
  getHealth(args?: types.GetHealthArgs): Promise<types.Health>;
  getServiceInfo(args?: types.GetServiceInfoArgs): Promise<types.ServiceInfo>;
}

/**
 * The one entry for adapters. The configuration is read at each use and never cached: a key may be rotated while a
 * process runs.
 * @param isExplicit Whether the configuration is that of a provider in the program: then it precedes the environment.
 */
export function createProvider(readConfig: ReadConfig, isExplicit = false): Provider {
  const serviceOf = (connection?: string) =>
    serviceFor(resolveConnection(readConfig, undefined, connection, isExplicit));
  /** A data function: its arguments are checked first, then it asks the service that they name. */
  const query = <Args extends types.ConnectionArgs, Result>(
    name: string,
    rules: ArgRules<Args>,
    ask: (client: Client, args: Args) => Promise<Result>,
    keptMs = 0,
  ) => {
    const share = singleFlight<Client, Result>(keptMs, systemClock);
    return async (args: unknown = {}): Promise<Result> => {
      const checked = checkArgs(name, rules, args);
      const { client } = serviceOf(checked.connection);
      return share(client, JSON.stringify(checked), () => ask(client, checked));
    };
  };
  const functions = {
    getGpuTypes: query("getGpuTypes", connectionRules, getGpuTypes, catalogKeptMs),
    getGpuTypesFor: query("getGpuTypesFor", getGpuTypesForRules, getGpuTypesFor, catalogKeptMs),
    getGpuModels: query("getGpuModels", connectionRules, getGpuModels, catalogKeptMs),
    getGpuPricing: query("getGpuPricing", connectionRules, getGpuPricing, catalogKeptMs),
    getGpuAvailability: query("getGpuAvailability", getGpuAvailabilityRules, getGpuAvailability),
    getClusters: query("getClusters", connectionRules, getClusters),
    getCluster: query("getCluster", getClusterRules, getCluster),
    getClusterStatus: query("getClusterStatus", getClusterStatusRules, getClusterStatus),
    getHealth: query("getHealth", connectionRules, getHealth),
    getServiceInfo: query("getServiceInfo", connectionRules, (client) => getServiceInfo(client)),
  };
  const cluster = createClusterResource(serviceOf, () => resolveSettings(readConfig, isExplicit));
  return { cluster, functions, ...functions };
}
