import type { Client } from "../../api/client";
import type { AddressAnswer, AddressRequest } from "../../api/http/address";
import type { Clock } from "../../base/clock";
import type { Poller } from "../wait/poller";
import type { Forms } from "./forms";
import type { ListCache, Refreshes } from "./listCache";
import type { OwnedIds } from "./ownedIds";

/** The parts that all operations on one service with one key share in this process. */
export interface Service {
  readonly client: Client;
  readonly lists: ListCache;
  readonly poller: Poller;
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
