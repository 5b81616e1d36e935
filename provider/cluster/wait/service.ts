import type { Client } from "../../api/client";
import type { AddressAnswer, AddressRequest } from "../../api/http/address";
import type { Clock } from "../../base/clock";
import type { LearnedByKind } from "../service/learned";
import type { ListCache } from "../service/list";
import type { Registry } from "../service/registry";
import type { Poller } from "./poller";

/** What all operations on one service with one key share in this process. `resource.ts` builds it. */
export interface Service {
  readonly client: Client;
  readonly lists: ListCache;
  readonly poller: Poller;
  readonly registry: Registry;
  readonly refreshed: Set<string>;
  readonly learned: LearnedByKind;
  readonly clock: Clock;
  readonly random: () => number;
  /** Sends one probe to the endpoint of a cluster, without the key. */
  readonly ask: (request: AddressRequest) => Promise<AddressAnswer>;
  /** Identifies the service and the key that saw a cluster, by 8 hex digits of a hash, which reveal neither. */
  readonly seenBy: string;
  /** The base URL, for messages; empty if it is not known. */
  readonly address: string;
}
