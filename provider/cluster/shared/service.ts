import type { Client } from "../../api/client";
import type { AddressAnswer, AddressRequest } from "../../api/http/address";
import type { Clock } from "../../base/clock";
import type { TimeoutError } from "../../base/errors";
import type { Found, Observation, Verdict } from "../compare/health";
import type { Forms } from "./forms";
import type { ListCache, Refreshes } from "./listCache";
import type { Operation } from "./operation";
import type { OwnedIds } from "./ownedIds";

/** The parts that all operations on one service with one key share in this process. `resource.ts` builds them. */
export interface Service {
  readonly client: Client;
  readonly lists: ListCache;
  readonly poller: Polls;
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

/** The waits of all operations, which share their polls; see `Poller`. */
export interface Polls {
  poll(options: PollOptions): Promise<FinalVerdict>;
  /** The report of another wait on a cluster, such as for its endpoint. */
  report(operation: Operation): Report;
}

export interface PollOptions {
  /**
   * The operation that waits, with its cluster and deadline. It gets every observation, and progress when the
   * observation changes.
   */
  readonly operation: Operation;
  readonly judge: (found: Found) => Verdict;
  /** True for a wait until the cluster is gone: one poll that does not find it is the end. */
  readonly isDeleted?: boolean;
}

export type End =
  | Extract<Verdict, { kind: "ready" | "failed" }>
  | { readonly kind: "gone" }
  /** Nobody knows what the service shows, and it does not change. */
  | { readonly kind: "unclear"; readonly unknown: string };
/** The end of a wait, and the observed states on the way, one line each. */
export type FinalVerdict = End & { readonly story: readonly string[] };

/** What a wait says of its observations. */
export interface Report {
  observed(summary: string, observation: Observation): void;
  /** The error at the time limit, with what was wanted. */
  timeout(...wanted: string[]): TimeoutError;
}
