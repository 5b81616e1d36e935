import { isSameGpu } from "../api/gpuMatch";
import { isStopping, stateOf } from "../api/read/states";
import type { ClusterRecord } from "../api/records";
import { cleanText } from "../api/text";
import { gpuTypeOf, identifiersIn } from "./asMade";
import { driftedExtras, extrasShown, replicasWithin } from "./extraFields";
import type { CheckedInputs, ClusterState, Echo } from "./fields";
import { differsInTag, isMasked, mayBeImage, sameImage, sameText } from "./forms";
import { costOfReplica, roundCost } from "./money";
import { isStopped } from "./readiness";

/**
 * What the service shows of the inputs, compared with what was asked. Services show things in their own form (a default
 * registry, masked values, variables of their own): what it shows right after a change was applied is its form of exactly
 * that; what it shows later, and did not show then, is drift.
 */

const words = ["name", "gpuType", "container"] as const;
type Word = (typeof words)[number];

type Env = Readonly<Record<string, string>>;
type ShownEnv = NonNullable<ClusterRecord["env"]>;

/** What was learned right after a change. */
export interface Learned {
  /** An empty one means: learned, and nothing differs. */
  readonly echo: Echo;
  /** Paths that show another value than was asked for, not just another form of it. */
  readonly differing: readonly string[];
  /** Those of `differing` that still show the value from before the change: that is no form, the change did not arrive. */
  readonly unchanged: readonly string[];
}

/** Compares what the service shows with what was asked for, and with what was there before. Pure. */
export function learnEcho(inputs: CheckedInputs, record: ClusterRecord, before: Partial<ClusterState> = {}): Learned {
  const shown = words.filter((word) => record[word] !== undefined && record[word] !== inputs[word]);
  const isStale = (word: Word) => before[word] !== inputs[word] && showsForm(word, before[word], record);
  const stale = shown.filter(isStale);
  // Somebody else's image is no form of ours: it stays drift, for a refresh to show.
  const { container } = record;
  const isForeign = container !== undefined && isForeignImage(inputs.container, container);
  const isOthers = (word: Word) => word === "container" && isForeign;
  const isLearned = (word: Word) => !isStale(word) && !isOthers(word);
  const other = shown.filter((word) => !showsForm(word, inputs[word], record));
  const env = showings(inputs.env, record.env, before.env);
  const [hidden, masked] = [env("hidden"), env("masked")];
  const extras = extrasShown(inputs.extraFields, record, "other");
  return {
    echo: {
      ...Object.fromEntries(shown.filter(isLearned).map((word) => [word, record[word]])),
      ...(hidden.length > 0 ? { env: hidden } : {}),
      ...(masked.length > 0 ? { masked } : {}),
      ...(extras.length > 0 ? { extraFields: extras } : {}),
    },
    differing: [...other, ...env("other", "stale").map(pathOf), ...extras.map(extraPathOf)],
    unchanged: [...stale, ...env("stale").map(pathOf)],
  };
}

function isForeignImage(asked: string, shown: string): boolean {
  return !mayBeImage(asked, shown) || differsInTag(asked, shown);
}

/**
 * How a variable is shown: `hidden` is not shown, or was never asked for; `masked` is shown, but not its value; `stale` is
 * as it was before the change; `other` has another value.
 */
type Showing = "same" | "hidden" | "masked" | "stale" | "other";

/** The names of variables by how they are shown, sorted. */
function showings(asked: Env = {}, shown: ShownEnv | undefined, before: Env = {}) {
  const names = shown ? [...new Set([...Object.keys(asked), ...Object.keys(shown)])].sort() : [];
  const own = <T>(map: Readonly<Record<string, T>> | undefined, name: string) =>
    map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
  const all = names.map((name) => [name, showingOf(own(asked, name), own(shown, name), own(before, name))] as const);
  return (...wanted: Showing[]) => all.flatMap(([name, showing]) => (wanted.includes(showing) ? [name] : []));
}

function showingOf(asked: string | undefined, shown: string | null | undefined, before: string | undefined): Showing {
  if (asked === shown) return "same";
  if (shown === undefined) return "hidden";
  // One without a value was never ours: it is still there although our write left it out, so the service adds it.
  if (asked === undefined) return before ? "stale" : "hidden";
  if (shown === before) return "stale";
  return isMasked(shown) ? "masked" : "other";
}

function pathOf(name: string): string {
  return `env.${cleanText(name, 100)}`;
}

function extraPathOf(name: string): string {
  return `extraFields.${cleanText(name, 100)}`;
}

/** Whether what a record shows is just the service's form of what was asked for. */
function showsForm(word: Word, asked: string | undefined, record: ClusterRecord): boolean {
  const shown = record[word];
  if (asked === undefined || shown === undefined) return false;
  if (word === "gpuType") return isSameGpu(asked, identifiersIn(record));
  return word === "container" ? sameImage(asked, shown) : sameText(asked, shown);
}

/** The inputs as the service now shows them. What it does not echo, or echoes as it always did, stays as last applied. */
export function withDrift(state: ClusterState, record: ClusterRecord, isFoundAtRest = false): ClusterState {
  const isAtRest = isFoundAtRest || isStopped(record, state);
  // The number of replicas that waits for a start is no drift, and neither is one that an autoscaler may choose.
  const isOwn = replicasWithin(state.extraFields, Number.NaN, record.replicas) === record.replicas;
  const isKept = isAtRest || isOwn;
  const replicas = isKept ? (state.replicas ?? record.replicas) : (record.replicas ?? state.replicas);
  // What the service shows may be what it was told and not what runs: the update that goes on needs to know what runs.
  if (state.__unfinished) return { ...state, replicas };
  const power = driftedPower(state, record, isAtRest);
  const { __echo: echo = {} } = state;
  const drifted = words.filter(
    (word) => record[word] !== undefined && record[word] !== echo[word] && !showsForm(word, state[word], record),
  );
  return {
    ...state,
    ...Object.fromEntries(drifted.map((word) => [word, word === "gpuType" ? gpuTypeOf(record) : record[word]])),
    ...power,
    ...driftedCost(state, { replicas, ...power }),
    replicas,
    ...(record.env ? driftedEnv(state.env, record.env, echo) : {}),
    ...driftedExtras(state.extraFields, record, echo.extraFields),
  };
}

function driftedEnv(applied: Env | undefined, shown: ShownEnv, { env = [], masked = [] }: Echo): { env?: Env } {
  const hidden = new Set(env);
  const unread = new Set(masked);
  const kept = Object.entries(applied ?? {}).filter(([name]) => {
    return hidden.has(name) || (Object.hasOwn(shown, name) && (unread.has(name) || shown[name] === null));
  });
  const seen = Object.entries(shown).filter(([name]) => !hidden.has(name) && !unread.has(name));
  // A variable whose value is not shown, and that nobody asked for, is drift all the same.
  const values = seen.map(([name, value]) => [name, shownValue(applied?.[name], value)] as const);
  const next = { ...Object.fromEntries(values), ...Object.fromEntries(kept) };
  return applied || seen.length > 0 ? { env: next } : {};
}

/** A mask is never a value: behind it is what was applied or, if that is nothing, something that nobody can read. */
function shownValue(applied: string | undefined, shown: string | null): string {
  return isMasked(shown) ? (applied ?? "") : (shown ?? "");
}

/** What somebody has stopped or started. A word that is not known says nothing, and a stop that is under way will be seen. */
function driftedPower({ desiredStatus = "running" }: ClusterState, { status }: ClusterRecord, isAtRest: boolean) {
  const isTelling = isAtRest || (stateOf(status) !== "unknown" && !isStopping(status));
  const actual = isAtRest ? ("stopped" as const) : ("running" as const);
  return isTelling && actual !== desiredStatus ? { desiredStatus: actual } : {};
}

/** What the cluster costs as it is now, at the price that is remembered; absent where there is none any more. */
function driftedCost(state: ClusterState, now: Pick<ClusterState, "replicas" | "desiredStatus">) {
  const { hourlyCost, replicas } = state;
  if (hourlyCost === undefined || (now.replicas === replicas && now.desiredStatus === undefined)) return {};
  if (now.desiredStatus === "stopped") return { hourlyCost: 0 };
  const each = costOfReplica(state);
  return { hourlyCost: each === undefined ? undefined : roundCost(each * now.replicas) };
}

/** Paths of the inputs that a record does not show. Pure. */
export function unverified(inputs: CheckedInputs, record: ClusterRecord, { masked = [] }: Echo = {}): string[] {
  const { env = {} } = inputs;
  const silent = ([...words, "replicas"] as const).filter(
    (word) => inputs[word] !== undefined && record[word] === undefined,
  );
  const unread = record.env ? masked.filter((name) => Object.hasOwn(env, name)).map(pathOf) : ["env"];
  const extras = extrasShown(inputs.extraFields, record, "hidden").map(extraPathOf);
  return [...silent, ...(Object.keys(env).length > 0 ? unread : []), ...extras];
}
