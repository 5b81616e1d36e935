import { type AddressAnswer, type AddressRequest, askAddress } from "../api/address";
import type { Client } from "../api/client";
import { clientFor, fingerprint } from "../api/clients";
import { type Clock, systemClock } from "../clock";
import { type Connection, heartbeatMs } from "../config";
import { noTracer, type Tracer } from "../trace";
import { Capacity } from "./capacity";
import { Creations } from "./createOnce";
import { Details } from "./details";
import { ListCache, Refreshes } from "./listCache";
import { OwnedIds } from "./ownedIds";
import { Poller } from "./poller";
import { Inquiry, Lookups } from "./preview/facts";
import { KnownSecrets } from "./state";
import { Totals } from "./totals";

/** The parts that all operations on one service with one key share in this process. */
export interface Service {
  readonly client: Client;
  readonly lists: ListCache;
  readonly poller: Poller;
  readonly creations: Creations;
  readonly capacity: Capacity;
  readonly owned: OwnedIds;
  readonly refreshes: Refreshes;
  readonly details: Details;
  readonly known: KnownSecrets;
  readonly clock: Clock;
  readonly tracer: Tracer;
  /** Sends one probe to the endpoint of a cluster, without the key. */
  readonly ask: (request: AddressRequest) => Promise<AddressAnswer>;
  /** Identifies the service and the key that saw a cluster: 8 hex digits of a hash, which reveal neither of them. */
  readonly seenBy: string;
  /** The base URL, for messages; empty if it is not known. */
  readonly address: string;
}

/** One for all services: a stack has one row. */
const totals = new Totals(systemClock);
const services = new WeakMap<Client, Service>();

/** The shared parts of a connection, made once in this process. */
export function serviceFor(connection: Connection, tracer = noTracer): Service {
  const client = clientFor(connection, systemClock, tracer);
  const service =
    services.get(client) ??
    createService(client, fingerprint(connection), systemClock, heartbeatMs(), connection.baseUrl, totals, tracer);
  services.set(client, service);
  return service;
}

export function createService(
  client: Client,
  seenBy: string,
  clock: Clock,
  heartbeat: number,
  address = "",
  totals = new Totals(clock),
  tracer = noTracer,
): Service {
  const lists = new ListCache(client, clock);
  const owned = new OwnedIds();
  const poller = new Poller(client, lists, clock, heartbeat, totals);
  const service: Service = {
    client,
    lists,
    poller,
    capacity: new Capacity(
      clock,
      (limits) => new Inquiry(new Lookups(limits), service),
      (operation) => poller.report(operation),
      tracer,
    ),
    creations: new Creations(client, lists, owned, clock),
    owned,
    refreshes: new Refreshes(lists),
    details: new Details(),
    known: new KnownSecrets(),
    clock,
    tracer,
    ask: askAddress,
    seenBy: seenBy.slice(0, 8),
    address,
  };
  return service;
}
