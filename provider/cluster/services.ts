import type { Client } from "../api/client";
import { clientFor, fingerprint } from "../api/clients";
import { askAddress } from "../api/http/address";
import { type Clock, systemClock } from "../base/clock";
import { type Connection, heartbeatMs } from "../config/settings";
import { Capacity } from "./operations/capacity";
import type { CreatingService } from "./operations/create";
import { Creations } from "./operations/createOnce";
import { Forms } from "./shared/forms";
import { ListCache, Refreshes } from "./shared/listCache";
import { OwnedIds } from "./shared/ownedIds";
import { Poller } from "./wait/poller";

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
