import { isRecord } from "../../core";
import { plainName } from "../names";
import {
  clusterNames,
  countedWords,
  fieldGroups,
  healthConditions,
  innerNames,
  partLists,
  type Reader,
  type ReplicaRecord,
  replicaCounts,
  replicaListNames,
  replicaNames,
  type StatusRecord,
  sickWords,
  wrapperNames,
} from "../records";
import { stateOf } from "../states";
import { asCount, asFlag, asName, asRecord, asText, defined, Fields, isSaid, UnreadableError } from "./json";

/** Reads `/status`: replicas in a list, in a map or counted; if nothing shows replicas, the cluster as a whole. */
export const readStatus: Reader<StatusRecord> = (json) => {
  const [only, ...others] = Object.entries(asRecord(json));
  if (only && others.length === 0 && wrapperNames.includes(plainName(only[0])) && isRecord(only[1]))
    return readStatus(only[1]);
  const status = stateWord(json);
  const replicas = replicasIn(json, status, 2);
  if (replicas) return defined({ status, replicas, isCounted: replicas.some(isNumbered) || undefined });
  // A word beside a record may be about the request; the word inside the record is about the cluster.
  const inner = wrapperNames.map((name) => new Fields(json).get(name)).find((value) => stateWord(value) !== undefined);
  if (inner !== undefined) return readStatus(inner);
  const overall = isRecord(json) ? overallOf(json, status) : undefined;
  if (overall !== undefined) return defined({ status, replicas: [], overall });
  throw new UnreadableError("it is not a list of replicas, nor anything else that shows their health");
};

/** The replicas in the record of a cluster. The desired number of replicas alone shows no health. */
export function healthOf(record: Record<string, unknown>): StatusRecord | undefined {
  const word = stateWord(record);
  const fields = new Fields(record);
  const named = replicaListNames.map((name) => fields.get(name));
  const counts = [...named, fields.get("status")].filter(isRecord).map((inner) => counted(inner, word));
  const maps = named.filter(isRecord).map((inner) => (isSaid(inner) ? mapped(inner) : undefined));
  const lists = named.filter(isHealthList).map((list) => replicasIn(list, word, 0));
  const replicas = [...lists, ...counts, ...maps, counted(record, word, true)].find((found) => found !== undefined);
  return replicas && defined({ replicas, isCounted: replicas.some(isNumbered) || undefined });
}

/** The state word of a cluster. A text takes precedence over a word inside an object. */
export function stateWord(json: unknown): string | undefined {
  const fields = new Fields(json);
  const word = fields.first(clusterNames.status, asText);
  return word ?? fields.first(clusterNames.status, asWord);
}

/** A word counts for a whole cluster only if nothing else is shown: a list or a number may be about sick replicas. */
function overallOf(json: Record<string, unknown>, status: string | undefined): boolean | undefined {
  const isOther = (value: unknown) =>
    typeof value === "number" || (Array.isArray(value) && !value.every((item) => typeof item === "string"));
  const isPlain = !Object.values(json).some(isOther) && !countsInside(json, 3);
  return healthIn(json) ?? (status !== undefined && isPlain ? stateOf(status) === "running" : undefined);
}

/** Whether a field inside counts something healthy or unhealthy, replicas or anything else. */
function countsInside(json: Record<string, unknown>, depth: number): boolean {
  return Object.entries(json).some(([name, value]) => {
    if (isRecord(value)) return depth > 0 && countsInside(value, depth - 1);
    const words = plainName(name).split("_");
    return typeof value === "number" && words.some((word) => countWords.has(word) || stateOf(word) !== "unknown");
  });
}

const countWords: ReadonlySet<string> = new Set(Object.values(replicaCounts).flat());

/** A word, or the word inside an object. */
function asWord(value: unknown): string | undefined {
  return isRecord(value) ? new Fields(value).first(innerNames.word, asText) : asText(value);
}

function replicasIn(json: unknown, word: string | undefined, depth: number): ReplicaRecord[] | undefined {
  if (Array.isArray(json)) {
    const [only, ...others] = json;
    // A record that counts replicas is not a replica, but their container.
    const isWhole = others.length === 0 && isRecord(only) && healthIn(only) === undefined;
    const own = isWhole ? counted(only, stateWord(only)) : undefined;
    if (own && own.length > 0) return own;
    return json.map((item, index) => toReplica(item, String(index)));
  }
  if (!isRecord(json)) return undefined;
  const fields = new Fields(json);
  for (const name of depth > 0 ? replicaListNames : []) {
    const found = replicasIn(fields.get(name), word, depth - 1);
    if (found) return found;
  }
  const inner = fields.get("status");
  return (
    (isRecord(inner) ? counted(inner, word) : undefined) ??
    theOnlyList(json) ??
    counted(json, word) ??
    (depth > 0 ? wrapped(json, word, depth) : undefined) ??
    mapped(json)
  );
}

/** A list under an unknown name, if it is the only one whose items show their health. */
function theOnlyList(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const named = Object.entries(json).filter(([name]) => !partLists.has(plainName(name)));
  const lists = named.map(([, value]) => value).filter(isHealthList);
  return lists.length === 1 ? replicasIn(lists[0], undefined, 0) : undefined;
}

function isHealthList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(showsHealth);
}

/** The replicas inside an object that is only a wrapper. */
function wrapped(json: Record<string, unknown>, word: string | undefined, depth: number): ReplicaRecord[] | undefined {
  const objects = Object.entries(json).filter(
    ([name, value]) => isRecord(value) && !propertyNames.has(plainName(name)),
  );
  const [first, ...others] = objects.map(([, value]) => value);
  return isRecord(first) && others.length === 0 ? listedOrCounted(first, word, depth) : undefined;
}

function listedOrCounted(
  json: Record<string, unknown>,
  word: string | undefined,
  depth: number,
): ReplicaRecord[] | undefined {
  const fields = new Fields(json);
  const isList = replicaListNames.some((name) => typeof fields.get(name) === "object");
  return isList || !showsHealth(json) ? replicasIn(json, word, depth - 1) : counted(json, word);
}

function isNumbered({ id }: ReplicaRecord): boolean {
  return id.startsWith("#");
}

/** Names of properties, so never ids of replicas. */
const propertyNames: ReadonlySet<string> = new Set(
  [...Object.values(replicaNames), ...Object.values(clusterNames), ["ok", "success"]].flat(),
);

/** A map of replicas by id: each value shows the health of one. An empty map shows no replicas. */
function mapped(json: Record<string, unknown>): ReplicaRecord[] | undefined {
  const entries = Object.entries(json);
  const isId = (name: string) => !propertyNames.has(name) && !wrapperNames.includes(name);
  const isMap = entries.every(([name, value]) => isId(plainName(name)) && showsHealth(value));
  return isMap ? entries.map(([id, value]) => toReplica(value, id)) : undefined;
}

function showsHealth(value: unknown): boolean {
  const fields = new Fields(isRecord(value) ? withGroups(value) : {});
  return [...replicaNames.status, ...replicaNames.healthy].some((name) => fields.has(name));
}

/** An object merged with its groups (`attributes`, `spec`). Its own properties take precedence. */
function withGroups(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = new Fields(object);
  const groups = fieldGroups.map((name) => asRecord(fields.get(name)));
  return { ...Object.assign({}, ...groups.reverse()), ...object };
}

function toReplica(json: unknown, place: string): ReplicaRecord {
  const raw = isRecord(json) ? withGroups(json) : {};
  const fields = new Fields(raw);
  const status = fields.first(replicaNames.status, asWord) ?? "";
  const message = fields.first(replicaNames.message, asWordOrMessage);
  const inner = counted(raw, status) ?? [];
  return {
    id: fields.first(replicaNames.id, asName) ?? place,
    status,
    healthy: (healthIn(raw) ?? stateOf(status) === "running") && inner.every((each) => each.healthy),
    ...(message ? { message } : {}),
  };
}

function asWordOrMessage(value: unknown): string | undefined {
  return isRecord(value) ? new Fields(value).first(replicaNames.message, asText) : asText(value);
}

const depthOfHealth = 3;

/**
 * The health that an object shows: flags, words and numbers under names for health, also in the objects and lists
 * inside. One "no" outweighs every "yes". `undefined` if nothing shows health. A value that cannot be read is a "no".
 */
export function healthIn(json: Readonly<Record<string, unknown>>): boolean | undefined {
  const signals = signalsIn(json, depthOfHealth);
  return signals.length === 0 ? undefined : signals.every(Boolean);
}

function signalsIn(value: unknown, depth: number): boolean[] {
  if (Array.isArray(value)) return depth > 0 ? value.flatMap((item) => signalsIn(item, depth - 1)) : [];
  if (!isRecord(value)) return [];
  const own = conditionIn(value);
  if (own !== undefined) return [own];
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === null) return [];
    const plain = plainName(name);
    const isInner = depth > 0 && typeof item === "object";
    const inner = isInner ? signalsIn(item, depth - 1) : [];
    const isSick = isInner ? [] : sickWord(plain, item, depth);
    return isHealthName(plain) && inner.length === 0 ? [isYes(item)] : [...inner, ...isSick];
  });
}

function isHealthName(plain: string): boolean {
  return replicaNames.healthy.some((name) => name === plain);
}

/** `{"type": "Ready", "status": "False"}`: a condition is a flag, and its type is the name of the flag. */
function conditionIn(value: Record<string, unknown>): boolean | undefined {
  const type = value["type"] ?? value["name"];
  if (typeof type !== "string" || !healthConditions.has(plainName(type))) return undefined;
  return asFlag(value["status"] ?? value["value"]) ?? false;
}

/** A bad word inside a replica: `{"checks": [{"status": "critical"}]}`. The replica's own word is its state instead. */
function sickWord(plain: string, item: unknown, depth: number): boolean[] {
  const isWord = typeof item === "string" && replicaNames.status.some((name) => name === plain);
  const isSick = isWord && depth < depthOfHealth && (sickWords.has(plainName(item)) || stateOf(item) === "failed");
  return isSick ? [false] : [];
}

function isYes(value: unknown): boolean {
  if (isRecord(value))
    return Object.values(value).some((word) => typeof word === "string" && stateOf(word) === "running");
  return asFlag(value) ?? (typeof value === "string" && stateOf(value) === "running");
}

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
