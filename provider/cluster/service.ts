import { type AddressAnswer, type AddressRequest, askAddress } from "../api/address";
import type { Client } from "../api/client";
import { clientFor, fingerprint } from "../api/clients";
import { type Clock, systemClock } from "../clock";
import { type Connection, heartbeatMs } from "../config";
import { Capacity } from "./capacity";
import { Creations } from "./createOnce";
import { Forms } from "./details";
import { ListCache, Refreshes } from "./listCache";
import { OwnedIds } from "./ownedIds";
import { Poller } from "./poller";

/** The parts that all operations on one service with one key share in this process. */
export interface Service {
  readonly client: Client;
  readonly lists: ListCache;
  readonly poller: Poller;
  readonly creations: Creations;
  readonly capacity: Capacity;
  readonly owned: OwnedIds;
  readonly refreshes: Refreshes;
  readonly forms: Forms;
  readonly clock: Clock;
  /** Sends one probe to the endpoint of a cluster, without the key. */
  readonly ask: (request: AddressRequest) => Promise<AddressAnswer>;
  /** Identifies the service and the key that saw a cluster: 8 hex digits of a hash, which reveal neither of them. */
  readonly seenBy: string;
  /** The base URL, for messages; empty if it is not known. */
  readonly address: string;
}

const services = new WeakMap<Client, Service>();

/** The shared parts of a connection, made once in this process. */
export function serviceFor(connection: Connection): Service {
  const client = clientFor(connection, systemClock);
  const service =
    services.get(client) ??
    createService(client, fingerprint(connection), systemClock, heartbeatMs(), connection.baseUrl);
  services.set(client, service);
  return service;
}

export function createService(client: Client, seenBy: string, clock: Clock, heartbeat: number, address = ""): Service {
  const lists = new ListCache(client, clock);
  const owned = new OwnedIds();
  const poller = new Poller(client, lists, clock, heartbeat);
  return {
    client,
    lists,
    poller,
    capacity: new Capacity(client),
    creations: new Creations(client, lists, owned, clock),
    owned,
    refreshes: new Refreshes(lists),
    forms: new Forms(),
    clock,
    ask: askAddress,
    seenBy: seenBy.slice(0, 8),
    address,
  };
}
