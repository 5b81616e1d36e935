import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../base/clock";
import { Redactor } from "../base/redact";
import { type LogTarget, requestLog } from "../base/requestLog";
import type { Secret } from "../base/text";
import { version } from "../base/version";
import { type Client, createClient } from "./client";
import type { Budget } from "./http/budget";
import { createBudget } from "./http/rateLimiter";
import { defaultMaxQueueMs } from "./http/send";
import { createTransport, type Sources } from "./http/transport";
import type { RequestNames } from "./requests";
import { ServiceForm } from "./serviceForm";

/** A call of a data function, all pages of a list together: as long as Pulumi's operations that read. */
const longestCallMs = 20 * 60_000;

const clients = new Map<string, Client>();
/** By the fingerprint of service and key, whichever names the requests use. */
const shared = new Map<string, Shared>();

/** The rate limit applies to a key, and the service may quote the secrets of any cluster of that key. */
interface Shared {
  readonly budget: Budget;
  readonly redactor: Redactor;
}

/** The client of a service and key: all its users in this process share the connections and the rate budget. */
export function clientFor(connection: Connected, clock: Clock = systemClock): Client {
  const key = fingerprint(connection);
  const name = `${key} ${connection.requestNames ?? ""}`;
  const known = clients.get(name) ?? connect(connection, key, clock);
  clients.set(name, known);
  return known;
}

/** The address and the key of a service, and the field names of its requests if a setting forces them. */
interface Connected {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly requestNames?: RequestNames;
  readonly log?: LogTarget;
  readonly sources?: Sources;
}

function connect(connection: Connected, key: string, clock: Clock) {
  const timing = { clock, random: Math.random };
  const { budget, redactor } = shared.get(key) ?? { budget: createBudget(timing), redactor: new Redactor() };
  shared.set(key, { budget, redactor });
  const userAgent = `pulumi-gpucluster/${version}`;
  const { baseUrl, apiKey, requestNames, sources } = connection;
  const log = connection.log && requestLog(connection.log);
  const transport = createTransport({ baseUrl, apiKey, ...timing, userAgent, budget, sources, log });
  const limit = () => ({ deadlineMs: clock.now() + longestCallMs, maxQueueMs: defaultMaxQueueMs });
  return createClient(transport, budget, new ServiceForm(requestNames), limit, redactor);
}

/** Identifies a connection without revealing the key. */
export function fingerprint({ baseUrl, apiKey }: { baseUrl: string; apiKey: Secret }): string {
  return createHash("sha256").update(`${baseUrl}\n${apiKey.reveal()}`).digest("hex");
}
