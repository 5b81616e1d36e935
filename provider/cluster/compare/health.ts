import type { ClusterRecord, ReplicaRecord, StatusRecord } from "../../api/records";
import { isGone, isKnownWord, isLeaving, isSameWord, isSick, stateOf } from "../../api/states";
import { cut, listOf } from "../../base/text";
import type { CheckedInputs, ClusterState } from "../model/stateFields";

/** The observed state of a cluster at one time. */
export interface Observation {
  /** The cluster's record; absent when the service says that there is no such cluster. */
  readonly record?: ClusterRecord;
  /** The answer of its `/status`; absent if that was not read. */
  readonly status?: StatusRecord;
}

/** An observation of a cluster that the service shows. */
export interface Found extends Observation {
  readonly record: ClusterRecord;
}

/** What one observation means for a wait. The poller counts how long the same is said: see `Poller`. */
export type Verdict = Ready | Pending | Failed | Confirm;

interface Said {
  readonly summary: string;
}

/** The goal is met. */
interface Ready extends Partial<Said> {
  readonly kind: "ready";
  /** For how long at least two polls in a row have to say the same; one poll is enough without it. */
  readonly holdMs?: number;
  /** What the service shows that nobody knows, if the cluster counts as ready in spite of it. */
  readonly unknown?: string;
}

interface Pending extends Said {
  readonly kind: "pending";
  readonly contradiction?: boolean;
  /** What the service shows, if that is nothing that anybody knows: the wait ends if it does not change. */
  readonly unknown?: string;
}

/** The cluster is in a state that does not change by itself. */
interface Failed extends Said {
  readonly kind: "failed";
  readonly reasons: readonly string[];
}

/** The cluster seems ready, stopped or failed; `/status` has to confirm or explain that. */
interface Confirm extends Said {
  readonly kind: "confirm";
}

/** The goal of a wait for a ready cluster. */
export interface Goal {
  readonly replicas: number;
  /** The number of replicas that have to be healthy. */
  readonly enough: number;
  /** Whether the endpoint is probed afterwards. */
  readonly isProbed: boolean;
}

type GoalInputs = Pick<CheckedInputs, "replicas" | "minHealthyReplicas" | "readinessProbe">;

/** The goal that the inputs request. */
export function goalOf({ replicas, minHealthyReplicas, readinessProbe }: GoalInputs): Goal {
  return {
    replicas,
    enough: Math.min(minHealthyReplicas ?? replicas, replicas),
    isProbed: readinessProbe !== undefined,
  };
}

/** Words that nobody knows are no obstacle any more once polls have said the same for this long: a start shows other words meanwhile. */
export const steadyMs = 30_000;

/**
 * Judges one poll of a wait until enough replicas are healthy. Pure. The record only suggests a verdict; `/status` decides.
 * If fewer than all replicas are enough, a pending state does not prevent the verdict. Words that nobody knows are neither
 * healthy nor sick: what is known decides, and has to stay the same for a while. If nothing is known, the probe decides.
 */
export function judgeReady(found: Found, goal: Goal): Verdict {
  const { record, status } = found;
  const word = tellingWord(record.status, status?.status);
  const state = stateOf(word);
  const told = withReason(word ?? "no state", record);
  if (isLeaving(word)) return failed(`it is ${told}: someone else is deleting it`, status);
  if (state === "stopped") return failed(`it is ${told}: someone else stopped it`, status);
  const isPartial = goal.enough < goal.replicas;
  if (!status) return state === "pending" && !isPartial ? pending(told) : confirm(told);
  if (state === "failed") return failed(`it is ${told}`, status);
  const count = `${countHealthy(status, goal.replicas)}/${goal.replicas} replicas healthy`;
  const isHindered = state === "pending" ? !isPartial : isSick(word);
  if (!isHindered && isHealthy(status, goal)) {
    // Without the reason, which may change from poll to poll.
    const summary = `${count}, ${word ?? "no state"}`;
    if (state === "unknown" && word !== undefined) return judgeUnknown(found, summary, true);
    const isVague = word === undefined || status.overall !== undefined;
    return { kind: "ready", summary, ...(isVague ? { holdMs: 0 } : {}) };
  }
  const isOpen = !isHindered && state !== "pending" && isUnknown(status, goal);
  if (!isOpen || (state === "running" && !isComplete(status, goal)))
    return { kind: "pending", summary: `${count}, ${told}`, contradiction: state === "running" };
  return judgeUnknown(found, `${count}, ${told}`, state === "running" || goal.isProbed);
}

/** Nothing but unknown words is in the way. */
function judgeUnknown(found: Found, summary: string, isReady: boolean): Verdict {
  const unknown = unknownIn(found);
  return isReady ? { kind: "ready", summary, holdMs: steadyMs, unknown } : { kind: "pending", summary, unknown };
}

/** What the service shows that nobody knows: `"whirring" and "brewed", which this version does not know`. */
function unknownIn({ record, status }: Found): string {
  const ofReplicas = status?.replicas.filter(({ healthy }) => healthy === undefined).map((replica) => replica.status);
  const words = [record.status, status?.status, ...(ofReplicas ?? [])].filter((word) => word && !isKnownWord(word));
  const quoted = [...new Set(words)].slice(0, mostReasons).map((word) => `"${shortened(word)}"`);
  return quoted.length > 0 ? `${listOf(quoted)}, which this version does not know` : "nothing about its health";
}

/** A status word with the service's reason for it. Running, stopped and terminated clusters need no reason. */
function withReason(word: string, { reason, status }: ClusterRecord): string {
  const isWell = ["running", "stopped", "terminated"].includes(stateOf(status));
  return reason === undefined || isWell ? word : `${word}: ${cut(reason, longestReason)}`;
}

/** The known facts about a cluster before it is stopped. */
interface Running {
  readonly word?: string | undefined;
  readonly state?: Partial<ClusterState>;
}

/** Twice the time that containers usually get to terminate: no word on the way to a stop stays for longer. */
export const stillMs = 60_000;

/**
 * Judges one poll of a wait until the cluster is stopped. Pure. A known status word decides. If the word is unknown, the
 * replicas decide or, if they cannot be read, another word than before the stop. That has to last if the word is the same as
 * before, or is all that can be read.
 */
export function judgeStopped({ record, status }: Found, before: Running = {}): Verdict {
  const word = tellingWord(record.status, status?.status);
  const state = stateOf(word);
  if (isLeaving(word)) return failed(`it is ${word}: someone else is deleting it`, status);
  if (state === "stopped") return { kind: "ready" };
  const runs = [record.status, status?.status].some((each) => stateOf(each) === "running");
  if (state !== "unknown" || runs) return pending(word);
  if (!status) return confirm(word);
  const isAsLeft = isStopped(record, before.state);
  const isOther = isAsLeft || !isSameWord(before.word, record.status);
  const hasReplicas = !status.isMissing;
  if (!(hasReplicas ? isIdle(status) : isOther)) return pending(word);
  return { kind: "ready", summary: word ?? "no state", holdMs: isAsLeft || (hasReplicas && isOther) ? 0 : stillMs };
}

/**
 * Whether a cluster is stopped. An unknown or absent status word means stopped if this package has stopped the cluster
 * and the service has shown no other word since.
 */
export function isStopped({ status }: Pick<ClusterRecord, "status">, before: Partial<ClusterState> = {}): boolean {
  const state = stateOf(status);
  if (state === "stopped") return true;
  const wasStopped = before.desiredStatus === "stopped" && before.settled === true;
  return state === "unknown" && wasStopped && (status === undefined || before.status === status);
}

/** Judges one poll of a wait until the cluster is gone, for a cluster that is still shown. Pure. */
export function judgeGone({ record: { status } }: Found): Verdict {
  return isGone(status) ? { kind: "ready" } : pending(shortened(status));
}

/** What a word may say, worst first. */
const ranks: readonly ((word: string) => boolean)[] = [
  isLeaving,
  (word) => stateOf(word) === "stopped",
  (word) => stateOf(word) === "failed",
  (word) => stateOf(word) === "pending",
  isSick,
  (word) => stateOf(word) === "running",
];

/** The status word that says the worst, of the record's and that of `/status`. A word that nobody knows says least. */
function tellingWord(...words: (string | undefined)[]): string | undefined {
  const said = words.filter((word) => word !== undefined);
  const rank = ranks.find((is) => said.some(is));
  return shortened(rank ? said.find(rank) : said[0]);
}

function shortened(word: string | undefined): string | undefined {
  return word === undefined ? undefined : cut(word, longestWord);
}

function confirm(word: string | undefined): Verdict {
  return { kind: "confirm", summary: word ?? "no state" };
}

function pending(word: string | undefined): Verdict {
  return { kind: "pending", summary: word ?? "no state" };
}

function failed(summary: string, status: StatusRecord | undefined): Verdict {
  return { kind: "failed", summary, reasons: unhealthyReasons(status) };
}

/**
 * The replicas that count. The service may show replaced replicas for a while, so a replica that is stopped or being
 * removed counts only if fewer than `wanted` others exist.
 */
function present({ replicas }: StatusRecord, wanted: number): readonly ReplicaRecord[] {
  const there = replicas.filter(({ status }) => !isGone(status));
  const staying = there.filter(({ status }) => !isLeaving(status) && stateOf(status) !== "stopped");
  return staying.length >= wanted ? staying : there;
}

/** The number of healthy replicas, of the `replicas` that were requested. */
export function countHealthy(status: StatusRecord, replicas: number): number {
  if (status.overall !== undefined) return status.overall ? replicas : 0;
  return present(status, replicas).filter(({ healthy }) => healthy).length;
}

function isHealthy(status: StatusRecord, goal: Goal): boolean {
  return (status.overall ?? isComplete(status, goal)) && countHealthy(status, goal.replicas) >= goal.enough;
}

/** Whether as many replicas exist as there have to be. A status that is a word alone may speak for all of them. */
function isComplete(status: StatusRecord, { replicas, enough }: Goal): boolean {
  if (status.isMissing) return status.status !== undefined;
  const { length } = present(status, replicas);
  return enough < replicas ? length >= enough : length === replicas;
}

/** Whether a status shows nothing that is known of some replicas, or of the whole, and nothing bad or pending of the others. */
function isUnknown(status: StatusRecord, { replicas }: Goal): boolean {
  const shown = present(status, replicas);
  const isOpen = shown.length === 0 || shown.some(({ healthy }) => healthy === undefined);
  return status.overall === undefined && isOpen && shown.every(({ healthy }) => healthy !== false);
}

/** A status for people. A replica of which nothing is known counts as healthy only if the cluster is ready all the same. */
export function withHealth({ overall, ...status }: StatusRecord, isReady: boolean) {
  const replicas = status.replicas.map((replica) => ({ ...replica, healthy: replica.healthy ?? isReady }));
  return { ...status, overall: overall ?? (isReady && status.isMissing ? true : undefined), replicas };
}

/**
 * Whether no replica runs or may run, by the replicas and by the status word of `/status`. A status that only counts
 * replicas, or has one health for all of them, does not prove that.
 */
export function isIdle(health: StatusRecord): boolean {
  const { replicas, overall, isMissing } = health;
  const isDown = ({ status, healthy }: ReplicaRecord) => !healthy && (stateOf(status) === "stopped" || isGone(status));
  return !mayRun(health) && overall === undefined && !isMissing && replicas.every(isDown);
}

/** Whether the status word of `/status` says that the cluster runs, or is changing. */
function mayRun({ status }: StatusRecord): boolean {
  return ["running", "pending"].includes(stateOf(status));
}

/** One line for each replica that is not healthy: `replica r-1: starting, image not found`. */
export function unhealthyReasons(status: StatusRecord | undefined): string[] {
  const sick = (status ? present(status, Number.POSITIVE_INFINITY) : []).filter(({ healthy }) => !healthy);
  const lines = sick.slice(0, mostReasons).map(({ id, status: word, message = "", healthy }) => {
    const why = [cut(word, longestWord), cut(message, longestReason)].filter(Boolean).join(", ");
    return `replica ${cut(id, longestWord)}: ${why || (healthy === undefined ? "shows no health" : "not healthy")}`;
  });
  return sick.length > mostReasons ? [...lines, `and ${sick.length - mostReasons} more`] : lines;
}

// Limits for messages; the state contains every replica.
const mostReasons = 4;
const longestReason = 120;
const longestWord = 60;
