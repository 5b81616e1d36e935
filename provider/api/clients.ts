import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../clock";
import type { Secret } from "../secret";
import { version } from "../version";
import { type Client, createClient } from "./client";
import { createBudget } from "./rateBudget";
import { sharedBudget } from "./rateShare";
import { createTransport } from "./transport";

const clients = new Map<string, Client>();

/**
 * The client of a service and key: one in this copy of the package, so that everything shares its connections. Its rate
 * budget is shared with all copies in the process.
 */
export function clientFor(connection: { baseUrl: string; apiKey: Secret }, clock: Clock = systemClock): Client {
  const key = fingerprint(connection);
  const client = clients.get(key) ?? connect(connection, key, clock);
  clients.set(key, client);
  return client;
}

function connect(connection: { baseUrl: string; apiKey: Secret }, key: string, clock: Clock): Client {
  const pace = { clock, random: Math.random };
  const budget = sharedBudget(key, () => createBudget(pace));
  const userAgent = `pulumi-gpucluster/${version}`;
  return createClient(createTransport({ ...connection, ...pace, userAgent, budget }), budget);
}

/** Tells connections apart without telling the key. */
export function fingerprint({ baseUrl, apiKey }: { baseUrl: string; apiKey: Secret }): string {
  return createHash("sha256").update(`${baseUrl}\n${apiKey.reveal()}`).digest("hex");
}
