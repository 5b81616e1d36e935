import type { ClusterRecord } from "../../api/decode/records";
import { isGone, isKnownWord, isLeaving, isSameWord, isSick, stateOf } from "../../api/decode/states";
import { cut, listOf } from "../../base/text";
import type { ClusterState } from "../schema/stateFields";
import {
  countHealthy,
  type Found,
  type Goal,
  isComplete,
  isHealthUnknown,
  isHealthy,
  isIdle,
  isStopped,
  maxReasonLength,
  maxReasons,
  maxWordLength,
  unhealthyReasons,
  worstWord,
} from "./health";

/** What one observation means for a wait: pure functions. `wait/poller.ts` decides how long it has to stay the same. */

export interface RolloutProgress {
  readonly hasBegun: boolean;
  /** The replicas that are new, or have changed since before the rollout. */
  readonly renewed: readonly string[];
}

export interface Condition {
  /** `failed` does not change by itself. `unknown`: the record alone cannot tell, so `/status` has to be read. */
  readonly status: "ready" | "pending" | "failed" | "unknown";
  /** One line for people: `1/2 replicas healthy, provisioning`. */
  readonly summary: string;
  /** One line for each replica that is not healthy, if the cluster has failed. */
  readonly reasons?: readonly string[];
  /** Whether it rests on less than a known status word and a known health: it counts only once it has stayed the same. */
  readonly isVague?: boolean;
  /** What the service shows that this version does not know, for messages. */
  readonly unrecognized?: string;
  /** What the observations so far have shown of a rollout, if the wait is for one. */
  readonly rollout?: RolloutProgress;
}

/**
 * The condition of a cluster that has to get ready. A bad word or flag always wins. If fewer than all replicas are enough, a
 * pending status is no obstacle. Unknown words are neither good nor bad: what else is known decides, or the probe.
 */
export function readyCondition(found: Found, goal: Goal): Condition {
  const { record, status } = found;
  const word = worstWord(found);
  const state = stateOf(word);
  const shown = withReason(word ?? "no state", record);
  const isPartial = goal.enough < goal.replicas;
  if (isLeaving(word)) return failed(found, `it is ${shown}: someone else is deleting it`);
  if (state === "stopped") return failed(found, `it is ${shown}: someone else stopped it`);
  if (!status) return { status: state === "pending" && !isPartial ? "pending" : "unknown", summary: shown };
  if (state === "failed") return failed(found, `it is ${shown}`);

  const count = `${countHealthy(status, goal.replicas)}/${goal.replicas} replicas healthy`;
  const isObstacle = state === "pending" ? !isPartial : isSick(word);
  if (!isObstacle && isHealthy(status, goal)) {
    // Without the reason, which may change from poll to poll.
    const summary = `${count}, ${word ?? "no state"}`;
    if (state === "unknown" && word !== undefined) return vague("ready", summary, unrecognizedIn(found));
    return word === undefined || status.isMissing ? vague("ready", summary) : { status: "ready", summary };
  }
  const summary = `${count}, ${shown}`;
  const isRunning = state === "running";
  const mayBeReady = !isObstacle && state !== "pending" && isHealthUnknown(status, goal);
  if (!mayBeReady || (isRunning && !isComplete(status, goal))) return { status: "pending", summary };
  return vague(isRunning || goal.isProbed ? "ready" : "pending", summary, unrecognizedIn(found));
}

/** What is known of a cluster before it is stopped. */
interface BeforeStop {
  readonly word?: string | undefined;
  readonly state?: Partial<ClusterState>;
}

/**
 * The condition of a cluster that has to stop. A known status word decides. If the word is unknown, the replicas decide
 * or, if they cannot be read, another word than before the stop.
 */
export function stoppedCondition(found: Found, before: BeforeStop = {}): Condition {
  const { record, status } = found;
  const word = worstWord(found);
  const summary = word ?? "no state";
  if (isLeaving(word)) return failed(found, `it is ${word}: someone else is deleting it`);
  if (stateOf(word) === "stopped") return { status: "ready", summary };
  const isRunning = [record.status, status?.status].some((each) => stateOf(each) === "running");
  if (stateOf(word) !== "unknown" || isRunning) return { status: "pending", summary };
  if (!status) return { status: "unknown", summary };
  const isOtherWord = isStopped(record, before.state) || !isSameWord(before.word, record.status);
  const isDown = status.isMissing ? isOtherWord : isIdle(status);
  return isDown ? vague("ready", summary) : { status: "pending", summary };
}

/** The condition of a cluster that has to be gone, while the service still shows it. */
export function goneCondition({ record: { status } }: Found): Condition {
  return { status: isGone(status) ? "ready" : "pending", summary: cut(status ?? "no state", maxWordLength) };
}

function vague(status: "ready" | "pending", summary: string, unrecognized?: string): Condition {
  return { status, summary, isVague: true, ...(unrecognized === undefined ? {} : { unrecognized }) };
}

function failed({ status }: Found, summary: string): Condition {
  return { status: "failed", summary, reasons: unhealthyReasons(status) };
}

/** What the service shows that this version does not know: `"whirring" and "brewed", which this version does not know`. */
function unrecognizedIn({ record, status }: Found): string {
  const ofReplicas = status?.replicas.filter(({ healthy }) => healthy === undefined).map((replica) => replica.status);
  const words = [record.status, status?.status, ...(ofReplicas ?? [])].filter((word) => word && !isKnownWord(word));
  const quoted = [...new Set(words)].slice(0, maxReasons).map((word) => `"${cut(word ?? "", maxWordLength)}"`);
  return quoted.length > 0 ? `${listOf(quoted)}, which this version does not know` : "nothing about its health";
}

/** A status word with the service's reason for it. Running, stopped and terminated clusters need no reason. */
function withReason(word: string, { reason, status }: ClusterRecord): string {
  const isWell = ["running", "stopped", "terminated"].includes(stateOf(status));
  return reason === undefined || isWell ? word : `${word}: ${cut(reason, maxReasonLength)}`;
}
