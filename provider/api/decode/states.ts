import { plainName } from "../../base/text";
import type { StatusRecord } from "./records";

/** The meaning of a status word for a wait; `unknown` for an unknown word, and for none. */
type StateKind = "running" | "pending" | "failed" | "stopped" | "terminated" | "unknown";

/** @assumption A cluster that is being deleted or stopped shows one of these words for a while. A cluster with one of the first row counts as deleted: its name is free. */
const deletingStatuses = "terminating deleting destroying deprovisioning";
const stoppingStatuses =
  "stopping suspending pausing shutting_down powering_off halting hibernating deactivating deallocating";
/** @assumption Something with one of these words does not serve, but may recover, so a wait continues. */
const unhealthyStatuses =
  "unhealthy degraded not_ready not_healthy critical fail failing impaired red out_of_service maintenance back_off " +
  "image_pull_back_off err_image_pull";
/** @assumption Something with one of these words does not serve, and may be stopped, failed, or coming back: its replicas decide. */
const downStatuses = "down offline unreachable disconnected lost evicted preempted no";
/** @assumption A replica with one of these words is gone, and so is a cluster whose deletion was requested. They may mean another thing for any other cluster. */
const goneStatuses = "removed gone released purged";
/** @assumption The specification names `provisioning` only; other states have these words, alone or with a word for the thing that has the state. Ambiguous words are in no row: `succeeded`, `completed`, `warning`, `idle`. */
const statusesByState: Record<Exclude<StateKind, "unknown">, string> = {
  running:
    "running ready active healthy available started ok up online live alive serving operational deployed pass passing " +
    "green in_service success",
  pending:
    "provisioning pending creating created queued requested submitted waiting waiting_for_capacity accepted scheduling " +
    "scheduled allocating reserving preparing starting launching spawning booting bootstrapping initializing " +
    "initialising init activating configuring installing building staging pulling downloading loading warming " +
    "warming_up container_creating pod_initializing updating upgrading reloading replacing resizing scaling scaling_up " +
    "scaling_down deploying redeploying rolling_out rolling_update rolling_back restarting rebooting resuming " +
    "recovering repairing migrating progressing reconciling in_progress draining removing releasing pending_deletion " +
    `${unhealthyStatuses} ${goneStatuses} ${stoppingStatuses} ${deletingStatuses}`,
  failed:
    "failed failure error errored faulted crashed dead rejected aborted broken fatal out_of_memory oom_killed oomkilled " +
    "crash_loop crash_looping crash_loop_back_off",
  stopped:
    "stopped suspended paused inactive off halted exited hibernated powered_off power_off shut_off shutoff shut_down " +
    "shutdown deallocated deactivated",
  terminated: "terminated deleted destroyed deprovisioned",
};
/** Words to ignore in a status: `CLUSTER_STATUS_RUNNING` is `running`. */
const neutralWords = new Set("cluster replica status state phase is".split(" "));

const stateByWord = new Map(
  Object.entries(statusesByState).flatMap(([state, words]) =>
    words.split(" ").map((word) => [word, state as StateKind]),
  ),
);

/** The meaning of a status word in any spelling: `CLUSTER_STATUS_RUNNING`, `Running`, `running (2/2)`. */
export function stateOf(word: string | undefined): StateKind {
  const state = stateByWord.get(normalizedState(word)) ?? "unknown";
  return state === "running" && isFullShare(word) === false ? "pending" : state;
}

/** Whether a word means healthy, as only a running state does; `undefined` for an unknown word, and for none. */
export function healthOfWord(word: string | undefined): boolean | undefined {
  const state = stateOf(word);
  if (state !== "unknown") return state === "running";
  return isUnhealthyStatus(word) ? false : isFullShare(word);
}

const isOneOf = (words: string, word: string | undefined): boolean => words.split(" ").includes(normalizedState(word));

/** Whether a word means that something does not serve, for another reason than that it starts or stops. */
export const isUnhealthyStatus = (word: string | undefined): boolean =>
  stateOf(word) === "failed" || isOneOf(`${unhealthyStatuses} ${downStatuses}`, word);

export const isKnownWord = (word: string): boolean => stateOf(word) !== "unknown" || isUnhealthyStatus(word);

/** A known word alone is never hidden, even if it is a secret. Any other status may quote a secret, even beside a known word. */
export const hideInStatus = (word: string, hide: (text: string) => string): string =>
  isKnownWord(word) && /^[a-z _-]*$/i.test(word) ? word : hide(word);

/** Whether the share in a word is full: `Running (1/2)` does not run yet. `undefined` without a share. */
function isFullShare(word = ""): boolean | undefined {
  const [, part, whole] = /(\d{1,9})\s*\/\s*(\d{1,9})/.exec(word) ?? [];
  return whole === undefined ? undefined : Number(part) > 0 && Number(part) >= Number(whole);
}

/** True if the cluster is deleted or is being deleted: its name is free, and it gets no more requests. */
export const isDeleting = (word: string | undefined): boolean =>
  stateOf(word) === "terminated" || isOneOf(deletingStatuses, word);

/** True of a replica that is gone, and of a cluster that is gone after the request for its deletion. */
export const mayBeGone = (word: string | undefined): boolean =>
  stateOf(word) === "terminated" || isOneOf(goneStatuses, word);

export const isStopping = (word: string | undefined): boolean => isOneOf(stoppingStatuses, word);

export const isSameWord = (one: string | undefined, other: string | undefined): boolean =>
  normalizedState(one) === normalizedState(other);

/** A word by `plainName`, without neutral words and numbers unless it is a known word. */
function normalizedState(word = ""): string {
  const plain = plainName(word);
  if (stateByWord.has(plain)) return plain;
  const parts = plain.split("_").filter((part) => !neutralWords.has(part) && !/^\d*$/.test(part));
  return parts.join("_");
}

/** The health of a cluster that shows no replicas: that of its status word. */
export const statusOfWord = (status: string | undefined): StatusRecord => ({
  replicas: [],
  status,
  overall: healthOfWord(status),
  isMissing: true,
});
