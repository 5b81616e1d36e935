import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { stateOf, statusOfWord } from "../../api/decode/states";
import { ApiError, RequestError } from "../../base/errors";
import type { Condition } from "../health/conditions";
import type { Found, Observation } from "../health/health";
import { type ListOptions, memberOf } from "../service/list";
import { findCluster, findStatus, type LookupSources, noReplicas } from "../service/lookup";
import type { Operation } from "../service/operation";

export interface WaitOptions {
  /** The operation that waits, with its cluster and deadline. It gets every observation, and progress. */
  readonly operation: Operation;
  /** The condition of an observation, after that of the poll before. */
  readonly judge: (found: Found, previous?: Condition) => Condition;
  /** For a deletion: one poll that does not find the cluster is the end, and `/status` is not read. */
  readonly untilGone?: boolean;
}

/** Polls that start within this time use the same list. */
const sameTickMs = 500;

type Priority = Pick<ListOptions, "urgency">;
/** A poll while the cluster is pending comes again: every other request goes first. */
const poll: Priority = { urgency: "poll" };

/**
 * Reads what one poll of a wait needs: one request while the cluster is pending. Anything but a pending cluster is decided
 * by its record and its `/status` together.
 */
export class Observer {
  #first: Promise<unknown> | undefined;

  constructor(private readonly sources: LookupSources) {}

  /** The record and `/status` in turn, so that users see the replicas come up. */
  async byId(options: WaitOptions, before: Observation, polls: number): Promise<Observation> {
    const { operation, judge, untilGone } = options;
    if (untilGone) return { record: await this.#read(operation) };
    if (before.record && polls % 2 === 1) {
      const status = await this.#statusOf(operation, poll);
      // The word of the poll before does not count beside the new one.
      const isPending =
        status && judge({ record: { ...before.record, status: undefined }, status }).status === "pending";
      if (isPending) return { record: before.record, status };
      return { record: await this.#read(operation), status: status ?? noReplicas(this.sources.client) };
    }
    const record = await this.#read(operation);
    if (!record) return {};
    if (judge({ record }).status !== "pending") return this.#complete(options, record);
    return { record, status: before.status ?? (await this.#statusOf(operation, poll)) };
  }

  /**
   * The shared list, which may lag. So the cluster's own record confirms a failure, and an end without `/status` of a cluster
   * that is not new.
   */
  async byList(options: WaitOptions): Promise<Observation> {
    const { operation, judge } = options;
    const listed = await this.#readListed(options);
    if (!listed) return {};
    const observation = await this.#complete(options, listed);
    const { status } = judge({ ...observation, record: listed });
    const isConfirmed = status === "ready" && (observation.status !== undefined || operation.isCreation);
    if (status === "pending" || isConfirmed) return observation;
    const record = await this.#read(operation, {});
    return record ? this.#complete(options, record) : {};
  }

  /** The record, with `/status` unless the record alone decides. */
  async #complete({ operation, judge }: WaitOptions, record: ClusterRecord): Promise<Observation> {
    if (judge({ record }).status !== "unknown") return { record };
    const isFailed = stateOf(record.status) === "failed";
    const status = await (isFailed ? this.#reasonsOf(operation, record) : this.#statusOf(operation, {}));
    return { record, status: status ?? noReplicas(this.sources.client) };
  }

  /** `/status` of a cluster that has failed only says why: if it cannot be read, the word of the record decides. */
  #reasonsOf(operation: Operation, record: ClusterRecord): Promise<StatusRecord | undefined> {
    return findStatus(this.sources.client, operation).catch((error: unknown) => {
      if (error instanceof RequestError) return statusOfWord(record.status);
      throw error;
    });
  }

  /** The first request shows whether the service has `/status` at all; until then, the others wait for it. */
  async #statusOf(operation: Operation, priority: Priority): Promise<StatusRecord | undefined> {
    const { client } = this.sources;
    if (this.#first !== undefined && client.variant.has("status") === undefined) await this.#first;
    // The next poll is the retry.
    const status = findStatus(client, operation, { ...priority, attempts: 1 });
    this.#first ??= status.catch(() => undefined);
    return status;
  }

  #read(operation: Operation, priority: Priority = poll): Promise<ClusterRecord | undefined> {
    const options = { ...operation.lookup(), ...priority, attempts: 1, listAgeMs: sameTickMs };
    return findCluster(this.sources, operation.id, options);
  }

  async #readListed({ operation, untilGone }: WaitOptions): Promise<ClusterRecord | undefined> {
    try {
      const list = await this.sources.lists.recent(sameTickMs, { ...operation.lookup(), ...poll, attempts: 1 });
      const listed = memberOf(list, operation.id);
      if (listed || (untilGone && list.complete)) return listed;
    } catch (error) {
      // A key may be allowed to read its clusters but not to list them.
      if (!(error instanceof ApiError && error.status === 403)) throw error;
    }
    return this.#read(operation);
  }
}
