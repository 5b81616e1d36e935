import { leavingWords, neutralWords, type StateKind, stateWords, stoppingWords } from "../records";
import { plainName } from "./json";

const stateByWord = new Map(
  Object.entries(stateWords).flatMap(([state, words]) =>
    words.split(" ").map((word) => [word, state as StateKind] as const),
  ),
);

/** What a word of the service means, in any spelling: `CLUSTER_STATUS_RUNNING`, `Running`, `running (2/2)`. */
export function stateOf(word: string | undefined): StateKind {
  const state = stateByWord.get(essence(word)) ?? "unknown";
  return state === "running" && isPart(word) ? "pending" : state;
}

/** A word that is known for a state is that, and no secret, whatever the values of env are; another one may quote them. */
export function clearWord(word: string, redact: (text: string) => string): string {
  return stateOf(word) === "unknown" ? redact(word) : word;
}

/** `Running (1/2)` is on its way there. */
function isPart(word = ""): boolean {
  const [, part, whole] = /(\d{1,9})\s*\/\s*(\d{1,9})/.exec(word) ?? [];
  return Number(part) < Number(whole);
}

/** True when the cluster is gone or going: its name is free, and nothing more is asked of it. */
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

/** The word itself, where it is one; else without what it is the state of, and without numbers. */
function essence(word = ""): string {
  const plain = plainName(word);
  if (stateByWord.has(plain)) return plain;
  const parts = plain.split("_").filter((part) => !neutralWords.has(part) && !/^\d*$/.test(part));
  return parts.join("_");
}
