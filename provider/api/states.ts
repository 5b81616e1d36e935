import { isNotFound } from "../errors";
import { plainName } from "./names";
import {
  type ClusterRecord,
  leavingWords,
  neutralWords,
  type StateKind,
  type StatusRecord,
  stateWords,
  stoppingWords,
} from "./records";

/** The meaning of status words, in any spelling. */

const stateByWord = new Map(
  Object.entries(stateWords).flatMap(([state, words]) =>
    words.split(" ").map((word) => [word, state as StateKind] as const),
  ),
);

/** The meaning of a status word in any spelling: `CLUSTER_STATUS_RUNNING`, `Running`, `running (2/2)`. */
export function stateOf(word: string | undefined): StateKind {
  const state = stateByWord.get(essence(word)) ?? "unknown";
  return state === "running" && isPart(word) ? "pending" : state;
}

/** A known state word is never redacted, whatever the values of env are. An unknown word may quote these values. */
export function clearWord(word: string, redact: (text: string) => string): string {
  return stateOf(word) === "unknown" ? redact(word) : word;
}

/** `Running (1/2)` does not run yet. */
function isPart(word = ""): boolean {
  const [, part, whole] = /(\d{1,9})\s*\/\s*(\d{1,9})/.exec(word) ?? [];
  return Number(part) < Number(whole);
}

/** True if the cluster is deleted or is being deleted: its name is free, and it gets no more requests. */
export function isLeaving(word: string | undefined): boolean {
  return stateOf(word) === "terminated" || leavingWords.has(essence(word));
}

/** True while the cluster is being stopped. */
export function isStopping(word: string | undefined): boolean {
  return stoppingWords.has(essence(word));
}

/** Whether two words say the same, in any spelling. */
export function isSameWord(one: string | undefined, other: string | undefined): boolean {
  return essence(one) === essence(other);
}

/** The word itself, if it is a known one; else without neutral words and numbers. */
function essence(word = ""): string {
  const plain = plainName(word);
  if (stateByWord.has(plain)) return plain;
  const parts = plain.split("_").filter((part) => !neutralWords.has(part) && !/^\d*$/.test(part));
  return parts.join("_");
}

/**
 * The health that a record shows. Without replicas, its status word counts for all of them, and nothing is known about
 * them otherwise. Not after a 404: that may be about replicas that do not exist yet.
 */
export function statusIn({ health, status }: ClusterRecord, missing?: unknown): StatusRecord | undefined {
  const word = status === undefined ? {} : { status };
  if (health) return { ...health, ...word };
  return isNotFound(missing)
    ? undefined
    : { replicas: [], ...word, overall: stateOf(status) === "running", isMissing: true };
}
