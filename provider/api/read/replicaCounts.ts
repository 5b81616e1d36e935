import { isRecord } from "../../core";
import { countedWords, type ReplicaRecord, replicaCounts } from "../records";
import { asCount, plainName } from "./json";
import { stateOf } from "./states";

/** More than any input may request; a larger number is a time. */
const mostCounted = 100_000;

const countingWords: ReadonlySet<string> = new Set([...countedWords, "count", "number", "num", "of"]);

interface Count {
  /** The words for what is counted: `readyReplicas` and `ready_count` are `ready`, `replicas` alone is empty. */
  readonly word: string;
  readonly count: number;
}

/**
 * Reads counts of replicas, `{"total": 3, "healthy": 2}`, as numbered replicas, as many as desired; `undefined` if
 * nothing shows their health.
 * @param word The status word of the cluster. If all replicas are in a running state but the word says otherwise, none
 * counts as healthy.
 * @param isStrict Whether the name of a count has to name replicas.
 */
export function counted(
  json: Readonly<Record<string, unknown>>,
  word: string | undefined,
  isStrict = false,
): ReplicaRecord[] | undefined {
  const counts = countsIn(json, isStrict);
  const all = (words: readonly string[]) => counts.flatMap((each) => (words.includes(each.word) ? [each.count] : []));
  const inState = (isWanted: (state: string) => boolean) =>
    counts.flatMap((each) => (!isOwnWord(each.word) && isWanted(stateOf(each.word)) ? [each.count] : []));
  const [ready, unready, others] = [all(replicaCounts.healthy), all(replicaCounts.unhealthy), all(replicaCounts.other)];
  const running = inState((state) => state === "running");
  const down = inState((state) => state !== "running" && state !== "unknown");
  const [desired, present] = [all(replicaCounts.desired), all(replicaCounts.total)];
  const sick = sum(unready) + sum(down);
  const isLacking = desired.length > 0 && present.length > 0 && Math.max(...present) < Math.max(...desired);
  const isShown = [ready, unready, others, running, down].some((found) => found.length > 0) || isLacking;
  if (!isShown) return undefined;
  const least = Math.min(...ready, ...running);
  const total = Math.max(...desired, ...present, ...ready, ...running, sick, sumOfStates(running, down), 0);
  // A service may leave out counts of zero.
  const said = Number.isFinite(least) ? least : unready.length > 0 ? total - sick : 0;
  const isDenied = ready.length === 0 && said === total && !["running", "unknown"].includes(stateOf(word));
  return numbered(total, isDenied ? 0 : Math.min(said, total - sick));
}

/** Counts of several running states may overlap. They give a sum only if other states are counted too. */
function sumOfStates(running: readonly number[], down: readonly number[]): number {
  return down.length > 0 ? Math.max(0, ...running) + sum(down) : 0;
}

function countsIn(json: Readonly<Record<string, unknown>>, isStrict: boolean): Count[] {
  return Object.entries(json).flatMap(([name, value]) => {
    if (isRecord(value)) return isByState(value) ? [byState(value)].flat() : [];
    const words = plainName(name).split("_");
    const isNamed = !isStrict || words.some((each) => countedWords.has(each));
    const count = typeof value === "number" ? asCount(value) : undefined;
    if (count === undefined || count > mostCounted || !isNamed) return [];
    return [{ word: words.filter((each) => !countingWords.has(each)).join("_"), count }];
  });
}

/** `{"RUNNING": 3, "PROVISIONING": 1}`: the number of replicas in each state. */
function isByState(value: Record<string, unknown>): boolean {
  const entries = Object.entries(value);
  const isCount = ([name, count]: [string, unknown]) => stateOf(name) !== "unknown" && asCount(count) !== undefined;
  return entries.length > 0 && entries.every(isCount);
}

function byState(value: Record<string, unknown>): Count[] {
  const counts = Object.entries(value).map(([name, count]) => ({ state: stateOf(name), count: asCount(count) ?? 0 }));
  const of = (isRunning: boolean) =>
    sum(counts.filter(({ state }) => (state === "running") === isRunning).map(({ count }) => count));
  return [
    { word: "running", count: of(true) },
    { word: "pending", count: of(false) },
  ];
}

const ownWords: ReadonlySet<string> = new Set(Object.values(replicaCounts).flat());

function isOwnWord(word: string): boolean {
  return ownWords.has(word);
}

function numbered(total: number, healthy: number): ReplicaRecord[] {
  return Array.from({ length: total }, (_, index) => ({ id: `#${index + 1}`, status: "", healthy: index < healthy }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
