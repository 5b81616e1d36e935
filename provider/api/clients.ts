import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../clock";
import type { Secret } from "../secret";
import { version } from "../version";
import { type Client, createClient } from "./client";
import { createTransport } from "./transport";

const clients = new Map<string, Client>();

/** The client of a service and key: one in the process, so that everything shares one rate budget and its connections. */
export function clientFor(connection: { baseUrl: string; apiKey: Secret }, clock: Clock = systemClock): Client {
  const key = fingerprint(connection);
  const client =
    clients.get(key) ??
    createClient(
      createTransport({ ...connection, clock, random: Math.random, userAgent: `pulumi-gpucluster/${version}` }),
    );
  clients.set(key, client);
  return client;
}

/** Tells connections apart without telling the key. */
export function fingerprint({ baseUrl, apiKey }: { baseUrl: string; apiKey: Secret }): string {
  return createHash("sha256").update(`${baseUrl}\n${apiKey.reveal()}`).digest("hex");
}
