import type { RequestKind } from "./http";
import { readClusterIfAny, readCreated, readDetail } from "./read/clusterRecord";
import { readGpuType } from "./read/gpuRecords";
import { readHealth, readServiceInfo } from "./read/serviceRecords";
import { readStatus } from "./read/statusRecord";
import type { ClusterRecord, Reader } from "./records";
import {
  type CreateBody,
  type EncodedBody,
  encodeBody,
  encodeCreation,
  type RequestNames,
  type UpdateBody,
} from "./requestNames";

/**
 * Every endpoint of the specification as data. A request uses the field names of one vocabulary (requestNames.ts), and
 * nothing else. The tagged lines are guesses about what the specification leaves open.
 */
export interface Endpoint<Body, Result> {
  readonly method: Method;
  /** Relative to the base URL; path parameters are encoded. */
  readonly path: string;
  readonly kind: RequestKind;
  /** Encodes the body with the names of a vocabulary. Absent: no body and no Content-Type. */
  readonly body?: (names: RequestNames, body: Body) => EncodedBody | undefined;
  readonly response: Reader<Result>;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** @assumption A scale request uses the create request's name for the number of replicas. */
type ScaleBody = Pick<CreateBody, "replicas">;

/** @assumption A redeploy contains the image under the create request's name, or nothing. */
export type RedeployBody = Partial<Pick<CreateBody, "container">>;

/** The official client sends an empty object if there is nothing to change; the specification shows no body. */
function encodeRedeploy(names: RequestNames, body: RedeployBody): EncodedBody | undefined {
  return names === "client" || body.container !== undefined ? encodeBody(names, body) : undefined;
}

function endpoint<Result, Body = never>(
  [method, path]: readonly [Method, string],
  kind: RequestKind,
  response: Reader<Result>,
  body?: Endpoint<Body, Result>["body"],
): Endpoint<Body, Result> {
  return { method, path, kind, response, ...(body ? { body } : {}) };
}

const parameters = [
  { name: "id", at: /^(\/v1\/clusters\/)([^/?]+)/ },
  { name: "type", at: /^(\/v1\/gpus\/)([^/?]+)(?=\/availability)/ },
] as const;

/** A path with names in place of its parameters and without its query, for logs and traces; and the cluster's id in it. */
export function parametersOf(path: string): { readonly route: string; readonly id?: string } {
  const { name, at } = parameters.find((parameter) => parameter.at.test(path)) ?? {};
  const route = (at ? path.replace(at, `$1{${name}}`) : path).replace(/\?.*$/s, "");
  const id = name === "id" ? at?.exec(path)?.[2] : undefined;
  return { route, ...(id === undefined ? {} : { id }) };
}

const cluster = (id: string) => `/v1/clusters/${encodeURIComponent(id)}`;

/** @assumption An update uses one of these methods, most likely the first. */
export const updateMethods = ["PATCH", "PUT", "POST"] as const;
export type UpdateMethod = (typeof updateMethods)[number];

/** @assumption One of these actions starts a stopped cluster; they are tried in this order. There is no start endpoint. */
export const startActions = ["restart", "redeploy", "scale"] as const;
export type StartAction = (typeof startActions)[number];

/** @assumption The descriptor document is at one of these paths. */
export const descriptorPaths = ["/", "/v1", "/api"] as const;

/** @assumption A generated name has at most this length, so that the service can append a suffix within one label of a host name. */
export const longestMadeLabel = 40;

/** The caller reads a list page by page. */
const asItIs: Reader<unknown> = (json) => json;

/** Every endpoint (section 4). */
/** @assumption The answer to an update, an action or a deletion is the cluster, anything else, or empty. */
/** @assumption The rows of the specification without a method ("read") are GET requests. */
export const endpoints = {
  createCluster: endpoint(["POST", "/v1/clusters"], "create", readCreated, encodeCreation),
  listClusters: endpoint(["GET", "/v1/clusters"], "read", asItIs),
  getCluster: (id: string) => endpoint(["GET", cluster(id)], "read", readDetail(id)),
  updateCluster: (id: string, method: UpdateMethod) =>
    endpoint<ClusterRecord | undefined, UpdateBody>([method, cluster(id)], "write", readClusterIfAny(id), encodeBody),
  deleteCluster: (id: string) => endpoint(["DELETE", cluster(id)], "delete", readClusterIfAny(id)),
  stopCluster: (id: string) => endpoint(["POST", `${cluster(id)}/stop`], "action", readClusterIfAny(id)),
  restartCluster: (id: string) => endpoint(["POST", `${cluster(id)}/restart`], "action", readClusterIfAny(id)),
  redeployCluster: (id: string) =>
    endpoint<ClusterRecord | undefined, RedeployBody>(
      ["POST", `${cluster(id)}/redeploy`],
      "action",
      readClusterIfAny(id),
      encodeRedeploy,
    ),
  scaleCluster: (id: string) =>
    endpoint<ClusterRecord | undefined, ScaleBody>(
      ["POST", `${cluster(id)}/scale`],
      "write",
      readClusterIfAny(id),
      encodeBody,
    ),
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
