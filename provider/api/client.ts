import { z } from "zod";
import { ResponseShapeError } from "../errors";
import { type CreateBody, type Endpoint, endpoints, type UpdateBody } from "./endpoints";
import { type HttpRequest, type HttpResponse, type Send, titleOf } from "./http";
import { clusterId } from "./records";
import { cleanText } from "./text";
import { toWire } from "./wire";

/** What a caller may say about one request; see `HttpRequest`. */
export type CallOptions = Pick<
  HttpRequest,
  "attempts" | "patienceMs" | "attemptTimeoutMs" | "subject" | "secrets" | "signal"
>;

/** One typed method for each endpoint of the service. */
export type Client = ReturnType<typeof createClient>;

/** Puts types and JSON on a transport. Every method rejects with a `RequestError` that says what the API answered. */
export function createClient(send: Send) {
  const call = async <Body, Result>(
    endpoint: Endpoint<Body, Result>,
    options: CallOptions = {},
    ...body: [] | [Body]
  ): Promise<Result> => {
    const { method, path, kind } = endpoint;
    const text = endpoint.body && JSON.stringify(toWire(endpoint.body, endpoint.body.parse(body[0])));
    const response = await send({ ...options, method, path, kind, ...(text === undefined ? {} : { body: text }) });
    return readAnswer(endpoint, response, options);
  };
  const e = endpoints;
  return {
    createCluster: (body: CreateBody, options?: CallOptions) => call(e.createCluster, options, body),
    listClusters: (options?: CallOptions) => call(e.listClusters, options),
    getCluster: (id: string, options?: CallOptions) => call(e.getCluster(safeId(id)), options),
    updateCluster: (id: string, body: UpdateBody, options?: CallOptions) =>
      call(e.updateCluster(safeId(id)), options, body),
    deleteCluster: (id: string, options?: CallOptions) => call(e.deleteCluster(safeId(id)), options),
    stopCluster: (id: string, options?: CallOptions) => call(e.stopCluster(safeId(id)), options),
    restartCluster: (id: string, options?: CallOptions) => call(e.restartCluster(safeId(id)), options),
    redeployCluster: (id: string, options?: CallOptions) => call(e.redeployCluster(safeId(id)), options),
    scaleCluster: (id: string, replicas: number, options?: CallOptions) =>
      call(e.scaleCluster(safeId(id)), options, { replicas }),
    getClusterStatus: (id: string, options?: CallOptions) => call(e.getClusterStatus(safeId(id)), options),
    listGpuTypes: (options?: CallOptions) => call(e.listGpuTypes, options),
    getGpuTypeAvailability: (type: string, options?: CallOptions) =>
      call(e.getGpuTypeAvailability(safeType(type)), options),
    listGpuModels: (options?: CallOptions) => call(e.listGpuModels, options),
    listGpuAvailability: (options?: CallOptions) => call(e.listGpuAvailability, options),
    listGpuPricing: (options?: CallOptions) => call(e.listGpuPricing, options),
    getHealth: (options?: CallOptions) => call(e.getHealth, options),
    getServiceInfo: (path = "/", options?: CallOptions) => call(e.getServiceInfo(path), options),
  };
}

/** An id from a state file or from the API may be anything; nothing that could leave its place in the path is sent. */
function safeId(id: string): string {
  if (clusterId.safeParse(id).success) return id;
  throw new TypeError(`not a cluster id: "${cleanText(id, 60)}"; an id has the form cl_<suffix>`);
}

/** Dots alone are not encoded, and would name another path. */
function safeType(type: string): string {
  if (!/^\.*$/.test(type)) return type;
  throw new TypeError(`not a GPU type: "${type}"`);
}

function readAnswer<Body, Result>(
  { method, path, response: reader }: Endpoint<Body, Result>,
  { json }: HttpResponse,
  { subject }: CallOptions,
): Result {
  try {
    return reader(json);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    // Paths and rules only: a value of the body may be an env value.
    const issues = error.issues
      .slice(0, 3)
      .map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
    const title = titleOf({ method, path, subject });
    const text = `${title}: the service answered with JSON that this version cannot read: ${issues.join("; ")}`;
    throw new ResponseShapeError(cleanText(text), { outcome: "ambiguous", method, path });
  }
}
