import type { CallOptions, Client } from "../../api/client";
import { type ClusterList, type ClusterRecord, clusterIdPattern } from "../../api/records";
import { stateOf } from "../../api/states";
import { abortable, type Clock, until } from "../../base/clock";
import { ApiError, ConnectionError, RequestError } from "../../base/errors";
import { isStopped } from "../compare/health";
import { type TextName, textNames } from "../model/fields";
import type { ClusterState } from "../model/stateFields";

/** The options of a request for the list; see `HttpRequest`. */
export interface ListOptions {
  readonly deadlineMs?: number;
  readonly maxQueueMs?: number;
  readonly attempts?: number;
  readonly attemptTimeoutMs?: number;
  readonly urgency?: CallOptions["urgency"];
  readonly subject?: string;
  readonly signal?: AbortSignal;
  /** The maximum age of a list that confirms an absence; 0 sends a new request. */
  readonly listAgeMs?: number;
}

type Limits = Pick<ListOptions, "attempts" | "maxQueueMs">;

/** One request for the list, shared by several callers. */
interface ListRequest {
  readonly startedAtMs: number;
  readonly deadlineMs: number;
  readonly limits: Limits;
  readonly list: Promise<ClusterList>;
  /** The latest deadline of its callers. */
  latestMs: number;
}

/** A cache of the list of clusters, with single flight: callers that accept a recent list share its request. */
export class ListCache {
  #latest: ListRequest | undefined;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /**
   * A list whose request started less than `maxAgeMs` ago; 0 sends a new request. Failures are not cached. Each caller
   * waits until its own deadline. If the request ends at an earlier deadline, the caller retries with the latest
   * deadline of all callers. If it fails after fewer attempts than the caller allows, the caller sends another one.
   */
  async recent(maxAgeMs: number, { signal, subject, ...options }: ListOptions = {}): Promise<ClusterList> {
    const { deadlineMs = Number.POSITIVE_INFINITY } = options;
    let hasFailed = false;
    for (let latestMs = deadlineMs; ; ) {
      const nowMs = this.clock.now();
      const ageMs = nowMs - (this.#latest?.startedAtMs ?? Number.NaN);
      // After the clock is set back, the age is unknown.
      const isFresh = ageMs >= 0 && ageMs < maxAgeMs;
      const isShort = hasFailed && this.#latest !== undefined && isStricter(this.#latest.limits, options);
      const request = (isFresh && !isShort && this.#latest) || this.#fetch(nowMs, { ...options, ...limitOf(latestMs) });
      request.latestMs = Math.max(request.latestMs, deadlineMs);
      try {
        return await this.#wait(request, { signal, subject, deadlineMs });
      } catch (error) {
        if (!(error instanceof RequestError) || this.clock.now() >= deadlineMs) throw error;
        const isTooEarly = isStricter(request.limits, options) && isTransient(error);
        if (!isTooEarly && (!error.hitDeadline || request.deadlineMs >= deadlineMs)) throw error;
        hasFailed = true;
        latestMs = request.latestMs;
      }
    }
  }

  /** All callers share the request: an aborted caller does not abort it. */
  #wait({ list }: ListRequest, { signal, subject, deadlineMs }: ListOptions & { readonly deadlineMs: number }) {
    const own = signal ? abortable(list, signal) : list;
    const limit = { clock: this.clock, deadlineMs, late: () => lateError(subject) };
    return until(limit, (late) => abortable(own, late));
  }

  #fetch(startedAtMs: number, options: ListOptions): ListRequest {
    const list = this.client.listClusters(options);
    const { deadlineMs = Number.POSITIVE_INFINITY, attempts, maxQueueMs } = options;
    const request = { startedAtMs, deadlineMs, limits: { attempts, maxQueueMs }, list, latestMs: deadlineMs };
    this.#latest = request;
    list.catch(() => {
      if (this.#latest === request) this.#latest = undefined;
    });
    return request;
  }
}

/** Whether limits end a request before those of another caller would. */
function isStricter(limits: Limits, others: Limits): boolean {
  const attemptsOf = ({ attempts = Number.POSITIVE_INFINITY }: Limits) => attempts;
  const maxQueueOf = ({ maxQueueMs = Number.POSITIVE_INFINITY }: Limits) => maxQueueMs;
  return attemptsOf(limits) < attemptsOf(others) || maxQueueOf(limits) < maxQueueOf(others);
}

/** Whether another attempt, or a longer wait for the rate limit, may succeed. */
function isTransient(error: RequestError): boolean {
  return error.outcome !== "refused" || (error instanceof ApiError && error.status === 429);
}

function limitOf(deadlineMs: number): Pick<ListOptions, "deadlineMs"> {
  return deadlineMs === Number.POSITIVE_INFINITY ? {} : { deadlineMs };
}

function lateError(subject: string | undefined): ConnectionError {
  const [method, path] = ["GET", "/v1/clusters"];
  const what = `${method} ${path}${subject ? ` for ${subject}` : ""}`;
  const text = `${what}: the list did not come before its time limit`;
  return new ConnectionError(text, { method, path, outcome: "ambiguous", isLate: true, hitDeadline: true });
}

const membersOf = new WeakMap<readonly ClusterRecord[], ReadonlyMap<string, ClusterRecord>>();

/** The cluster with this id in a list. Many callers search the same list, so each list is indexed once. */
export function memberOf({ clusters }: ClusterList, id: string): ClusterRecord | undefined {
  let members = membersOf.get(clusters);
  if (!members) {
    // If two clusters have the same id, the first counts.
    members = new Map([...clusters].reverse().map((cluster) => [cluster.id.toLowerCase(), cluster]));
    membersOf.set(clusters, members);
  }
  return members.get(id.toLowerCase());
}

/**
 * So many clusters of a refresh are read one by one, each with its replicas: two requests for each leave a fifth of the
 * specification's 100 requests a minute (section 8). It depends on this process alone, not on the clusters of others.
 */
const readsInDetail = 40;
/** Reads and lookups of many clusters share a list of at most this age. */
export const sharedListAgeMs = 2_000;

/** Lets the reads of many clusters share lists: beyond the first, they take as many requests as the lists have pages. */
export class Refreshes {
  #reads = 0;

  constructor(private readonly lists: ListCache) {}

  /** The listed record of a cluster, after the first reads of this process. A missing record proves nothing. */
  async listed(id: string, request: ListOptions): Promise<ClusterRecord | undefined> {
    this.#reads += 1;
    // An invalid id is in no list; the read by this id rejects it.
    if (this.#reads <= readsInDetail || !clusterIdPattern.test(id)) return undefined;
    try {
      const list = await this.lists.recent(sharedListAgeMs, request);
      return memberOf(list, id);
    } catch (error) {
      // Without a list, the cluster itself is read.
      if (error instanceof RequestError) return undefined;
      throw error;
    }
  }
}

/**
 * Whether a listed record shows everything that a read of the cluster itself would show. Pure. A field that the service
 * never shows is no loss.
 */
export function showsAll(listed: ClusterRecord, state: ClusterState): boolean {
  const { unverifiedInputs: silent } = state;
  // Only a read of the cluster itself shows fields that this package does not know.
  if (silent === undefined || Object.keys(state.extraFields ?? {}).length > 0) return false;
  const shows = (field: TextName | "replicas") =>
    listed[field] !== undefined || state[field] === undefined || silent.includes(field);
  const isShown = textNames.every((field) => field === "name" || shows(field)) && shows("replicas");
  const hasEnv = Object.keys(state.env ?? {}).length > 0 || (state.__echo?.env ?? []).length > 0;
  const showsEnv = listed.env !== undefined || silent.includes("env") || !hasEnv;
  return listed.status !== undefined && isShown && showsEnv;
}

/** Whether the status word proves that the cluster is as it was settled, so that its replicas need not be read. */
export function isAsSettled(record: ClusterRecord, state: ClusterState): boolean {
  if (state.settled !== true || state.__unfinished !== undefined) return false;
  if (state.desiredStatus === "stopped") return isStopped(record, state);
  return stateOf(record.status) === "running" && (record.replicas ?? state.replicas) === state.replicas;
}
