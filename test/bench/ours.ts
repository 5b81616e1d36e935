import { createClient } from "../../provider/api/client";
import { createBudget } from "../../provider/api/http/rateLimiter";
import { createTransport } from "../../provider/api/http/transport";
import { Secret } from "../../provider/base/text";
import { createClusterResource, createService } from "../../provider/cluster/resource";
import type { Ctx } from "../../provider/contract";
import { type Open, spec } from "./contender";

/** This provider without the engine: the core as adapters use it, on the given clock. */
export const openOurs: Open = ({ url, apiKey }, clock) => {
  const timing = { clock, random: Math.random };
  const options = { baseUrl: url, apiKey: new Secret(apiKey), userAgent: "bench/1", budget: createBudget(timing) };
  const client = createClient(createTransport({ ...options, ...timing }), options.budget);
  const service = createService(client, "bench", clock, heartbeatMs, url);
  const cluster = createClusterResource(
    () => service,
    () => ({ strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error" }),
  );
  return {
    create: ({ name }) => cluster.create(contextOf(name), { ...defaults, ...spec, name }),
    read: ({ id, state }) => cluster.read(contextOf(id), id, state),
    remove: ({ id, state }) => cluster.delete(contextOf(id), id, state),
  };
};

/** Interval of progress messages, as by default. */
const heartbeatMs = 15_000;
/** The defaults that a check adds to inputs. */
const defaults = { desiredStatus: "running" };

function contextOf(name: string): Ctx {
  const urn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/gpucluster:Cluster::${name}`;
  return { urn, signal: new AbortController().signal, log: () => undefined, status: () => undefined };
}
