import { type ApiError, GpuClusterError, isMissingEndpoint, isNotFound } from "../errors";
import { cleanText } from "../text";
import type { GpuType } from "../types";
import type { Budget } from "./budget";
import { type Endpoint, endpoints, type RedeployBody, type UpdateMethod } from "./endpoints";
import { asOne, availabilityAmong, joinGpus } from "./gpuMatch";
import type { HttpRequest, Send } from "./http";
import { defaultLimit } from "./rateHeaders";
import { readClusterList } from "./read/clusterList";
import { type GpuSubject, readGpuList } from "./read/gpuRecords";
import type { Answer, GetPage } from "./read/pages";
import { type ClusterRecord, clusterIdPattern, type GpuList, type StatusRecord } from "./records";
import { type NextForm, UpdateMethodChoice } from "./requestForms";
import { type CreateBody, isOpaque, type RequestNames, refusesGpuCount, type UpdateBody } from "./requestNames";
import { type OptionalEndpoint, ServiceForm } from "./serviceForm";
import { statusIn } from "./states";
import { readable } from "./statusErrors";

/** For the doctor, which explains the forms of answers. */
export { isKeyedCluster } from "./read/clusterRecord";

const clustersPath = "/v1/clusters";

/** The options that a caller may set for one request; see `HttpRequest`. */
export type CallOptions = Pick<
  HttpRequest,
  "attempts" | "urgency" | "deadlineMs" | "maxQueueMs" | "attemptTimeoutMs" | "subject" | "secrets" | "signal"
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
 */
export function createClient(
  send: Send,
  budget: Pick<Budget, "view"> = unknownBudget,
  form: ServiceForm = new ServiceForm(),
  limit: () => Pick<CallOptions, "deadlineMs" | "maxQueueMs"> = () => ({}),
) {
  const calls = callers(send, form, limit);
  const gpus = gpuMethods(calls, form);
  return {
    /** The state of the rate limit, for code that sets poll intervals. */
    budget,
    /** The known form of the service. */
    form,
    ...gpus,
    ...creation(calls, form, gpus),
    ...clusterMethods(calls, form),
    getHealth: (options?: CallOptions) => calls.call(endpoints.getHealth, options),
    getServiceInfo: (path: string, options?: CallOptions) => calls.call(endpoints.getServiceInfo(path), options),
  };
}

type Calls = ReturnType<typeof callers>;

function gpuMethods({ call, list }: Calls, form: ServiceForm) {
  const e = endpoints;
  const gpus = (subject: GpuSubject, endpoint: Endpoint<never, unknown>, options?: CallOptions) =>
    list(endpoint, options, async (get) => {
      const answers: Answer[] = [];
      const found = await readGpuList(subject, async (...page) => {
        const answer = await get(...page);
        answers.push(answer);
        return answer;
      });
      form.sawGpus(subject, answers[0]?.json, found.gpus);
      return found;
    });
  const listGpuModels = (options?: CallOptions) => gpus("models", e.listGpuModels, options);
  const listGpuAvailability = (options?: CallOptions) => gpus("availability", e.listGpuAvailability, options);
  const listGpuPricing = (options?: CallOptions) => gpus("pricing", e.listGpuPricing, options);
  const joined = async (options?: CallOptions): Promise<GpuList | undefined> => {
    const lists = await Promise.allSettled([listGpuModels, listGpuPricing, listGpuAvailability].map((r) => r(options)));
    const [models, ...others] = lists.map((each) => (each.status === "fulfilled" ? each.value : undefined));
    if (!models) return undefined;
    return { gpus: joinGpus(models.gpus, ...others.map((list) => list?.gpus ?? [])), certain: models.certain };
  };
  return {
    listGpuModels,
    listGpuAvailability,
    listGpuPricing,
    /** The GPU types of the service. If it has no such list: its models, joined with its prices and availability. */
    listGpuTypes: (options?: CallOptions): Promise<GpuList> =>
      orElse(
        form,
        "gpus",
        () => gpus("types", e.listGpuTypes, options),
        () => joined(options),
      ),
    getGpuTypeAvailability: (type: string, options?: CallOptions): Promise<GpuType> =>
      orElse(
        form,
        "gpuAvailability",
        () => call(e.getGpuTypeAvailability(safeType(type)), options),
        async () => asOne(availabilityAmong(type, form.gpus, (await listGpuAvailability(options)).gpus)),
      ),
  };
}

/** The parts of a creation that differ between services. */
interface CreateForm {
  readonly names: RequestNames;
  readonly hasGpuCount: boolean;
}

/** A creation uses the field names that the service has shown, and the service's own identifier of the GPU. */
function creation(
  { call }: Calls,
  form: ServiceForm,
  { listGpuModels, listGpuPricing }: ReturnType<typeof gpuMethods>,
) {
  return {
    createCluster: async (body: CreateBody, options?: CallOptions): Promise<ClusterRecord> => {
      const names = await form.namesForCreation([() => listGpuModels(options), () => listGpuPricing(options)]);
      const send = async ({ names, hasGpuCount }: CreateForm) => {
        const needsModels = names === "client" && form.gpus.length === 0 && !isOpaque(body.gpuType);
        if (needsModels) await listGpuModels(options);
        const gpuType = form.gpuTypeFor(names, body.gpuType);
        return call(endpoints.createCluster, options, names, { ...body, gpuType, hasGpuCount });
      };
      const withoutGpuCount: NextForm<CreateForm> = (error, { names, hasGpuCount }) =>
        hasGpuCount && refusesGpuCount(error, names, body) ? { names, hasGpuCount: false } : undefined;
      return form.send({ names, hasGpuCount: true }, send, { before: [withoutGpuCount] });
    },
  };
}

/** The parts of an update that differ between services. */
interface UpdateForm {
  readonly names: RequestNames;
  readonly method: UpdateMethod;
  readonly body: UpdateBody;
}

/** The body of an update after a refusal, without the field that the service does not accept or with the one that it needs. */
type Amended = (error: ApiError) => UpdateBody | undefined;

function clusterMethods({ call, list }: Calls, form: ServiceForm) {
  const e = endpoints;
  const pages = { longest: 0 };
  const methods = new UpdateMethodChoice((isThere) => form.learned("update", isThere));
  const getCluster = (id: string, options?: CallOptions) => call(e.getCluster(safeId(id)), options);
  return {
    listClusters: (options?: CallOptions) => list(e.listClusters, options, (get) => readClusterList(get, pages)),
    getCluster,
    /** @param amended The body to send after a refusal of a field, if there is one. */
    updateCluster: async (id: string, body: UpdateBody, options?: CallOptions, amended: Amended = () => undefined) => {
      const send = async ({ names, method, body }: UpdateForm) => {
        const answer = await call(e.updateCluster(safeId(id), method), options, names, body);
        methods.accepted(method);
        return answer;
      };
      const withAmendedBody: NextForm<UpdateForm> = (error, form) => {
        const next = amended(error);
        return next && { ...form, body: next };
      };
      const exists = () => answers(getCluster(id, options));
      const rules = { before: [methods.next<UpdateForm>(exists)], after: [withAmendedBody], isChange: true };
      return form.send({ names: form.namesForChange, method: methods.first(), body }, send, rules);
    },
    deleteCluster: (id: string, options?: CallOptions) => call(e.deleteCluster(safeId(id)), options),
    stopCluster: (id: string, options?: CallOptions) => call(e.stopCluster(safeId(id)), options),
    restartCluster: (id: string, options?: CallOptions) => call(e.restartCluster(safeId(id)), options),
    redeployCluster: (id: string, options?: CallOptions, body: RedeployBody = {}) =>
      change(form, (names) => call(e.redeployCluster(safeId(id)), options, names, body)),
    scaleCluster: (id: string, replicas: number, options?: CallOptions) =>
      change(form, (names) => call(e.scaleCluster(safeId(id)), options, names, { replicas })),
    /** The health of the replicas: from `/status` or, if the service has none, from the record of the cluster. */
    getClusterStatus: (id: string, options?: CallOptions): Promise<StatusRecord> =>
      orElse(
        form,
        "status",
        () => call(e.getClusterStatus(safeId(id)), options),
        async (missing) => statusIn(await getCluster(id, options), missing),
      ),
  };
}

/** Sends a change whose form has no other part than its names. */
function change<Result>(form: ServiceForm, send: (names: RequestNames) => Promise<Result>): Promise<Result> {
  return form.send({ names: form.namesForChange }, ({ names }) => send(names), { isChange: true });
}

/**
 * Calls an endpoint that not every service has. If it is missing, `another` answers, and later calls skip the endpoint.
 * @param another Gets the error of the missing endpoint, if this call met it. Returns `undefined` if it has no result
 * either: then that error is thrown.
 */
async function orElse<T>(
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
  const learn = ({ method, path }: HttpRequest, json: unknown) => {
    if (path.startsWith(clustersPath)) form.saw(json, method === "GET" && path === clustersPath);
  };
  const call = async <Body, Result>(
    endpoint: Endpoint<Body, Result>,
    options: CallOptions = {},
    ...body: [] | [RequestNames, Body]
  ): Promise<Result> => {
    const { method, path, kind, response: reader } = endpoint;
    const [names, content] = body;
    const encoded = names && content !== undefined ? endpoint.body?.(names, content) : undefined;
    const text = encoded && JSON.stringify(encoded);
    const request = { ...limited(options), method, path, kind, ...(text === undefined ? {} : { body: text }) };
    const held: { result?: { value: Result } } = {};
    const accepts = ({ json }: Pick<Answer, "json">) => {
      held.result = { value: reader(json) };
    };
    const { json } = await send({ ...request, ...(kind === "read" ? { accepts } : {}) });
    learn(request, json);
    return (held.result ?? { value: readable(request, () => reader(json)) }).value;
  };
  // The query of each page comes from the service itself.
  const list = async <Result>(
    { method, path, kind }: Endpoint<never, unknown>,
    options: CallOptions = {},
    read: (get: GetPage) => Promise<Result>,
  ): Promise<Result> => {
    const request = { ...limited(options), method, path, kind };
    const get: GetPage = async (query, accepts) => {
      const { json, headers, body } = await send({
        ...request,
        path: query === undefined ? path : `${path}?${query}`,
        accepts,
      });
      learn(request, json);
      return { json, headers, length: body.length };
    };
    return read(get).catch((error: unknown) =>
      readable(request, () => {
        throw error;
      }),
    );
  };
  return { call, list };
}

/** False only if the API itself says that there is no such cluster. */
async function answers(lookup: Promise<unknown>): Promise<boolean> {
  try {
    await lookup;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** An id from a state or from the API may be any text. Only characters that cannot change the path are sent. */
function safeId(id: string): string {
  if (clusterIdPattern.test(id)) return id;
  throw new TypeError(`not a cluster id: "${cleanText(id, 60)}"; an id has the form cl_<suffix>`);
}

/** Dots are not encoded: a type of dots alone, or an empty type, would change the path. */
function safeType(type: string): string {
  if (!/^\.*$/.test(type)) return type;
  throw new TypeError(`not a GPU type: "${type}"`);
}
