import { type Client, createClient } from "../api/client";
import { getServiceInfo } from "../api/descriptor";
import { descriptorPaths } from "../api/endpoints";
import type { RateHeaders } from "../api/rateHeaders";
import { hasIdForm } from "../api/read/clusterRecord";
import { isLeaving } from "../api/read/states";
import { type ClusterList, type ClusterRecord, clusterIdPrefix, type GpuList, type StatusRecord } from "../api/records";
import { createTransport } from "../api/transport";
import { type Clock, systemClock } from "../clock";
import type { Connection } from "../config";
import { ApiError, ConnectionError, GpuClusterError } from "../errors";
import type { ServiceInfo } from "../types";
import { version } from "../version";
import { Ledger, type Observation, Recorder } from "./recorder";
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
