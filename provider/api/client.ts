import { GpuClusterError, isMissingEndpoint, isNotFound, NoUpdateError } from "../base/errors";
import { Redactor } from "../base/redact";
import { cleanText } from "../base/text";
import { type Endpoint, endpoints as e, type RedeployBody, type UpdateMethod } from "./endpoints";
import { joinGpus, mergeRows, rowsOfType } from "./gpuMatch";
import type { Budget } from "./http/budget";
import { defaultLimit } from "./http/rateHeaders";
import type { HttpRequest, Send } from "./http/send";
import { readable } from "./http/statusErrors";
import { readClusterList } from "./read/clusterRecord";
import { readGpuList } from "./read/gpuRecords";
import type { Answer, GetPage } from "./read/pages";
import { type ClusterRecord, clusterIdPattern, type GpuList, type StatusRecord } from "./records";
import { withNamesAdvice } from "./refusedFields";
import { type CreateBody, isOpaque, type RequestNames, type UpdateBody } from "./requests";
import { type GpuSubject, type OptionalEndpoint, ServiceForm } from "./serviceForm";
import { statusIn } from "./states";
import type { GpuType } from "./types";

/** The options that a caller may set for one request; see `HttpRequest`. */
export type CallOptions = Pick<
  HttpRequest,
  "attempts" | "urgency" | "deadlineMs" | "maxQueueMs" | "attemptTimeoutMs" | "subject" | "signal"
>;

/** The budget of a transport whose rate limit is unknown. */
const unknownBudget: Pick<Budget, "view"> = { view: () => ({ limit: defaultLimit, queued: 0, share: 1 }) };

/** One typed method for each endpoint of the service. */
export type Client = ReturnType<typeof createClient>;

/**
 * Adds types and JSON to a transport. Every method rejects with a `RequestError` that says what the API answered.
 * `form` stores what the answers show of the service's form, and decides how later requests are encoded.
 * @param budget The rate budget of the transport, if known.
 * @param limit The deadline of a call that does not set one, for all pages of a list together.
 * @param redactor Hides what the callers know as secret in each text of the service.
 */
export function createClient(
  send: Send,
  budget: Pick<Budget, "view"> = unknownBudget,
  form: ServiceForm = new ServiceForm(),
  limit: () => Pick<CallOptions, "deadlineMs" | "maxQueueMs"> = () => ({}),
  redactor: Redactor = new Redactor(),
) {
  const calls = callers((request) => send({ ...request, redactor }), form, limit);
  const gpus = gpuMethods(calls, form);
  return {
    /** The state of the rate limit, for code that sets poll intervals. */
    budget,
    /** The known form of the service. */
    form,
    /** The secrets of this service and key. */
    redactor,
    ...gpus,
    ...clusterMethods(calls, form, gpus),
    getHealth: (options?: CallOptions) => calls.call(e.getHealth, "", options),
    getServiceInfo: (path: string, options?: CallOptions) => calls.call(e.getServiceInfo(path), "", options),
  };
}

type Calls = ReturnType<typeof callers>;

function gpuMethods({ call, list }: Calls, form: ServiceForm) {
  const gpus = (subject: GpuSubject, endpoint: Endpoint<unknown>) => (options?: CallOptions) =>
    list(endpoint, options, async (get) => {
      let first: unknown;
      const found = await readGpuList(async (...page) => {
        const answer = await get(...page);
        first ??= answer.json;
        return answer;
      });
      form.sawGpus(subject, first, found.gpus);
      return found;
    });
  const listGpuModels = gpus("models", e.listGpuModels);
  const listGpuAvailability = gpus("availability", e.listGpuAvailability);
  const listGpuPricing = gpus("pricing", e.listGpuPricing);
  const listTypes = gpus("types", e.listGpuTypes);
  const joined = async (options?: CallOptions): Promise<GpuList | undefined> => {
    const lists = await Promise.allSettled([listGpuModels, listGpuPricing, listGpuAvailability].map((r) => r(options)));
    const [models, ...others] = lists.map((each) => (each.status === "fulfilled" ? each.value : undefined));
    if (!models) return undefined;
    return { gpus: joinGpus(models.gpus, ...others.map((list) => list?.gpus ?? [])), certain: models.certain };
  };
  const one = (type: string, options?: CallOptions) => call(e.getGpuTypeAvailability, type, options);
  const oneOfAll = async (type: string, options?: CallOptions) =>
    mergeRows(rowsOfType(type, form.gpus, (await listGpuAvailability(options)).gpus));
  return {
    listGpuModels,
    listGpuAvailability,
    listGpuPricing,
    /** The GPU types of the service. If it has no such list: its models, joined with its prices and availability. */
    listGpuTypes: (options?: CallOptions): Promise<GpuList> =>
      withFallback(
        form,
        "gpus",
        () => listTypes(options),
        () => joined(options),
      ),
    getGpuTypeAvailability: (type: string, options?: CallOptions): Promise<GpuType> =>
      withFallback(
        form,
        "gpuAvailability",
        () => one(type, options),
        () => oneOfAll(type, options),
      ),
  };
}

function clusterMethods({ call, list }: Calls, form: ServiceForm, gpus: ReturnType<typeof gpuMethods>) {
  const names = () => form.names ?? "specification";
  const about =
    <Result>(endpoint: Endpoint<Result>) =>
    (id: string, options?: CallOptions) =>
      call(endpoint, id, options);
  const getCluster = about(e.getCluster);
  return {
    listClusters: (options?: CallOptions) => list(e.listClusters, options, readClusterList),
    getCluster,
    /** A creation uses the field names that the service has shown, and the service's own identifier of the GPU. */
    createCluster: async (body: CreateBody, options?: CallOptions): Promise<ClusterRecord> => {
      const { listGpuModels, listGpuPricing } = gpus;
      const names = await form.namesForCreation([() => listGpuModels(options), () => listGpuPricing(options)]);
      if (names === "client" && form.gpus.length === 0 && !isOpaque(body.gpuType)) await listGpuModels(options);
      const gpuType = form.gpuTypeFor(names, body.gpuType);
      return call(e.createCluster, "", options, names, { ...body, gpuType }).catch((error: unknown) => {
        throw form.isConfirmed ? error : withNamesAdvice(error, names);
      });
    },
    updateCluster: (id: string, bodyFor: (method: UpdateMethod) => UpdateBody, options?: CallOptions) =>
      byMethod(
        form,
        (method) => call(e.updateCluster(method), id, options, names(), bodyFor(method)),
        () => getCluster(id, options),
      ),
    deleteCluster: about(e.deleteCluster),
    stopCluster: about(e.stopCluster),
    restartCluster: about(e.restartCluster),
    redeployCluster: (id: string, options?: CallOptions, body: RedeployBody = {}) =>
      call(e.redeployCluster, id, options, names(), body),
    scaleCluster: (id: string, replicas: number, options?: CallOptions) =>
      call(e.scaleCluster, id, options, names(), { replicas }),
    /** The health of the replicas: from `/status` or, if the service has none, from the record of the cluster. */
    getClusterStatus: (id: string, options?: CallOptions): Promise<StatusRecord> => {
      const inRecord = async (missing: unknown) => statusIn(await getCluster(id, options), missing);
      return withFallback(form, "status", () => call(e.getClusterStatus, id, options), inRecord);
    },
  };
}

/**
 * Sends an update by the first method that the service accepts.
 * @param look Rejects if the cluster is gone.
 * @throws NoUpdateError if the service refuses every method, so that nothing was changed.
 */
async function byMethod<T>(
  form: ServiceForm,
  send: (method: UpdateMethod) => Promise<T>,
  look: () => Promise<unknown>,
): Promise<T> {
  let refusal = form.updateRefusal;
  let isCertain = form.has("update") !== true;
  for (const method of form.updateMethods) {
    try {
      const answer = await send(method);
      form.learnedUpdate([method]);
      return answer;
    } catch (error) {
      if (!isMissingEndpoint(error)) throw error;
      // A 404 may be about the cluster.
      if (isNotFound(error)) await look();
      refusal = error;
      // The page of a gateway says nothing about the service.
      isCertain &&= error.isApiAnswer;
    }
  }
  if (isCertain) form.learnedUpdate([], refusal);
  throw new NoUpdateError(`the service cannot update clusters (HTTP ${refusal.status})`, refusal);
}

/**
 * Calls an endpoint that not every service has. If it is missing, `another` answers, and later calls skip the endpoint.
 * @param another Gets the error of the missing endpoint, if this call met it. Returns `undefined` if it has no result
 * either: then that error is thrown.
 */
async function withFallback<T>(
  form: ServiceForm,
  endpoint: OptionalEndpoint,
  ask: () => Promise<T>,
  another: (missing: unknown) => Promise<T | undefined>,
): Promise<T> {
  let missing: unknown;
  if (form.has(endpoint) !== false) {
    try {
      const answer = await ask();
      form.learned(endpoint, true);
      return answer;
    } catch (error) {
      if (!isMissingEndpoint(error) || form.has(endpoint)) throw error;
      missing = error;
    }
  }
  const answer = await another(missing);
  if (answer === undefined) throw missing ?? new GpuClusterError("the service does not show this data");
  form.learned(endpoint, false);
  return answer;
}

/** Encodes and sends single requests, and reads their answers; reads lists whose pages come from one endpoint. */
function callers(send: Send, form: ServiceForm, limit: () => CallOptions) {
  const limited = (options: CallOptions) => (options.deadlineMs === undefined ? { ...limit(), ...options } : options);
  /** The answer is read inside the chain, so that a read whose answer is unreadable is sent once more. */
  const sent = async <Result>(request: HttpRequest, read: (answer: Answer) => Result) => {
    const held: { result?: { value: Result } } = {};
    const accepts = (answer: Answer) => {
      held.result = { value: read(answer) };
    };
    const answer = await send(request.kind === "read" ? { ...request, accepts } : request);
    if (request.route?.startsWith(e.listClusters.path))
      form.saw(answer.json, request.route === e.listClusters.path && request.kind === "read");
    return (held.result ?? { value: readable(request, () => read({ json: answer.json, headers: answer.headers })) })
      .value;
  };
  const call = <Result, Body>(
    endpoint: Endpoint<Result, Body>,
    parameter: string,
    options: CallOptions = {},
    ...[names, content]: [] | [RequestNames, Body]
  ): Promise<Result> => {
    const encoded = names && content !== undefined ? endpoint.body?.(names, content) : undefined;
    const body = encoded && JSON.stringify(encoded);
    const request = { ...requestTo(endpoint, parameter, limited(options)), ...(body === undefined ? {} : { body }) };
    return sent(request, ({ json }) => endpoint.read(parameter)(json));
  };
  const list = <Result>(
    endpoint: Endpoint<unknown>,
    options: CallOptions = {},
    read: (get: GetPage) => Promise<Result>,
  ): Promise<Result> => {
    const request = requestTo(endpoint, "", limited(options));
    // The query of each page comes from the service itself.
    const get: GetPage = (query, accepts) =>
      sent({ ...request, path: query === undefined ? request.path : `${request.path}?${query}` }, (answer) => {
        accepts?.(answer);
        return answer;
      });
    return read(get).catch((error: unknown) =>
      readable(request, () => {
        throw error;
      }),
    );
  };
  return { call, list };
}

/** A request to an endpoint. Only parameters that cannot change the path are sent: dots are not encoded. */
function requestTo({ method, path, kind }: Endpoint<unknown>, parameter: string, options: CallOptions): HttpRequest {
  if (path.includes(":id") && !clusterIdPattern.test(parameter))
    throw new TypeError(`not a cluster id: "${cleanText(parameter, 60)}"; an id has the form cl_<suffix>`);
  if (path.includes(":type") && /^\.*$/.test(parameter)) throw new TypeError(`not a GPU type: "${parameter}"`);
  return {
    ...options,
    method,
    kind,
    route: path,
    path: path.replace(/:(id|type)\b/, () => encodeURIComponent(parameter)),
  };
}
