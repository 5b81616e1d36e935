import type { CallOptions, Client } from "../../api/client";
import { type ClusterList, type ClusterRecord, type StatusRecord, sameId } from "../../api/decode/records";
import { mayBeGone, stateOf } from "../../api/decode/states";
import { abortable, type Clock, until } from "../../base/clock";
import { ApiError, briefOf, ConnectionError, isNotFound, RequestError, ResponseShapeError } from "../../base/errors";
import { creationGraceIntervalMs, creationGraceMs } from "../../base/times";
import type { Observation } from "../health/health";
import type { ClusterState } from "../schema/state";
import { clearStatus, doublingPauses, type Operation } from "./operation";

interface SharedRequest {
  readonly startedAtMs: number;
  readonly list: Promise<ClusterList>;
  /** The list with its proof, which is requested by the first caller who needs it. */
  readonly proven: () => Promise<ClusterList>;
  readonly stop: AbortController;
  readonly waiting: Set<Pick<CallOptions, "onWait">>;
}

/** Caches the list of clusters: callers that accept a recent list share its request. */
export class ListCache {
  #latest: SharedRequest | undefined;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /** A list that decides that no other cluster exists: whole, if the service shows or proves that. */
  whole(maxAgeMs: number, options: CallOptions = {}): Promise<ClusterList> {
    return this.#read(maxAgeMs, options, ({ proven }) => proven());
  }

  /** A list of which it may be unproven that it is whole. */
  recent(maxAgeMs: number, options: CallOptions = {}): Promise<ClusterList> {
    return this.#read(maxAgeMs, options, ({ list }) => list);
  }

  /**
   * Failures are not cached. Each caller waits until its own deadline, and the request is aborted when nobody waits for it any
   * more. It has the limits of the caller that sent it: if it fails, a caller that allows several attempts tries again, once; and
   * again whenever the deadline of another caller ended the request.
   */
  async #read(
    maxAgeMs: number,
    options: CallOptions,
    answerOf: (request: SharedRequest) => Promise<ClusterList>,
  ): Promise<ClusterList> {
    const { signal, subject, onWait, redactor, ...limits } = options;
    const { deadlineMs = Number.POSITIVE_INFINITY, attempts } = limits;
    const caller = { onWait };
    const late = () =>
      new ConnectionError("no complete answer came in time", {
        outcome: "ambiguous",
        method: "GET",
        path: "/v1/clusters",
        subject,
        isLate: true,
        hitDeadline: true,
      });
    for (let failures = 0; ; failures += 1) {
      const ageMs = this.clock.now() - (this.#latest?.startedAtMs ?? Number.NaN);
      // The age is negative after the clock was set back.
      const shared = ageMs >= 0 && ageMs < maxAgeMs ? this.#latest : undefined;
      const request = shared ?? this.#send(limits);
      request.waiting.add(caller);
      try {
        const answer = answerOf(request);
        const list = signal ? abortable(answer, signal) : answer;
        return await until({ clock: this.clock, deadlineMs, late }, (limit) => abortable(list, limit));
      } catch (error) {
        if (request.waiting.size === 1) this.#end(request, error);
        if (!(error instanceof RequestError)) throw error;
        const isLast = attempts === 1 || (failures > 0 && !error.hitDeadline);
        // The request of another caller does not know the secrets of this one.
        if (!shared || isLast || this.clock.now() >= deadlineMs) throw redactor ? redactor.incoming(error) : error;
      } finally {
        request.waiting.delete(caller);
      }
    }
  }

  #send(options: CallOptions): SharedRequest {
    const stop = new AbortController();
    const waiting = new Set<Pick<CallOptions, "onWait">>();
    const onWait = (message: string) => {
      for (const caller of waiting) caller.onWait?.(message);
    };
    const shared = { ...options, onWait, signal: stop.signal };
    const list = this.client.listClusters(shared);
    let proof: Promise<ClusterList> | undefined;
    const proven = () => {
      proof ??= list.then((unproven) => this.client.proven(unproven, shared));
      return proof;
    };
    const request = { startedAtMs: this.clock.now(), list, proven, stop, waiting };
    this.#latest = request;
    list.catch((error) => this.#end(request, error));
    return request;
  }

  #end(request: SharedRequest, reason: unknown): void {
    if (this.#latest === request) this.#latest = undefined;
    request.stop.abort(reason);
  }
}

export function memberOf({ clusters }: ClusterList, id: string): ClusterRecord | undefined {
  return clusters.find((cluster) => sameId(cluster.id, id));
}

export interface LookupSources {
  readonly client: Client;
  readonly lists: ListCache;
}

interface AbsenceSources extends LookupSources {
  readonly clock: Clock;
  readonly seenBy: string;
}

interface LookupOptions extends CallOptions {
  /** The maximum age of a list that confirms an absence; 0 sends a new request. */
  readonly listAgeMs?: number;
  /** Whether its deletion was requested: then a status word that is no known one can be that of a deleted cluster too. */
  readonly wasDeleted?: boolean;
}

/**
 * The one place that decides that a cluster does not exist. Its own answer asks the question: a 404, a success without a record,
 * or a record whose status word may mean that it is gone. The list decides:
 * - If it shows the cluster, the cluster exists, unless it shows it as terminated.
 * - If it is whole and does not show it, the cluster is gone.
 * - If it is forbidden, unreadable or a part, a status word has no other proof. A 404 counts only in the documented envelope:
 *   the API itself writes it, whereas any gateway on the way can answer 404.
 * - While the service is down, nothing counts.
 * @throws The 404 itself if it proves nothing.
 */
export async function lookUp(
  { client, lists }: LookupSources,
  id: string,
  { wasDeleted = false, ...request }: LookupOptions,
): Promise<Observation> {
  const answer = await client.getCluster(id, request).catch((error: unknown) => {
    if (error instanceof ApiError && isNotFound(error)) return error;
    throw error;
  });
  const isMissing = answer instanceof ApiError;
  const asksList = isMissing || mayBeGone(answer.status) || (wasDeleted && stateOf(answer.status) === "unknown");
  if (!asksList) return { record: answer, isGone: false };

  const { listAgeMs = 0, attempts: _attempts, ...options } = request;
  const list = await lists.whole(listAgeMs, options).catch((error: unknown) => {
    if (error instanceof RequestError) return error;
    throw error;
  });
  const isListRead = !(list instanceof RequestError);
  const listed = isListRead ? memberOf(list, id) : undefined;
  const isConfirmed = isListRead && (listed ? stateOf(listed.status) === "terminated" : list.extent === "whole");
  if (!isMissing) return { record: answer, isGone: isConfirmed };
  if (isConfirmed) return { isGone: true };
  if (listed) return { record: listed, isGone: false };

  // A list that is unreadable or forbidden will not be available at another time.
  const isForbidden = list instanceof ApiError && list.outcome === "refused" && list.status !== 429;
  const isDown = !isListRead && !isForbidden && !(list instanceof ResponseShapeError);
  if (answer.details.isEnvelope && !isDown) return { isGone: true };
  const why = isDown
    ? `The list of clusters is not available now (${briefOf(list)})`
    : "The answer may not come from the API, and no list of clusters confirms it";
  throw answer.with({ advice: [`${why}: nothing is changed`] });
}

export async function findCluster(
  sources: LookupSources,
  id: string,
  request: LookupOptions,
): Promise<ClusterRecord | undefined> {
  const found = await lookUp(sources, id, request);
  return found.isGone ? undefined : found.record;
}

/** The health of the replicas, without secrets; `undefined` if the service shows none. */
export async function findStatus(
  client: Client,
  operation: Operation,
  options: Pick<CallOptions, "priority" | "attempts"> = {},
): Promise<StatusRecord | undefined> {
  try {
    const request = { ...operation.lookupOptions(), ...options };
    return clearStatus(await client.getClusterStatus(operation.id, request), request.redactor);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * How long a 404 of this cluster still proves nothing; 0 if the cluster is older, or this package did not create it. The age is
 * counted by our clock: that of the service, in `createdAt`, may differ.
 */
export function creationGraceLeftMs({ __createdAt = "" }: Partial<ClusterState>, nowMs: number): number {
  const ageMs = nowMs - Date.parse(__createdAt);
  return Math.abs(ageMs) < creationGraceMs ? creationGraceMs - ageMs : 0;
}

/** Looks up the record and remembers it as observed; `undefined` if the cluster is gone. */
export async function find(
  deps: LookupSources,
  operation: Operation,
  options: Pick<LookupOptions, "priority" | "wasDeleted"> = {},
): Promise<ClusterRecord | undefined> {
  const { record, isGone } = await lookUp(deps, operation.id, { ...operation.lookupOptions(), ...options });
  operation.observe({ ...operation.observed, record, isGone });
  return isGone ? undefined : operation.observed.record;
}

/**
 * As `find`, for callers that treat `undefined` as the end of the cluster: waits until a 404 of a new cluster proves
 * something, because forgetting a cluster that is paid for is far worse than waiting.
 * @throws GpuClusterError if the cluster may exist although the service does not show it.
 */
export async function findOrGone(
  deps: AbsenceSources,
  operation: Operation,
  state: ClusterState,
  options: Pick<LookupOptions, "wasDeleted"> = {},
): Promise<ClusterRecord | undefined> {
  const look = () =>
    find(deps, operation, options).catch((error: unknown) => {
      const isUseless = error instanceof ResponseShapeError || (error instanceof ApiError && isNotFound(error));
      const advice = [`If the cluster no longer exists, run \`pulumi state delete '${operation.urn}'\``];
      throw isUseless ? error.with({ advice }) : error;
    });
  const record = await look();
  if (record) return record;
  checkConnection(deps, operation, state);
  // What is left of a deleted cluster is no lag of the service.
  const graceMs = operation.observed.record ? 0 : creationGraceLeftMs(state, deps.clock.now());
  const notShown = "was created a moment ago, and the service does not show it yet";
  if (operation.leftMs() < graceMs) throw operation.error(`${notShown}. Run the command again in two minutes`);
  const pausesMs = doublingPauses(graceMs, { first: creationGraceIntervalMs, max: creationGraceIntervalMs });
  return operation.poll({ pausesMs, check: look, message: `${notShown}: looking again` });
}

/** @throws GpuClusterError if another key or address saw the cluster last: then "no such cluster" proves nothing. */
export function checkConnection(
  { seenBy }: Pick<AbsenceSources, "seenBy">,
  operation: Operation,
  state: ClusterState,
): void {
  if (state.__seenBy === undefined || state.__seenBy === seenBy) return;
  throw operation.error(
    "is not known to this service and API key, but another service or key saw it last, so it may still exist. " +
      "Set GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY (or gpucluster:baseUrl and gpucluster:apiKey) back to those; " +
      `if the cluster no longer exists, run \`pulumi state delete '${operation.urn}'\``,
  );
}
