import { askAddress } from "../api/address";
import type { Client } from "../api/client";
import { clientFor, fingerprint } from "../api/clients";
import { type Clock, systemClock } from "../clock";
import { type Connection, heartbeatMs } from "../config";
import { Capacity } from "./capacity";
import type { CreatingService } from "./create";
import { Creations } from "./createOnce";
import { Forms } from "./details";
import { ListCache, Refreshes } from "./listCache";
import { OwnedIds } from "./ownedIds";
import { Poller } from "./poller";

const services = new WeakMap<Client, CreatingService>();

/** The shared parts of a connection, made once in this process. */
export function serviceFor(connection: Connection): CreatingService {
  const client = clientFor(connection, systemClock);
  const service =
    services.get(client) ??
    createService(client, fingerprint(connection), systemClock, heartbeatMs(), connection.baseUrl);
  services.set(client, service);
  return service;
}

export function createService(
  client: Client,
  seenBy: string,
  clock: Clock,
  heartbeat: number,
  address = "",
): CreatingService {
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
