import * as z from "zod";
import type { RequestKind } from "./http";
import { readCluster, readClusterIfAny, readCreated } from "./read/clusterRecord";
import { readGpuType } from "./read/gpuRecords";
import { readHealth, readServiceInfo } from "./read/serviceRecords";
import { readStatus } from "./read/statusRecord";
import type { Reader } from "./records";

/**
 * Every endpoint of the specification as data. What is sent is what the specification names, and nothing else; what it leaves
 * open is guessed in the tagged lines here.
 */
export interface Endpoint<Body, Result> {
  readonly method: Method;
  /** Relative to the base URL; path parameters are encoded. */
  readonly path: string;
  readonly kind: RequestKind;
  /** The body's fields; absent: no body and no Content-Type. */
  readonly body?: z.ZodType<Body>;
  readonly response: Reader<Result>;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

const createBody = z.object({
  name: z.string(),
  gpuType: z.string(),
  replicas: z.int(),
  container: z.string(),
  env: z.record(z.string(), z.string()),
});
/** What a creation asks for (section 4). */
export type CreateBody = z.output<typeof createBody>;

/** @assumption The update takes the create request's own names; null takes a variable away where env is merged by name. */
const updateBody = z.object({
  name: z.string().optional(),
  gpuType: z.string().optional(),
  replicas: z.int().optional(),
  container: z.string().optional(),
  env: z.record(z.string(), z.string().nullable()).optional(),
});
/** The configuration to change (section 4). */
export type UpdateBody = z.output<typeof updateBody>;

/** @assumption Scaling takes the create request's own name for the number of replicas. */
const scaleBody = z.object({ replicas: z.int() });

function endpoint<Result, Body = never>(
  [method, path]: readonly [Method, string],
  kind: RequestKind,
  response: Reader<Result>,
  body?: z.ZodType<Body>,
): Endpoint<Body, Result> {
  return { method, path, kind, response, ...(body ? { body } : {}) };
}

const cluster = (id: string) => `/v1/clusters/${encodeURIComponent(id)}`;

/** @assumption The update is one of these methods, most likely the first. */
export const updateMethods = ["PATCH", "PUT", "POST"] as const;
export type UpdateMethod = (typeof updateMethods)[number];

/** @assumption A stopped cluster is started by one of these, which are tried in this order; there is no endpoint of that name. */
export const startActions = ["restart", "redeploy", "scale"] as const;
export type StartAction = (typeof startActions)[number];

/** @assumption The descriptor document is at one of these paths. */
export const descriptorPaths = ["/", "/v1", "/api"] as const;

/** @assumption A made name keeps to this length, so that a suffix of the service still fits into the label of a host. */
export const longestMadeLabel = 40;

/** A list is read page by page, by who asks for the pages. */
const asItIs: Reader<unknown> = (json) => json;

/** Every endpoint (section 4). */
/** @assumption An update, an action or a deletion is answered with the cluster, with anything else, or with nothing. */
/** @assumption The rows of the specification without a method ("read") are GET. */
export const endpoints = {
  createCluster: endpoint(["POST", "/v1/clusters"], "create", readCreated, createBody),
  listClusters: endpoint(["GET", "/v1/clusters"], "read", asItIs),
  getCluster: (id: string) => endpoint(["GET", cluster(id)], "read", readCluster(id)),
  updateCluster: (id: string, method: UpdateMethod) =>
    endpoint([method, cluster(id)], "write", readClusterIfAny(id), updateBody),
  deleteCluster: (id: string) => endpoint(["DELETE", cluster(id)], "delete", readClusterIfAny(id)),
  stopCluster: (id: string) => endpoint(["POST", `${cluster(id)}/stop`], "action", readClusterIfAny(id)),
  restartCluster: (id: string) => endpoint(["POST", `${cluster(id)}/restart`], "action", readClusterIfAny(id)),
  redeployCluster: (id: string) => endpoint(["POST", `${cluster(id)}/redeploy`], "action", readClusterIfAny(id)),
  scaleCluster: (id: string) => endpoint(["POST", `${cluster(id)}/scale`], "write", readClusterIfAny(id), scaleBody),
  getClusterStatus: (id: string) => endpoint(["GET", `${cluster(id)}/status`], "read", readStatus),
  listGpuTypes: endpoint(["GET", "/v1/gpus"], "read", asItIs),
  getGpuTypeAvailability: (type: string) =>
    endpoint(["GET", `/v1/gpus/${encodeURIComponent(type)}/availability`], "read", readGpuType(type)),
  listGpuModels: endpoint(["GET", "/v1/gpus/models"], "read", asItIs),
  listGpuAvailability: endpoint(["GET", "/v1/gpus/availability"], "read", asItIs),
  listGpuPricing: endpoint(["GET", "/v1/gpus/pricing"], "read", asItIs),
  getHealth: endpoint(["GET", "/health"], "read", readHealth),
  getServiceInfo: (path: string) => endpoint(["GET", path], "read", readServiceInfo),
} as const;
