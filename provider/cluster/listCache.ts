import type { CallOptions, Client } from "../api/client";
import { stateOf } from "../api/read/states";
import { type ClusterList, type ClusterRecord, clusterIdPattern } from "../api/records";
import { abortable, type Clock, until } from "../clock";
import { ConnectionError, RequestError } from "../errors";
import { isStopped } from "./conditions";
import type { ClusterState } from "./fields";

/** How to wait for a list; see `HttpRequest`. */
export interface ListOptions {
  readonly deadlineMs?: number;
  readonly patienceMs?: number;
  readonly attempts?: number;
  readonly attemptTimeoutMs?: number;
  readonly urgency?: CallOptions["urgency"];
  readonly subject?: string;
  readonly signal?: AbortSignal;
  /** How old a list may be that confirms an absence; 0 asks anew. */
  readonly listAgeMs?: number;
}

/** One request for the list, and those who wait for it. */
interface Asked {
  readonly startedAtMs: number;
  readonly deadlineMs: number;
  readonly list: Promise<ClusterList>;
  /** The latest deadline of those who wait. */
  latestMs: number;
}

/** The list of clusters, shared: who is content with one that was asked for a moment ago gets that one. */
export class ListCache {
  #latest: Asked | undefined;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /**
   * A list that was asked for no longer ago than `maxAgeMs`; 0 asks anew. Failures are not kept. Everyone waits until their
   * own deadline: who has more time than the request had that came to its end asks anew, for all who have.
   */
  async recent(maxAgeMs: number, { signal, subject, ...options }: ListOptions = {}): Promise<ClusterList> {
    const { deadlineMs = Number.POSITIVE_INFINITY } = options;
    for (let latestMs = deadlineMs; ; ) {
      const nowMs = this.clock.now();
      const ageMs = nowMs - (this.#latest?.startedAtMs ?? Number.NaN);
      // A clock that was set back says nothing of the age.
      const isFresh = ageMs >= 0 && ageMs < maxAgeMs;
      const asked = (isFresh && this.#latest) || this.#fetch(nowMs, { ...options, ...limitOf(latestMs) });
      asked.latestMs = Math.max(asked.latestMs, deadlineMs);
      try {
        return await this.#wait(asked, { signal, subject, deadlineMs });
      } catch (error) {
        const isCut = error instanceof RequestError && error.isCut;
        if (!isCut || asked.deadlineMs >= deadlineMs || this.clock.now() >= deadlineMs) throw error;
        latestMs = asked.latestMs;
      }
    }
  }

  /** The request itself belongs to all who wait for it: one who leaves does not end it. */
  #wait({ list }: Asked, { signal, subject, deadlineMs }: ListOptions & { readonly deadlineMs: number }) {
    const own = signal ? abortable(list, signal) : list;
    const limit = { clock: this.clock, deadlineMs, late: () => lateError(subject) };
    return until(limit, (late) => abortable(own, late));
  }

  #fetch(startedAtMs: number, options: ListOptions): Asked {
    const list = this.client.listClusters(options);
    const { deadlineMs = Number.POSITIVE_INFINITY } = options;
    const asked = { startedAtMs, deadlineMs, list, latestMs: deadlineMs };
    this.#latest = asked;
    list.catch(() => {
      if (this.#latest === asked) this.#latest = undefined;
    });
    return asked;
  }
}

function limitOf(deadlineMs: number): Pick<ListOptions, "deadlineMs"> {
  return deadlineMs === Number.POSITIVE_INFINITY ? {} : { deadlineMs };
}

function lateError(subject: string | undefined): ConnectionError {
  const [method, path] = ["GET", "/v1/clusters"];
  const what = `${method} ${path}${subject ? ` for ${subject}` : ""}`;
  const text = `${what}: the list did not come before its time limit`;
  return new ConnectionError(text, { method, path, outcome: "ambiguous", isLate: true, isCut: true });
}

const membersOf = new WeakMap<readonly ClusterRecord[], ReadonlyMap<string, ClusterRecord>>();

/** The cluster of an id in a list. Many ask the same list, so it is gone through once. */
export function memberOf({ clusters }: ClusterList, id: string): ClusterRecord | undefined {
  let members = membersOf.get(clusters);
  if (!members) {
    // Of two with the same id, the first counts.
    members = new Map([...clusters].reverse().map((cluster) => [cluster.id.toLowerCase(), cluster]));
    membersOf.set(clusters, members);
  }
  return members.get(id.toLowerCase());
}

/** The first reads of a process, before it shows that there are many. */
const readsInDetail = 2;
/** So many can be read one by one, each with its replicas. */
const fewClusters = 20;
/** How long a refresh is content with one list. */
const listAgeMs = 2_000;

/** Reads of many clusters share lists, so that a refresh takes as many requests as the lists have pages. */
export class Refreshes {
  #reads = 0;

  constructor(private readonly lists: ListCache) {}

  /** What the list shows of a cluster, where there are too many to read each; that one is not in it proves nothing. */
  async listed(id: string, request: ListOptions): Promise<ClusterRecord | undefined> {
    this.#reads += 1;
    // What is no id is in no list; it is refused where it would be sent.
    if (this.#reads <= readsInDetail || !clusterIdPattern.test(id)) return undefined;
    try {
      const list = await this.lists.recent(listAgeMs, request);
      return list.clusters.length > fewClusters ? memberOf(list, id) : undefined;
    } catch (error) {
      // What the list does not tell, the cluster itself does.
      if (error instanceof RequestError) return undefined;
      throw error;
    }
  }
}

/** Whether a record from a list shows all that the cluster itself would. Pure; what the service never shows is no loss. */
export function showsAll(listed: ClusterRecord, state: ClusterState): boolean {
  const { unverifiedInputs: silent } = state;
  // Only the cluster itself shows fields that this package does not know.
  if (silent === undefined || Object.keys(state.extraFields ?? {}).length > 0) return false;
  const shows = (word: "status" | "gpuType" | "replicas" | "container") =>
    listed[word] !== undefined || silent.includes(word);
  const hasEnv = Object.keys(state.env ?? {}).length > 0 || (state.__echo?.env ?? []).length > 0;
  const showsEnv = listed.env !== undefined || silent.includes("env") || !hasEnv;
  return listed.status !== undefined && shows("gpuType") && shows("replicas") && shows("container") && showsEnv;
}

/** Whether the word of a cluster leaves no doubt that it is as it was settled, so that nobody need look at its replicas. */
export function isAsSettled(record: ClusterRecord, state: ClusterState): boolean {
  if (state.settled !== true || state.__unfinished !== undefined) return false;
  if (state.desiredStatus === "stopped") return isStopped(record, state);
  return stateOf(record.status) === "running" && (record.replicas ?? state.replicas) === state.replicas;
}
