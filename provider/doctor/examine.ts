import type { Budget, BudgetView, PermitRequest, ReleasePermit } from "../api/budget";
import { type Client, createClient } from "../api/client";
import { descriptorPaths } from "../api/endpoints";
import type { HttpRequest, HttpResponse, Send } from "../api/http";
import { hasIdForm } from "../api/names";
import { defaultLimit, type RateHeaders, windowMs } from "../api/rateHeaders";
import { type ClusterList, type ClusterRecord, clusterIdPrefix, type GpuList, type StatusRecord } from "../api/records";
import { getServiceInfo } from "../api/serviceInfo";
import { isLeaving } from "../api/states";
import { readable } from "../api/statusErrors";
import { createTransport } from "../api/transport";
import { type Clock, systemClock } from "../clock";
import type { Connection } from "../config";
import { ApiError, ConnectionError, GpuClusterError, ResponseShapeError } from "../errors";
import type { ServiceInfo } from "../types";
import { version } from "../version";
import type { Subject } from "./shapes";

/** The results of a few reads of a service. */
export interface Examination {
  readonly address: string;
  /** By path, in the order of the requests. */
  readonly observations: ReadonlyMap<string, Observation>;
  /** Requests that were sent. */
  readonly sent: number;
  readonly rate: RateHeaders;
  readonly list?: ClusterList;
  /** The cluster that was read by its id. */
  readonly id?: string;
  readonly cluster?: ClusterRecord;
  readonly status?: StatusRecord;
  readonly info?: ServiceInfo;
  readonly gpus?: GpuList;
}

/** One short attempt for each request: the examination ends in less than half a minute, whatever the service does. */
const once = { attempts: 1, attemptTimeoutMs: 4_000 } as const;

/**
 * Reads every endpoint that can be read, each once. The list of clusters comes first: if there is no answer, nothing
 * else is read. If the service refuses the key, only endpoints that may need no key are read.
 */
export async function examine({ baseUrl, apiKey }: Connection, clock: Clock = systemClock): Promise<Examination> {
  const ledger = new Ledger(clock);
  const userAgent = `pulumi-gpucluster/${version} doctor`;
  const transport = createTransport({ baseUrl, apiKey, clock, random: Math.random, userAgent, budget: ledger });
  const recorder = new Recorder(transport, clock);
  const client = createClient(recorder.send, ledger);
  const { value: list, error } = await settled(client.listClusters(once));
  const found = error instanceof ConnectionError ? {} : await readOthers(client, list, isRefusedKey(error));
  const { observations } = recorder;
  return { address: baseUrl, observations, sent: ledger.sent, rate: ledger.rate, list, ...found };
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

async function readOthers(client: Client, list: ClusterList | undefined, isKeyRefused: boolean) {
  const service = [settled(getServiceInfo(client, once)), settled(client.getHealth(once))] as const;
  const forKey = isKeyRefused ? {} : { gpus: readGpus(client), cluster: readCluster(client, list) };
  const [{ value: info }, , gpus, cluster] = await Promise.all([...service, forKey.gpus, forKey.cluster]);
  return { info, gpus, ...cluster };
}

/** Reads all lists about GPUs, and returns the GPU types as the provider would use them. */
async function readGpus(client: Client): Promise<GpuList | undefined> {
  const lists = [client.listGpuModels, client.listGpuAvailability, client.listGpuPricing];
  const [{ value }] = await Promise.all([
    settled(client.listGpuTypes(once)),
    ...lists.map((read) => settled(read(once))),
  ]);
  return value;
}

/** Reads one cluster of the list, if possible one that is not being deleted. */
async function readCluster(client: Client, list: ClusterList | undefined) {
  const clusters = list?.clusters ?? [];
  const id = (clusters.find(({ status }) => !isLeaving(status)) ?? clusters[0])?.id;
  if (id === undefined) return {};
  const [{ value: cluster }, { value: status }] = await Promise.all([
    settled(client.getCluster(id, once)),
    settled(client.getClusterStatus(id, once)),
  ]);
  return { id, cluster, status };
}

interface Settled<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** A failed request is a finding; any other error is a bug, and is thrown. */
async function settled<T>(read: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await read };
  } catch (error) {
    if (!GpuClusterError.isInstance(error)) throw error;
    return { error };
  }
}

/** An endpoint that an examination reads. */
export interface ExaminedPath {
  readonly path: string;
  /** The text for the report: `GET /v1/clusters/cl_…`. */
  readonly endpoint: string;
  readonly subject: Subject;
}

const gpuPaths = ["/v1/gpus", "/v1/gpus/models", "/v1/gpus/pricing", "/v1/gpus/availability"];

/** The endpoints of an examination, in the order in which the provider reads them; the list of clusters comes first. */
export function pathsOf({ id, info, observations }: Pick<Examination, "id" | "info" | "observations">): ExaminedPath[] {
  const own = `/v1/clusters/${id ?? ":id"}`;
  const shown = `/v1/clusters/${id === undefined ? ":id" : shortId(id)}`;
  const tried = descriptorPaths.filter((path) => observations.has(path));
  const rows: readonly (readonly [path: string, subject: Subject, shown?: string])[] = [
    ["/v1/clusters", "clusters"],
    [own, "cluster", shown],
    [`${own}/status`, "status", `${shown}/status`],
    ...gpuPaths.map((path) => [path, "gpus"] as const),
    ["/health", "service"],
    [tried.at(-1) ?? "/", "descriptor", info || tried.length === 0 ? undefined : tried.join(", ")],
  ];
  return rows.map(([path, subject, text = path]) => ({ path, subject, endpoint: `GET ${text}` }));
}

/** Long enough for users to recognize their own cluster. */
function shortId(id: string): string {
  return id.length > 6 ? `${id.slice(0, 3)}…` : hasIdForm(id) ? `${clusterIdPrefix}…` : "…";
}

/** The result of one request. */
export interface Observation {
  readonly path: string;
  /** The JSON of the answer, if it was a success with JSON. */
  json?: unknown;
  /** The reason why there is no result. */
  error?: unknown;
  /** The service's clock minus the local clock, in milliseconds, from the `Date` header. */
  skewMs?: number;
}

/** Pages after the first one, of all lists together: a few pages are enough to see whether a list can be read. */
const mostPages = 3;

/** Sends each read once, and records the result. Only GET requests pass. */
export class Recorder {
  readonly #answers = new Map<string, Promise<HttpResponse>>();
  readonly #observations = new Map<string, Observation>();

  constructor(
    private readonly next: Send,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  /** By path, in the order of the requests. */
  get observations(): ReadonlyMap<string, Observation> {
    return this.#observations;
  }

  readonly send: Send = async (request) => {
    const { method, path } = request;
    if (method !== "GET") throw new TypeError(`a write must not be sent: ${method}`);
    const answer = this.#answers.get(path) ?? this.#ask(request);
    this.#answers.set(path, answer);
    const observation = this.#observations.get(path);
    try {
      const response = await answer;
      if (observation) observation.json = response.json;
      const { json, headers } = response;
      readable(request, () => request.accepts?.({ json, headers }));
      return response;
    } catch (error) {
      if (observation) observation.error = error;
      throw error;
    }
  };

  async #ask({ accepts: _accepts, ...request }: HttpRequest): Promise<HttpResponse> {
    const { method, path } = request;
    const pages = [...this.#observations.keys()].filter((each) => each.includes("?"));
    if (path.includes("?") && pages.length >= mostPages) {
      throw new ResponseShapeError("more pages are not read", { outcome: "ambiguous", method, path });
    }
    const observation: Observation = { path };
    this.#observations.set(path, observation);
    const sentAtMs = this.clock.now();
    const response = await this.next(request);
    observation.skewMs = skewOf(response.headers["date"], (sentAtMs + this.clock.now()) / 2);
    return response;
  }
}

function skewOf(date: string | undefined, nowMs: number): number | undefined {
  const theirMs = Date.parse(date ?? "");
  // The header has whole seconds: on average, half of one is cut off.
  return Number.isNaN(theirMs) ? undefined : theirMs + 500 - nowMs;
}

/** A budget that never waits: after a refusal because of the rate limit, it refuses each further request unsent. */
export class Ledger implements Budget {
  /** The latest headers, with the fewest requests left. */
  rate: RateHeaders = {};
  /** Requests that were sent. */
  sent = 0;
  #closedUntilMs = 0;

  constructor(private readonly clock: Pick<Clock, "now">) {}

  async enter(ask: PermitRequest): Promise<ReleasePermit> {
    const waitMs = this.#closedUntilMs - this.clock.now();
    if (waitMs > 0) throw ask.refuse(waitMs, this.view());
    this.sent += 1;
    return (answered) => {
      if (!answered) return;
      const { headers, isRefused } = answered;
      const isFewer = (headers.remaining ?? Infinity) <= (this.rate.remaining ?? Infinity);
      if (isFewer || isRefused)
        this.rate = { ...this.rate, ...Object.fromEntries(Object.entries(headers).filter(isKnown)) };
      // At least long enough that the request is not sent again.
      const closedMs = Math.max(1_000, headers.retryAfterMs ?? headers.resetInMs ?? windowMs);
      if (isRefused) this.#closedUntilMs = this.clock.now() + closedMs;
    };
  }

  view(): BudgetView {
    return { limit: this.rate.limit ?? defaultLimit, queued: 0, share: 1 };
  }
}

function isKnown([, value]: [string, unknown]): boolean {
  return value !== undefined;
}
