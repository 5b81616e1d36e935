import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../clock";
import { type LogTarget, requestLog } from "../requestLog";
import type { Secret } from "../text";
import { noTracer, type Tracer } from "../trace";
import { version } from "../version";
import type { Budget } from "./budget";
import { type Client, createClient } from "./client";
import { defaultMaxQueueMs } from "./http";
import { createBudget } from "./rateLimiter";
import type { RequestNames } from "./requestNames";
import { ServiceForm } from "./serviceForm";
import { addSources, createTransport, type KnownSources, noSources, type Sources } from "./transport";

/** A call of a data function, all pages of a list together: as long as Pulumi's operations that read. */
const longestCallMs = 20 * 60_000;

const clients = new Map<string, { readonly client: Client; readonly sources: KnownSources }>();
/** By the fingerprint of service and key: the rate limit applies to a key, whichever names its requests use. */
const budgets = new Map<string, Budget>();

/** The client of a service and key: all its users in this process share the connections and the rate budget. */
export function clientFor(connection: Connected, clock: Clock = systemClock, tracer = noTracer): Client {
  const key = fingerprint(connection);
  const name = `${key} ${connection.requestNames ?? ""}`;
  const known = clients.get(name) ?? connect(connection, key, clock, tracer);
  clients.set(name, known);
  addSources(known.sources, connection.sources);
  return known.client;
}

/** The address and the key of a service with their settings, and the field names of its requests if a setting forces them. */
interface Connected {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly requestNames?: RequestNames;
  readonly sources?: Sources;
  readonly log?: LogTarget;
}

function connect(connection: Connected, key: string, clock: Clock, tracer: Tracer) {
  const timing = { clock, random: Math.random };
  const budget = budgets.get(key) ?? createBudget(timing);
  budgets.set(key, budget);
  const userAgent = `pulumi-gpucluster/${version}`;
  const { baseUrl, apiKey, requestNames } = connection;
  const sources = noSources();
  const log = connection.log && requestLog(connection.log);
  const transport = createTransport({ baseUrl, apiKey, ...timing, userAgent, budget, sources, tracer, log });
  const limit = () => ({ deadlineMs: clock.now() + longestCallMs, maxQueueMs: defaultMaxQueueMs });
  return { client: createClient(transport, budget, new ServiceForm(requestNames), limit), sources };
}

/** Identifies a connection without revealing the key. */
export function fingerprint({ baseUrl, apiKey }: { baseUrl: string; apiKey: Secret }): string {
  return createHash("sha256").update(`${baseUrl}\n${apiKey.reveal()}`).digest("hex");
}
