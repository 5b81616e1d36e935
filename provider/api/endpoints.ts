import { z } from "zod";
import type { RequestKind } from "./http";
import {
  type Reader,
  readCluster,
  readClusterIfAny,
  readClusterList,
  readGpuType,
  readGpuTypes,
  readHealth,
  readServiceInfo,
  readStatus,
} from "./records";

/** One endpoint of the service, as data. */
export interface Endpoint<Body, Result> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the base URL; path parameters are encoded. */
  readonly path: string;
  readonly kind: RequestKind;
  /** The body's fields; absent: no body and no Content-Type. */
  readonly body?: z.ZodType<Body>;
  readonly response: Reader<Result>;
}

const createBody = z.object({
  name: z.string(),
  gpuType: z.string(),
  replicas: z.int(),
  container: z.string(),
  env: z.record(z.string(), z.string()),
});
/** What a creation asks for (section 4). */
export type CreateBody = z.output<typeof createBody>;

/** @assumption The update takes the create request's own names for what it can change. */
const updateBody = z.object({
  replicas: z.int().optional(),
  container: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
/** The configuration to change (section 4). */
export type UpdateBody = z.output<typeof updateBody>;

/** @assumption Scaling takes the create request's own name for the number of replicas. */
const scaleBody = z.object({ replicas: z.int() });

type Method = Endpoint<never, unknown>["method"];

function endpoint<Result, Body = never>(
  [method, path]: readonly [Method, string],
  kind: RequestKind,
  response: Reader<Result>,
  body?: z.ZodType<Body>,
): Endpoint<Body, Result> {
  return { method, path, kind, response, ...(body ? { body } : {}) };
}

const cluster = (id: string) => `/v1/clusters/${encodeURIComponent(id)}`;

/**
 * Every endpoint of the specification (section 4).
 * @assumption The rows without a method ("read") are GET, and the update is PATCH.
 */
export const endpoints = {
  createCluster: endpoint(["POST", "/v1/clusters"], "create", readCluster, createBody),
  listClusters: endpoint(["GET", "/v1/clusters"], "read", readClusterList),
  getCluster: (id: string) => endpoint(["GET", cluster(id)], "read", readCluster),
  updateCluster: (id: string) => endpoint(["PATCH", cluster(id)], "write", readClusterIfAny, updateBody),
  deleteCluster: (id: string) => endpoint(["DELETE", cluster(id)], "delete", readClusterIfAny),
  stopCluster: (id: string) => endpoint(["POST", `${cluster(id)}/stop`], "action", readClusterIfAny),
  restartCluster: (id: string) => endpoint(["POST", `${cluster(id)}/restart`], "action", readClusterIfAny),
  redeployCluster: (id: string) => endpoint(["POST", `${cluster(id)}/redeploy`], "action", readClusterIfAny),
  scaleCluster: (id: string) => endpoint(["POST", `${cluster(id)}/scale`], "write", readClusterIfAny, scaleBody),
  getClusterStatus: (id: string) => endpoint(["GET", `${cluster(id)}/status`], "read", readStatus),
  listGpuTypes: endpoint(["GET", "/v1/gpus"], "read", readGpuTypes),
  getGpuTypeAvailability: (type: string) =>
    endpoint(["GET", `/v1/gpus/${encodeURIComponent(type)}/availability`], "read", readGpuType(type)),
  listGpuModels: endpoint(["GET", "/v1/gpus/models"], "read", readGpuTypes),
  listGpuAvailability: endpoint(["GET", "/v1/gpus/availability"], "read", readGpuTypes),
  listGpuPricing: endpoint(["GET", "/v1/gpus/pricing"], "read", readGpuTypes),
  getHealth: endpoint(["GET", "/health"], "read", readHealth),
  /** @assumption The descriptor document is at `/` where nothing else is configured. */
  getServiceInfo: (path: string) => endpoint(["GET", path], "read", readServiceInfo),
} as const;
