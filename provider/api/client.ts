import { isNotFound } from "../errors";
import { type CreateBody, type Endpoint, endpoints, type UpdateBody } from "./endpoints";
import type { HttpRequest, Send } from "./http";
import type { Budget } from "./rateContract";
import { defaultLimit } from "./rateHeaders";
import { readClusterList } from "./read/clusterList";
import { readGpuList } from "./read/gpuList";
import type { GpuSubject } from "./read/gpuRows";
import type { Answer, GetPage } from "./read/pageWalk";
import { readable } from "./readable";
import { clusterIdPattern } from "./records";
import { cleanText } from "./text";
import { UpdateMethodChoice } from "./updateMethod";
import { toWire } from "./wire";

/** What a caller may say about one request; see `HttpRequest`. */
export type CallOptions = Pick<
  HttpRequest,
  "attempts" | "urgency" | "patienceMs" | "attemptTimeoutMs" | "subject" | "secrets" | "signal"
>;

/** A budget of which nothing is known. */
const unknownBudget: Pick<Budget, "view"> = { view: () => ({ limit: defaultLimit, queued: 0 }) };

/** One typed method for each endpoint of the service. */
export type Client = ReturnType<typeof createClient>;

/**
 * Puts types and JSON on a transport. Every method rejects with a `RequestError` that says what the API answered.
 * @param budget What the transport's requests are paid from, where that is known.
 */
export function createClient(send: Send, budget: Pick<Budget, "view"> = unknownBudget) {
  const call = caller(send);
  const list = lister(send);
  const gpus = (subject: GpuSubject, endpoint: Endpoint<never, unknown>, options?: CallOptions) =>
    list(endpoint, options, (get) => readGpuList(subject, get));
  const e = endpoints;
  const methods = new UpdateMethodChoice();
  return {
    /** How the rate limit stands, for who paces looks. */
    budget,
    createCluster: (body: CreateBody, options?: CallOptions) => call(e.createCluster, options, body),
    listClusters: (options?: CallOptions) => list(e.listClusters, options, readClusterList),
    getCluster: (id: string, options?: CallOptions) => call(e.getCluster(safeId(id)), options),
    updateCluster: (id: string, body: UpdateBody, options?: CallOptions) =>
      methods.send(
        (method) => call(e.updateCluster(safeId(id), method), options, body),
        () => answers(call(e.getCluster(id), options)),
      ),
    deleteCluster: (id: string, options?: CallOptions) => call(e.deleteCluster(safeId(id)), options),
    stopCluster: (id: string, options?: CallOptions) => call(e.stopCluster(safeId(id)), options),
    restartCluster: (id: string, options?: CallOptions) => call(e.restartCluster(safeId(id)), options),
    redeployCluster: (id: string, options?: CallOptions) => call(e.redeployCluster(safeId(id)), options),
    scaleCluster: (id: string, replicas: number, options?: CallOptions) =>
      call(e.scaleCluster(safeId(id)), options, { replicas }),
    getClusterStatus: (id: string, options?: CallOptions) => call(e.getClusterStatus(safeId(id)), options),
    listGpuTypes: (options?: CallOptions) => gpus("types", e.listGpuTypes, options),
    getGpuTypeAvailability: (type: string, options?: CallOptions) =>
      call(e.getGpuTypeAvailability(safeType(type)), options),
    listGpuModels: (options?: CallOptions) => gpus("models", e.listGpuModels, options),
    listGpuAvailability: (options?: CallOptions) => gpus("availability", e.listGpuAvailability, options),
    listGpuPricing: (options?: CallOptions) => gpus("pricing", e.listGpuPricing, options),
    getHealth: (options?: CallOptions) => call(e.getHealth, options),
    getServiceInfo: (path: string, options?: CallOptions) => call(e.getServiceInfo(path), options),
  };
}

function caller(send: Send) {
  return async <Body, Result>(
    endpoint: Endpoint<Body, Result>,
    options: CallOptions = {},
    ...body: [] | [Body]
  ): Promise<Result> => {
    const { method, path, kind, response: reader } = endpoint;
    const text = endpoint.body && JSON.stringify(toWire(endpoint.body, endpoint.body.parse(body[0])));
    const request = { ...options, method, path, kind, ...(text === undefined ? {} : { body: text }) };
    const held: { result?: { value: Result } } = {};
    const accepts = ({ json }: Pick<Answer, "json">) => {
      held.result = { value: reader(json) };
    };
    const { json } = await send({ ...request, ...(kind === "read" ? { accepts } : {}) });
    return (held.result ?? { value: readable(request, () => reader(json)) }).value;
  };
}

/** The pages of a list are answers of one endpoint, told apart by queries that the service itself has named. */
function lister(send: Send) {
  return async <Result>(
    { method, path, kind }: Endpoint<never, unknown>,
    options: CallOptions = {},
    read: (get: GetPage) => Promise<Result>,
  ): Promise<Result> => {
    const request = { ...options, method, path, kind };
    const get: GetPage = async (query, accepts) => {
      const { json, headers } = await send({
        ...request,
        path: query === undefined ? path : `${path}?${query}`,
        accepts,
      });
      return { json, headers };
    };
    return read(get).catch((error: unknown) =>
      readable(request, () => {
        throw error;
      }),
    );
  };
}

/** False only for the API's own "no such cluster". */
async function answers(look: Promise<unknown>): Promise<boolean> {
  try {
    await look;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** An id from a state file or from the API may be anything; nothing that could leave its place in the path is sent. */
function safeId(id: string): string {
  if (clusterIdPattern.test(id)) return id;
  throw new TypeError(`not a cluster id: "${cleanText(id, 60)}"; an id has the form cl_<suffix>`);
}

/** Dots alone are not encoded, and would name another path. */
function safeType(type: string): string {
  if (!/^\.*$/.test(type)) return type;
  throw new TypeError(`not a GPU type: "${type}"`);
}
