import { isSameGpu, matchGpu } from "../api/gpuMatch";
import { isGpuName } from "../api/read/gpuFacts";
import { plainName } from "../api/read/json";
import { isStopping, stateOf } from "../api/read/states";
import { type ClusterRecord, clusterNames } from "../api/records";
import { isOpaque, vocabularies } from "../api/requestNames";
import { cleanText } from "../api/text";
import type { GpuType } from "../types";
import { isStopped } from "./conditions";
import { driftedExtras, extrasShown, replicasWithin } from "./extraFields";
import type { CheckedInputs, ClusterState, Echo } from "./fields";
import { costOfReplica, roundCost } from "./money";

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
export function learnForm(inputs: CheckedInputs, record: ClusterRecord, before: Partial<ClusterState> = {}): Learned {
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

/**
 * Whether a new cluster is what was asked for. A service that drops the names of a request in silence makes a cluster
 * without a GPU or without the image; it exists and is paid for, so it stays in the state, and is an error. Pure.
 */

type Asked = Pick<CheckedInputs, "gpuType" | "container">;

/** What is wrong with a new cluster, one text for each part; what the service does not show is believed. */
export function madeOtherwise(inputs: Asked, record: ClusterRecord, gpus: readonly GpuType[]): string[] {
  const gpu = gpuProblem(inputs.gpuType, record, gpus);
  const image = imageProblem(inputs.container, record);
  return [gpu, image].filter((problem) => problem !== undefined);
}

function gpuProblem(asked: string, record: ClusterRecord, gpus: readonly GpuType[]): string | undefined {
  const shown = identifiersIn(record);
  const isNone = hasNoGpu(record) || (shown.length === 0 && isEmpty(record, "gpuType"));
  if (isNone) return `no GPU instead of "${asked}"`;
  if (isSameGpu(asked, shown)) return undefined;
  const wanted = matchGpu(asked, gpus);
  const others = shown.map((text) => matchGpu(text, gpus)).filter((match) => match.kind === "one");
  const isOther = wanted.kind === "one" && others.length > 0 && others.every(({ gpu }) => gpu.type !== wanted.gpu.type);
  return isOther ? `the GPU type "${record.gpuType}" instead of "${asked}"` : undefined;
}

/**
 * The inputs with the type that a cluster has, if it is one of the list that they hold; what another one than the expected one
 * costs is not known then.
 */
export function withTakenType(inputs: CheckedInputs, shown: readonly string[]): CheckedInputs {
  const { __gpuTypes: types = [], ...others } = inputs;
  const taken = types.find((type) => isSameGpu(type, shown));
  if (taken === undefined) return inputs;
  return isSameGpu(taken, [inputs.gpuType]) ? others : { ...others, gpuType: taken, hourlyCost: undefined };
}

/** Every text by which a record identifies its GPU. */
export function identifiersIn({ gpuType, gpuIdentifiers = [] }: ClusterRecord): string[] {
  return [...new Set([...(gpuType === undefined ? [] : [gpuType]), ...gpuIdentifiers])];
}

/** The GPU type as a program would say it: a word if the record shows one, else the id. */
export function gpuTypeOf(record: ClusterRecord): string | undefined {
  const shown = identifiersIn(record);
  return shown.find((text) => !isOpaque(text)) ?? shown[0];
}

function hasNoGpu({ fields }: ClusterRecord): boolean {
  return fields?.get("gpus_per_replica") === 0;
}

function imageProblem(asked: string, record: ClusterRecord): string | undefined {
  const { container } = record;
  if (container === undefined) return isEmpty(record, "container") ? `no image instead of "${asked}"` : undefined;
  return mayBeImage(asked, container) ? undefined : `the image "${container}" instead of "${asked}"`;
}

/** Whether a record shows a field and nothing in it. */
function isEmpty({ fields = new Map() }: ClusterRecord, field: "gpuType" | "container"): boolean {
  const names: readonly string[] = [
    ...(field === "container" ? clusterNames.container : []),
    ...Object.values(vocabularies).map((own) => plainName(own[field])),
  ];
  const shown = [...fields.keys()].filter((name) => names.includes(name) || (field === "gpuType" && isGpuName(name)));
  return shown.some((name) => fields.get(name) === null || fields.get(name) === "");
}

/** Forms in which services show what they were told. Pure. */

interface Image {
  readonly host: string;
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

/**
 * Whether an image that is shown is the one that was asked for, with what the service has added to its reference: the registry
 * that is meant where none is named, a tag, a digest. What was said is never ignored.
 */
export function sameImage(asked: string, shown: string): boolean {
  const own = parseImage(asked);
  const other = parseImage(shown);
  const isKept = (part: "tag" | "digest") => own[part] === undefined || own[part] === other[part];
  return own.path === other.path && own.host === other.host && isKept("tag") && isKept("digest");
}

/**
 * Whether an image that is shown may be the service's own way to write the one that was asked for: a mirror or a digest keeps
 * the name of the image, and what is no reference at all names nothing else.
 */
export function mayBeImage(asked: string, shown: string): boolean {
  const isReference = /[/:]/.test(shown);
  return !isReference || shown.includes(parseImage(asked).path.split("/").at(-1) ?? asked);
}

/** Whether two references name two tags, or two digests, of which only one can be meant. */
export function differsInTag(asked: string, shown: string): boolean {
  const [own, other] = [parseImage(asked), parseImage(shown)];
  const differs = (part: "tag" | "digest") =>
    own[part] !== undefined && other[part] !== undefined && own[part] !== other[part];
  return differs("tag") || differs("digest");
}

/** The registry of images whose reference names none. */
const defaultHost = "docker.io";

function parseImage(reference: string): Image {
  const [name = "", digest] = reference.split("@");
  const [, path = name, tag] = /^(.*?)(?::([^:/]+))?$/.exec(name) ?? [];
  const [first = "", ...rest] = path.split("/");
  // As container tools tell a registry from a folder.
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const inner = hasHost ? rest.join("/") : path;
  const host = hasHost ? first : defaultHost;
  return { host: host.replace(/^index\./, ""), path: inner.replace(/^library\//, ""), tag, digest };
}

/** True when a value is not shown: nothing, a row of marks, or a word in its place. */
export function isMasked(shown: string | null): boolean {
  return (
    shown === null ||
    /^(enc|encrypted|kms|vault|sha\d+|hmac)[:(]/i.test(shown) ||
    /^\W*$|([*•●x#.\-_])\1\1|redacted|masked|hidden|secret|encrypted|sensitive/i.test(shown)
  );
}

/** The names of hosts know no case, and neither do types of GPUs. */
export function sameText(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}
