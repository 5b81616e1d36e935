import { Agent, type Dispatcher, request } from "undici";
import { Client } from "../../provider/api/client";
import { RateLimiter } from "../../provider/api/http/rateLimiter";
import { Transport } from "../../provider/api/http/transport";
import type { Clock } from "../../provider/base/clock";
import { createClusterResource, createDependencies } from "../../provider/cluster/resource";
import { Secret } from "../../provider/config/settings";
import type { CallContext } from "../../provider/contract";
import { sources } from "../support/sources";

/** The address and the API key of a service. */
export interface Address {
  readonly url: string;
  readonly apiKey: string;
}

/** A created cluster in a contender's own state. */
export interface Made {
  readonly id: string;
  readonly state: Record<string, unknown>;
}

/** A provider under test: the operations that the engine would call, all concurrently. */
export interface Contender {
  /** Resolves when the cluster is ready. */
  create(name: string): Promise<Made>;
  read(made: Made): Promise<unknown>;
  /** Resolves when the cluster is gone. */
  remove(made: Made): Promise<void>;
}

export type Who = "ours" | "naive";

/** Makes a contender as a new process would: without any memory of earlier operations. */
export const openers: Record<Who, (address: Address, clock: Clock) => Contender> = {
  ours: openOurs,
  naive: openNaive,
};

/** The inputs of every cluster: one replica, so that all clusters take the same time. */
export const spec = { gpuType: "h100", container: "acme/model:1", replicas: 1 };

/** Interval of progress messages, as by default. */
const heartbeatMs = 15_000;

/** This provider without the engine: the core as adapters use it. */
function openOurs({ url, apiKey }: Address, clock: Clock): Contender {
  const timing = { clock, random: Math.random };
  const options = {
    baseUrl: url,
    apiKey: new Secret(apiKey),
    userAgent: "bench/1",
    rateLimiter: new RateLimiter(timing),
    sources,
  };
  const client = new Client(new Transport({ ...options, ...timing }), options);
  const service = createDependencies(client, "bench", clock, heartbeatMs, url);
  const cluster = createClusterResource(
    () => service,
    () => ({ previewChecks: "default" }),
  );
  return {
    create: (name) => cluster.create(contextOf(name), { ...spec, desiredStatus: "running", name }),
    read: ({ id, state }) => cluster.read(contextOf(id), id, state),
    remove: ({ id, state }) => cluster.delete(contextOf(id), id, state),
  };
}

function contextOf(name: string): CallContext {
  const urn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/gpucluster:Cluster::${name}`;
  return { urn, signal: new AbortController().signal, log: () => undefined, status: () => undefined };
}

/** Typical first values: five retries, as in HTTP libraries; a poll every five seconds. */
const naiveHabits = { retries: 5, firstBackoffMs: 1_000, pollMs: 5_000 };

/**
 * A dynamic provider as a careful user writes it: each resource works alone. It retries with exponential backoff, waits as long
 * as `Retry-After` says, and polls its own cluster until every replica is healthy.
 */
function openNaive(address: Address, clock: Clock): Contender {
  const send = naiveSender(address, clock);
  return {
    async create(name) {
      const { gpuType, ...others } = spec;
      const { id } = await send("POST", "/v1/clusters", { name, gpu_type: gpuType, ...others });
      for (;;) {
        await clock.sleep(naiveHabits.pollMs);
        const { replicas } = await send("GET", `/v1/clusters/${id}/status`);
        const isReady = Array.isArray(replicas) && replicas.length === spec.replicas;
        if (isReady && replicas.every(({ healthy }) => healthy)) return { id: String(id), state: {} };
      }
    },
    read: async ({ id }) => [await send("GET", `/v1/clusters/${id}`), await send("GET", `/v1/clusters/${id}/status`)],
    async remove({ id }) {
      await send("DELETE", `/v1/clusters/${id}`);
      while (!(await send("GET", `/v1/clusters/${id}`))["isGone"]) await clock.sleep(naiveHabits.pollMs);
    },
  };
}

function naiveSender({ url, apiKey }: Address, clock: Clock) {
  // Few connections: hundreds of new ones would take so long on a fast clock that they would distort the result.
  const dispatcher = new Agent({ connections: 10 });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return async (method: Dispatcher.HttpMethod, path: string, body?: object): Promise<Record<string, unknown>> => {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await request(url + path, { dispatcher, method, headers, body: body && JSON.stringify(body) });
      const { statusCode: status } = answer;
      const text = await answer.body.text();
      if (status === 404) return { isGone: true };
      if (status < 400) return text ? JSON.parse(text) : {};
      const isRetried = (status === 429 || status >= 500) && attempt < naiveHabits.retries;
      if (!isRetried) throw new Error(`${method} ${path}: HTTP ${status}`);
      const requestedMs = Number(answer.headers["retry-after"] ?? 0) * 1_000;
      await clock.sleep(Math.max(requestedMs, naiveHabits.firstBackoffMs * 2 ** attempt * (0.5 + Math.random())));
    }
  };
}
