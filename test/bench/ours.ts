import { createClient } from "../../provider/api/client";
import { createBudget } from "../../provider/api/rateBudget";
import { createTransport } from "../../provider/api/transport";
import { createClusterResource } from "../../provider/cluster/resource";
import { createService } from "../../provider/cluster/service";
import type { Ctx } from "../../provider/core";
import { Secret } from "../../provider/secret";
import { type Open, spec } from "./contender";

/** This provider without the engine: the core as doors get it, on a clock of ours. */
export const openOurs: Open = ({ url, apiKey }, clock) => {
  const pace = { clock, random: Math.random };
  const options = { baseUrl: url, apiKey: new Secret(apiKey), userAgent: "bench/1", budget: createBudget(pace) };
  const client = createClient(createTransport({ ...options, ...pace }), options.budget);
  const service = createService(client, "bench", clock, heartbeatMs, url);
  const cluster = createClusterResource(
    () => service,
    () => ({ strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error" }),
  );
  return {
    create: ({ name, healthCheck }) => cluster.create(contextOf(name), { ...defaults, ...spec, name, healthCheck }),
    read: ({ id, state }) => cluster.read(contextOf(id), id, state),
    remove: ({ id, state }) => cluster.delete(contextOf(id), id, state),
  };
};

/** Of progress messages, as by default. */
const heartbeatMs = 15_000;
/** What a check adds to inputs. */
const defaults = { desiredStatus: "running", deletionPolicy: "delete" };

function contextOf(name: string): Ctx {
  const urn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/gpucluster:Cluster::${name}`;
  return { urn, signal: new AbortController().signal, log: () => undefined, status: () => undefined };
}
