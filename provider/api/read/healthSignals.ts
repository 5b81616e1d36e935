import { healthConditions, replicaNames, sickWords } from "../records";
import { asFlag, isRecord, plainName } from "./json";
import { stateOf } from "./states";

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
