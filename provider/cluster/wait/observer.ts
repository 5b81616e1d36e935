import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { stateOf, statusOfWord } from "../../api/decode/states";
import { ApiError, RequestError } from "../../base/errors";
import type { Condition, Found, Observation } from "../health/health";
import { type ListOptions, memberOf } from "../service/list";
import { findCluster, findStatus, isTombstone, type LookupSources, noReplicas } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { WaitReport } from "./report";

export interface WaitOptions {
  readonly operation: Operation;
  readonly judge: (found: Found, previous?: Condition) => Condition;
  /** For a deletion: the first poll that does not find the cluster ends the wait, and `/status` is not read. */
  readonly untilGone?: boolean;
  /** For a wait that goes on after the last poll. */
  readonly report?: WaitReport;
}

/** Polls that start within this time use the same list. */
const sameTickMs = 500;

type PollOptions = Pick<ListOptions, "priority">;
/** Other requests take precedence over a poll of a pending cluster, because the poll is repeated anyway. */
const poll: PollOptions = { priority: "poll" };

/** Makes the reads of one poll: one request while the cluster is pending; else its record and its `/status` decide together. */
export class Observer {
  #firstStatus: Promise<unknown> | undefined;

  constructor(private readonly sources: LookupSources) {}

  /** The record and `/status` in turn, so that users see the replicas come up. */
  async byId(options: WaitOptions, before: Observation, polls: number): Promise<Observation> {
    const { operation, judge, untilGone } = options;
    if (untilGone) {
      const record = await this.#read(operation);
      const request = { ...operation.lookup(), ...poll, listAgeMs: sameTickMs };
      return record && (await isTombstone(this.sources, record, request)) ? {} : { record };
    }
    if (before.record && polls % 2 === 1) {
      const status = await this.#statusOf(operation, poll);
      // The previous poll's status word is older than this `/status`.
      const withoutWord = { ...before.record, status: undefined };
      if (status && judge({ record: withoutWord, status }).status === "pending")
        return { record: before.record, status };
      return { record: await this.#read(operation), status: status ?? noReplicas(this.sources.client) };
    }
    const record = await this.#read(operation);
    if (!record) return {};
    if (judge({ record }).status !== "pending") return this.#complete(options, record);
    return { record, status: before.status ?? (await this.#statusOf(operation, poll)) };
  }

  /** Reads the shared list. It may lag, so a read by id confirms a failure, and success without `/status` of an older cluster. */
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

  /** Adds `/status` to an observation of the list at the end of a wait: the error names what is wrong with the replicas. */
  async addReasons(operation: Operation): Promise<void> {
    const { record, status: known } = operation.observed;
    if (!record || known) return;
    try {
      const status = await findStatus(this.sources.client, operation, { attempts: 1 });
      if (status) operation.observe({ record, status });
    } catch (error) {
      // The error names the word of the record then.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  async #complete({ operation, judge }: WaitOptions, record: ClusterRecord): Promise<Observation> {
    if (judge({ record }).status !== "unknown") return { record };
    const isFailed = stateOf(record.status) === "failed";
    const status = await (isFailed ? this.#reasonsOf(operation, record) : this.#statusOf(operation, {}));
    return { record, status: status ?? noReplicas(this.sources.client) };
  }

  /** `/status` of a failed cluster only adds the reasons: if it cannot be read, the record's status word decides. */
  #reasonsOf(operation: Operation, record: ClusterRecord): Promise<StatusRecord | undefined> {
    return findStatus(this.sources.client, operation).catch((error: unknown) => {
      if (error instanceof RequestError) return statusOfWord(record.status);
      throw error;
    });
  }

  /** The other requests wait until the first one shows whether the service has `/status` at all. */
  async #statusOf(operation: Operation, priority: PollOptions): Promise<StatusRecord | undefined> {
    const { client } = this.sources;
    if (this.#firstStatus !== undefined && client.variant.has("status") === undefined) await this.#firstStatus;
    // The next poll is the retry.
    const status = findStatus(client, operation, { ...priority, attempts: 1 });
    this.#firstStatus ??= status.catch(() => undefined);
    return status;
  }

  #read(operation: Operation, priority: PollOptions = poll): Promise<ClusterRecord | undefined> {
    const options = { ...operation.lookup(), ...priority, attempts: 1, listAgeMs: sameTickMs };
    return findCluster(this.sources, operation.id, options);
  }

  async #readListed({ operation, untilGone }: WaitOptions): Promise<ClusterRecord | undefined> {
    try {
      const { lists } = this.sources;
      const request = { ...operation.lookup(), ...poll, attempts: 1 };
      const list = await (untilGone ? lists.whole(sameTickMs, request) : lists.recent(sameTickMs, request));
      const listed = memberOf(list, operation.id);
      if (listed || (untilGone && list.complete)) return listed;
    } catch (error) {
      // A key may be allowed to read its clusters but not to list them.
      if (!(error instanceof ApiError && error.status === 403)) throw error;
    }
    return this.#read(operation);
  }
}
