import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../clock";
import { isRecord } from "../core";
import type { Secret } from "../secret";
import { version } from "../version";
import { type Client, createClient } from "./client";
import { defaultPatienceMs } from "./http";
import { createBudget } from "./rateLimiter";
import type { Budget } from "./ratePriority";
import type { RequestNames } from "./requestNames";
import { ServiceForm } from "./serviceForm";
import { addSources, type KnownSources, noSources, type Sources } from "./settingAdvice";
import { createTransport } from "./transport";

/** A call of a data function, all pages of a list together: as long as Pulumi's operations that read. */
const longestCallMs = 20 * 60_000;

const clients = new Map<string, { readonly client: Client; readonly sources: KnownSources }>();

/**
 * The client of a service and key. Each copy of the package has one, so that all its users share the connections. All
 * copies in the process share one rate budget for each service and key.
 */
export function clientFor(connection: Connected, clock: Clock = systemClock): Client {
  const key = fingerprint(connection);
  const name = `${key} ${connection.requestNames ?? ""}`;
  const known = clients.get(name) ?? connect(connection, key, clock);
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
}

function connect(connection: Connected, key: string, clock: Clock) {
  const timing = { clock, random: Math.random };
  const budget = sharedBudget(key, () => createBudget(timing));
  const userAgent = `pulumi-gpucluster/${version}`;
  const { baseUrl, apiKey, requestNames } = connection;
  const sources = noSources();
  const transport = createTransport({ baseUrl, apiKey, ...timing, userAgent, budget, sources });
  const limit = () => ({ deadlineMs: clock.now() + longestCallMs, patienceMs: defaultPatienceMs });
  return { client: createClient(transport, budget, new ServiceForm(requestNames), limit), sources };
}

/** Identifies a connection without revealing the key. */
export function fingerprint({ baseUrl, apiKey }: { baseUrl: string; apiKey: Secret }): string {
  return createHash("sha256").update(`${baseUrl}\n${apiKey.reveal()}`).digest("hex");
}

/**
 * The key under which all copies of the package in this process find the budgets: the limit applies to an API key, not
 * to a copy. Each fingerprint maps to a `Budget` and to nothing else.
 */
const registryKey = Symbol.for("pulumi-gpucluster.budgets.v1");

/** The budget of a service and key in this process; created once. */
export function sharedBudget(fingerprint: string, make: () => Budget): Budget {
  const budgets = registry();
  const found = budgets.get(fingerprint);
  if (isBudget(found)) return found;
  const budget = make();
  budgets.set(fingerprint, budget);
  return budget;
}

function registry(): Map<unknown, unknown> {
  const found: unknown = Reflect.get(globalThis, registryKey);
  if (found instanceof Map) return found;
  const budgets = new Map<unknown, unknown>();
  Reflect.defineProperty(globalThis, registryKey, { value: budgets, configurable: true });
  return budgets;
}

/** Any other value there does not belong to this package. */
function isBudget(value: unknown): value is Budget {
  return isRecord(value) && typeof value["enter"] === "function" && typeof value["view"] === "function";
}
