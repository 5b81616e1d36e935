import type { ClusterRecord } from "../../api/decode/records";
import { isDeleting, isGone, isKnownWord, isSameWord, isUnhealthyStatus, stateOf } from "../../api/decode/states";
import { cut, listOf } from "../../base/text";
import type { ClusterState } from "../schema/state";
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

export interface RolloutProgress {
  readonly hasBegun: boolean;
  /** The ids of replicas that are new, or have changed since before the rollout. */
  readonly renewed: readonly string[];
}

export interface Condition {
  /** `failed` does not change by itself. `unknown`: the record alone cannot tell, so `/status` has to be read. */
  readonly status: "ready" | "pending" | "failed" | "unknown";
  /** One line for people: `1/2 replicas healthy, provisioning`. */
  readonly summary: string;
  readonly reasons?: readonly string[];
  /** Whether the status word or the health is unknown: the condition counts only after it has stayed the same for a while. */
  readonly isVague?: boolean;
  /** What this version does not recognize, for messages. */
  readonly unrecognized?: string;
  readonly rollout?: RolloutProgress;
}

/**
 * The condition of a cluster that has to become ready. A bad word or flag takes precedence. If fewer than all replicas are enough,
 * a pending status does not block. Unknown words are neither good nor bad: the known facts decide, or the probe.
 */
export function readyCondition(found: Found, goal: Goal): Condition {
  const { record, status } = found;
  const word = worstWord(found);
  const state = stateOf(word);
  const description = withReason(word ?? "no state", record);
  const isPartial = goal.enough < goal.replicas;
  if (isDeleting(word)) return failed(found, `it is ${description}: someone else is deleting it`);
  if (state === "stopped") return failed(found, `it is ${description}: someone else stopped it`);
  if (!status) return { status: state === "pending" && !isPartial ? "pending" : "unknown", summary: description };
  if (state === "failed") return failed(found, `it is ${description}`);

  const count = `${countHealthy(status, goal.replicas)}/${goal.replicas} replicas healthy`;
  const blocks = state === "pending" ? !isPartial : isUnhealthyStatus(word);
  if (!blocks && isHealthy(status, goal)) {
    // Without the reason, which can change from poll to poll.
    const summary = `${count}, ${word ?? "no state"}`;
    if (state === "unknown" && word !== undefined) return vague("ready", summary, unrecognizedIn(found));
    return word === undefined || status.isMissing ? vague("ready", summary) : { status: "ready", summary };
  }
  const summary = `${count}, ${description}`;
  const isRunning = state === "running";
  const mayBeReady = !blocks && state !== "pending" && isHealthUnknown(status, goal);
  if (!mayBeReady || (isRunning && !isComplete(status, goal))) return { status: "pending", summary };
  return vague(isRunning || goal.isProbed ? "ready" : "pending", summary, unrecognizedIn(found));
}

interface BeforeStop {
  readonly word?: string | undefined;
  readonly state?: Partial<ClusterState>;
}

/**
 * The condition of a cluster that has to stop. A known status word takes precedence. If the word is unknown, the replicas decide
 * or, if they cannot be read, a word that differs from the one before the stop.
 */
export function stoppedCondition(found: Found, before: BeforeStop = {}): Condition {
  const { record, status } = found;
  const word = worstWord(found);
  const summary = word ?? "no state";
  if (isDeleting(word)) return failed(found, `it is ${word}: someone else is deleting it`);
  if (stateOf(word) === "stopped") return { status: "ready", summary };
  const isRunning = stateOf(record.status) === "running" || stateOf(status?.status) === "running";
  if (stateOf(word) !== "unknown" || isRunning) return { status: "pending", summary };
  if (!status) return { status: "unknown", summary };
  const hasNewWord = isStopped(record, before.state) || !isSameWord(before.word, record.status);
  const hasStopped = status.isMissing ? hasNewWord : isIdle(status);
  return hasStopped ? vague("ready", summary) : { status: "pending", summary };
}

export function goneCondition({ record: { status } }: Found): Condition {
  return { status: isGone(status) ? "ready" : "pending", summary: cut(status ?? "no state", maxWordLength) };
}

function vague(status: "ready" | "pending", summary: string, unrecognized?: string): Condition {
  return { status, summary, isVague: true, ...(unrecognized === undefined ? {} : { unrecognized }) };
}

function failed({ status }: Found, summary: string): Condition {
  return { status: "failed", summary, reasons: unhealthyReasons(status) };
}

function unrecognizedIn({ record, status }: Found): string {
  const replicas = status?.replicas.filter(({ healthy }) => healthy === undefined) ?? [];
  const words = [record.status, status?.status, ...replicas.map((replica) => replica.status)];
  const unknown = new Set(words.filter((word) => word !== undefined && word !== "" && !isKnownWord(word)));
  const quoted = [...unknown].slice(0, maxReasons).map((word = "") => `"${cut(word, maxWordLength)}"`);
  return quoted.length > 0 ? `${listOf(quoted)}, which this version does not know` : "nothing about its health";
}

function withReason(word: string, { reason, status }: ClusterRecord): string {
  const needsNone = ["running", "stopped", "terminated"].includes(stateOf(status));
  return reason === undefined || needsNone ? word : `${word}: ${cut(reason, maxReasonLength)}`;
}
