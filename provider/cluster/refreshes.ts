import { stateOf } from "../api/read/states";
import { type ClusterRecord, clusterIdPattern } from "../api/records";
import { RequestError } from "../errors";
import type { ClusterState } from "./fields";
import { type ClusterLists, type ListOptions, memberOf } from "./lists";
import { isStopped } from "./readiness";

/** The first reads of a process, before it shows that there are many. */
const readsInDetail = 2;
/** So many can be read one by one, each with its replicas. */
const fewClusters = 20;
/** How long a refresh is content with one list. */
const listAgeMs = 2_000;

/** Reads of many clusters share lists, so that a refresh takes as many requests as the lists have pages. */
export class Refreshes {
  #reads = 0;

  constructor(private readonly lists: ClusterLists) {}

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
