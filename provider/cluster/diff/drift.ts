import { plainName } from "../../api/decode/names";
import { type ClusterRecord, clusterTable, gpuNames } from "../../api/decode/records";
import { isStopping, stateOf } from "../../api/decode/states";
import type { GpuType } from "../../api/decode/types";
import { isSameGpu, matchGpu } from "../../api/gpuMatch";
import { isOpaque, vocabularies } from "../../api/requests";
import { cleanText } from "../../base/text";
import { isStopped } from "../health/health";
import { driftedExtras, extrasObserved, mayScaleTo } from "../schema/extraFields";
import { type TextName, textNames } from "../schema/fields";
import { costOfReplica, roundCost } from "../schema/money";
import { withOthers } from "../schema/secrets";
import type { CheckedInputs, ClusterState, ObservedInputs } from "../schema/stateFields";

/**
 * Drift is what differs from what was last observed after an apply. A service shows inputs in its own form: with a default
 * registry, with masked values, with variables of its own. What it shows right after an apply is its form, and no drift.
 */

type ShownEnv = NonNullable<ClusterRecord["env"]>;

/** What a record shows of the inputs, right after they were applied. */
export interface Learned {
  /** Empty: nothing differs. */
  readonly echo: ObservedInputs;
  /** Paths with another value than the requested one, not just another form of it. */
  readonly differing: readonly string[];
  /** The paths of `differing` with the value from before the change: the change did not arrive. */
  readonly unchanged: readonly string[];
}

/** Compares an observed record with the inputs that were just applied, and with the state before. */
export function learnObserved(
  inputs: CheckedInputs,
  record: ClusterRecord,
  before: Partial<ClusterState> = {},
): Learned {
  const texts = textNames.filter(
    (field) => inputs[field] !== undefined && record[field] !== undefined && record[field] !== inputs[field],
  );
  const oldTexts = texts.filter((field) => before[field] !== inputs[field] && showsValue(field, before[field], record));
  const ownTexts = texts.filter((field) => !oldTexts.includes(field));
  const env = envDifferences(inputs, record, before);
  const extras = extrasObserved(inputs.extraFields, record, "other");
  return {
    echo: {
      ...Object.fromEntries(ownTexts.map((field) => [field, record[field]])),
      ...(env.own.length > 0 ? { env: env.own } : {}),
      ...(extras.length > 0 ? { extraFields: extras } : {}),
    },
    differing: [
      ...texts.filter((field) => !showsValue(field, inputs[field], record)),
      ...env.differing.map(pathOf),
      ...extras.map(extraPathOf),
    ],
    unchanged: [...oldTexts, ...env.unchanged.map(pathOf)],
  };
}

/** The names of variables that the service adds, hides or shows otherwise (`own`), or still has as before the change. */
function envDifferences(inputs: CheckedInputs, record: ClusterRecord, before: Partial<ClusterState>) {
  const asked = new Map(Object.entries(inputs.env ?? {}));
  const shown = new Map(Object.entries(record.env ?? {}));
  const old = new Map(Object.entries(before.env ?? {}));
  const names = record.env ? [...new Set([...asked.keys(), ...shown.keys()])].sort() : [];
  const others = names.filter((name) => asked.get(name) !== shown.get(name));
  const isLeft = (name: string) => old.has(name) || before.__sent?.includes(name) === true;
  const isUnchanged = (name: string) =>
    shown.has(name) && (asked.has(name) ? shown.get(name) === old.get(name) : isLeft(name));
  const unchanged = others.filter(isUnchanged);
  const isOnlyMasked = (name: string) => asked.has(name) && shown.has(name) && isMasked(shown.get(name) ?? null);
  const own = others.filter((name) => !isUnchanged(name) && !isOnlyMasked(name));
  return { own, unchanged, differing: [...own.filter((name) => asked.has(name) && shown.has(name)), ...unchanged] };
}

function pathOf(name: string): string {
  return `env.${cleanText(name, 100)}`;
}

function extraPathOf(name: string): string {
  return `extraFields.${cleanText(name, 100)}`;
}

/** Whether a record shows a value of an input, in any form that services are known to use. */
export function showsValue(field: TextName, value: string | undefined, record: ClusterRecord): boolean {
  const shown = record[field];
  if (value === undefined || shown === undefined) return false;
  if (field === "gpuType") return isSameGpu(value, identifiersIn(record));
  return field === "container" ? sameImage(value, shown) : sameText(value, shown);
}

/** The state with the drift that a record shows. An input that the service does not show stays as last applied. */
export function withDrift(state: ClusterState, record: ClusterRecord): ClusterState {
  const isAtRest = isStopped(record, state);
  // A number of replicas that takes effect at the next start is no drift, nor is one that an autoscaler may choose.
  const isKept = isAtRest || mayScaleTo(state.extraFields, record.replicas);
  const replicas = isKept ? (state.replicas ?? record.replicas) : (record.replicas ?? state.replicas);
  // After an unfinished update, the service may show the requested configuration and not the running one. The next
  // update needs to know the running one.
  if (state.__unfinished) return { ...state, replicas };
  const power = driftedPower(state, record, isAtRest);
  const { __observed: echo = {} } = state;
  const drifted = textNames.filter(
    (field) => record[field] !== undefined && record[field] !== echo[field] && !showsValue(field, state[field], record),
  );
  return {
    ...state,
    ...Object.fromEntries(drifted.map((field) => [field, field === "gpuType" ? gpuTypeOf(record) : record[field]])),
    ...power,
    ...driftedCost(state, { replicas, ...power }),
    replicas,
    ...(record.env ? driftedEnv(state, record.env, echo.env) : {}),
    ...driftedExtras(state.extraFields, record, echo.extraFields),
  };
}

/**
 * A variable that the service masks is compared by its presence only: it has its applied value, or none that can be read if
 * somebody else has added it.
 */
function driftedEnv(state: ClusterState, shown: ShownEnv, ignored: readonly string[] = []) {
  const applied = new Map(Object.entries(state.env ?? {}));
  const next = new Map([...applied].filter(([name]) => ignored.includes(name) || Object.hasOwn(shown, name)));
  for (const [name, value] of Object.entries(shown)) {
    if (ignored.includes(name)) continue;
    next.set(name, value === null || isMasked(value) ? (applied.get(name) ?? "") : value);
  }
  return state.env || next.size > 0 ? withOthers(state, Object.fromEntries(next)) : {};
}

/**
 * The drift of `desiredStatus`, if somebody has stopped or started the cluster. An unknown status word proves nothing, and a
 * later read will show the end of a stop in progress.
 */
function driftedPower({ desiredStatus = "running" }: ClusterState, { status }: ClusterRecord, isAtRest: boolean) {
  const isShown = isAtRest || (stateOf(status) !== "unknown" && !isStopping(status));
  const actual = isAtRest ? ("stopped" as const) : ("running" as const);
  return isShown && actual !== desiredStatus ? { desiredStatus: actual } : {};
}

/** The current cost of the cluster, at the price in the state; undefined if the state has no price any more. */
function driftedCost(state: CheckedInputs, now: Pick<ClusterState, "replicas" | "desiredStatus">) {
  const { hourlyCost, replicas } = state;
  if (hourlyCost === undefined || (now.replicas === replicas && now.desiredStatus === undefined)) return {};
  if (now.desiredStatus === "stopped") return { hourlyCost: 0 };
  const each = costOfReplica(state);
  return { hourlyCost: each === undefined ? undefined : roundCost(each * now.replicas) };
}

/** Paths of the inputs whose values a record does not show. */
export function unverified(inputs: CheckedInputs, record: ClusterRecord): string[] {
  const { env = {}, extraFields } = inputs;
  const silent = ([...textNames, "replicas"] as const).filter(
    (field) => inputs[field] !== undefined && record[field] === undefined,
  );
  // Sorted: the order of the keys in a program is no change.
  const names = Object.keys(env).sort();
  const shown = new Map(Object.entries(record.env ?? {}));
  const unread = record.env
    ? names.filter((name) => !shown.has(name) || isMasked(shown.get(name) ?? null)).map(pathOf)
    : names.slice(0, 1).map(() => "env");
  return [...silent, ...unread, ...extrasObserved(extraFields, record, "hidden").map(extraPathOf)];
}

/**
 * What a new cluster has instead of the requested GPU type and image; a part that the service does not show counts as right. A
 * service that drops unknown fields of a request creates a cluster without a GPU or without the image. That cluster exists
 * and costs money, so it stays in the state, and is an error.
 */
export function findSpecMismatches(
  inputs: Pick<CheckedInputs, "gpuType" | "container">,
  record: ClusterRecord,
  gpus: readonly GpuType[],
): string[] {
  const gpu = gpuProblem(inputs.gpuType, record, gpus);
  const image = imageProblem(inputs.container, record);
  return [gpu, image].filter((problem) => problem !== undefined);
}

function gpuProblem(asked: string, record: ClusterRecord, gpus: readonly GpuType[]): string | undefined {
  const shown = identifiersIn(record);
  const hasNone = record.fields?.get("gpus_per_replica") === 0;
  if (hasNone || (shown.length === 0 && isEmpty(record, gpuFields))) return `no GPU instead of "${asked}"`;
  if (isSameGpu(asked, shown)) return undefined;
  const wanted = matchGpu(asked, gpus);
  const others = shown.map((text) => matchGpu(text, gpus)).filter((match) => match.kind === "one");
  const isOther = wanted.kind === "one" && others.length > 0 && others.every(({ gpu }) => gpu.type !== wanted.gpu.type);
  return isOther ? `the GPU type "${record.gpuType}" instead of "${asked}"` : undefined;
}

/**
 * The inputs with the GPU type that a cluster shows, if the program allows it. If it is not the expected type, its cost is
 * not known.
 */
export function withTypeAmong(
  inputs: CheckedInputs,
  types: readonly string[],
  shown: readonly string[],
): CheckedInputs {
  const taken = types.find((type) => isSameGpu(type, shown));
  if (taken === undefined || isSameGpu(taken, [inputs.gpuType])) return inputs;
  return { ...inputs, gpuType: taken, hourlyCost: undefined };
}

/** Every text by which a record identifies its GPU. */
export function identifiersIn({ gpuType, gpuIdentifiers = [] }: ClusterRecord): string[] {
  return [...new Set([...(gpuType === undefined ? [] : [gpuType]), ...gpuIdentifiers])];
}

/** The GPU type as a program would write it: a readable name if the record shows one, else the id. */
export function gpuTypeOf(record: ClusterRecord): string | undefined {
  const shown = identifiersIn(record);
  return shown.find((text) => !isOpaque(text)) ?? shown[0];
}

function imageProblem(asked: string, record: ClusterRecord): string | undefined {
  const { container } = record;
  if (container === undefined) return isEmpty(record, imageFields) ? `no image instead of "${asked}"` : undefined;
  return mayBeImage(asked, container) ? undefined : `the image "${container}" instead of "${asked}"`;
}

const vocabularyNames = (field: "gpuType" | "container") =>
  Object.values(vocabularies).map((names) => plainName(names[field]));
const gpuFields: readonly string[] = [...gpuNames, ...vocabularyNames("gpuType")];
const imageFields: readonly string[] = [
  ...clusterTable.container.slice(1).map(String),
  ...vocabularyNames("container"),
];

/** Whether a record shows one of these fields, but empty. */
function isEmpty({ fields = new Map() }: ClusterRecord, names: readonly string[]): boolean {
  return names.some((name) => fields.get(name) === null || fields.get(name) === "");
}

interface Image {
  readonly host: string;
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

/**
 * Whether the shown image is the requested one. The service may add to the reference: the default registry, a tag or a
 * digest. The parts of the request are never ignored.
 */
export function sameImage(asked: string, shown: string): boolean {
  const own = parseImage(asked);
  const other = parseImage(shown);
  const isKept = (part: "tag" | "digest") => own[part] === undefined || own[part] === other[part];
  return own.path === other.path && own.host === other.host && isKept("tag") && isKept("digest");
}

/**
 * Whether the shown image may be the service's own form of the requested one. A mirror or a digest keeps the name of
 * the image. A text that is no reference names no other image.
 */
function mayBeImage(asked: string, shown: string): boolean {
  const isReference = /[/:]/.test(shown);
  return !isReference || shown.includes(parseImage(asked).path.split("/").at(-1) ?? asked);
}

/** The registry of image references without a host. */
const defaultHost = "docker.io";

function parseImage(reference: string): Image {
  const [name = "", digest] = reference.split("@");
  const [, path = name, tag] = /^(.*?)(?::([^:/]+))?$/.exec(name) ?? [];
  const [first = "", ...rest] = path.split("/");
  // Container tools distinguish a registry from a folder by the same rule.
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const inner = hasHost ? rest.join("/") : path;
  const host = hasHost ? first : defaultHost;
  return { host: host.replace(/^index\./, ""), path: inner.replace(/^library\//, ""), tag, digest };
}

/**
 * A value that is not shown is null or empty, holds a row of stars or dots, consists of one other mark, or is one of
 * these words as a whole. A value that only contains such a word, `/run/secrets/hf_token`, is a value.
 */
const maskForm =
  /^$|[*•●]{3}|^([x#.\-_])\1{2,}$|^(redacted|masked)$|^[<[({](redacted|masked|hidden|secret|encrypted|sensitive)[>\])}]$/i;

/** Whether a value is not shown: it stands for the applied one. */
export function isMasked(shown: string | null): boolean {
  return shown === null || maskForm.test(shown.trim());
}

/** Host names and GPU types are not case-sensitive. */
export function sameText(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}
