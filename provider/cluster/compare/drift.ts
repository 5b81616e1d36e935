import { isSameGpu, matchGpu } from "../../api/gpuMatch";
import { plainName } from "../../api/names";
import { type ClusterRecord, clusterTable, gpuNames } from "../../api/records";
import { isOpaque, vocabularies } from "../../api/requests";
import { isStopping, stateOf } from "../../api/states";
import type { GpuType } from "../../api/types";
import { cleanText } from "../../base/text";
import { driftedExtras, extrasShown, mayScaleTo } from "../model/extraFields";
import { type TextName, textNames } from "../model/fields";
import { costOfReplica, roundCost } from "../model/money";
import { withOthers } from "../model/secrets";
import type { CheckedInputs, ClusterState, Echo } from "../model/stateFields";
import { isStopped } from "./health";

/**
 * Compares the observed inputs of a cluster with the desired ones. A service shows inputs in its own form: with a
 * default registry, masked values or variables of its own. The form that it shows right after a change is applied is
 * its form of that change. A later difference from that form is drift.
 */

/** Whether the shown text is just the service's form of the requested one, for each text with other forms than its case. */
const ownForms: Partial<Record<TextName, (asked: string, shown: string, record: ClusterRecord) => boolean>> = {
  gpuType: (asked, _shown, record) => isSameGpu(asked, identifiersIn(record)),
  container: sameImage,
};

type Env = Readonly<Record<string, string>>;
type ShownEnv = NonNullable<ClusterRecord["env"]>;

/** The form of the inputs that was observed right after a change. */
export interface Learned {
  /** Empty: the form was observed, and nothing differs. */
  readonly echo: Echo;
  /** Paths with another value than the requested one, not just another form of it. */
  readonly differing: readonly string[];
  /**
   * The paths of `differing` that still show the value from before the change. That is not a form: the change did not
   * arrive.
   */
  readonly unchanged: readonly string[];
}

/** Compares the observed record with the requested inputs and with the state before. Pure. */
export function learnForm(inputs: CheckedInputs, record: ClusterRecord, before: Partial<ClusterState> = {}): Learned {
  const asked = textNames.filter((field) => inputs[field] !== undefined);
  const shown = asked.filter((field) => record[field] !== undefined && record[field] !== inputs[field]);
  const isStale = (field: TextName) => before[field] !== inputs[field] && showsForm(field, before[field], record);
  const stale = shown.filter(isStale);
  // A different image is not a form of the requested one: it stays drift, which a refresh shows.
  const { container } = record;
  const isForeign = container !== undefined && isForeignImage(inputs.container, container);
  const isOthers = (field: TextName) => field === "container" && isForeign;
  const isLearned = (field: TextName) => !isStale(field) && !isOthers(field);
  const other = shown.filter((field) => !showsForm(field, inputs[field], record));
  const env = showings(inputs.env, record.env, before.env, before.__sent);
  const [hidden, masked] = [env("hidden"), env("masked")];
  const extras = extrasShown(inputs.extraFields, record, "other");
  return {
    echo: {
      ...Object.fromEntries(shown.filter(isLearned).map((field) => [field, record[field]])),
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
 * How the service shows a variable. `hidden`: it is not shown, or was never requested. `masked`: it is shown without
 * its value. `stale`: it has the value from before the change. `other`: it has another value.
 */
type Showing = "same" | "hidden" | "masked" | "stale" | "other";

/**
 * The sorted names of the variables that are shown in given ways.
 * @param sent Names that an unfinished update may have left with the service.
 */
function showings(asked: Env = {}, shown: ShownEnv | undefined, before: Env = {}, sent: readonly string[] = []) {
  const names = shown ? [...new Set([...Object.keys(asked), ...Object.keys(shown)])].sort() : [];
  const own = <T>(map: Readonly<Record<string, T>> | undefined, name: string) =>
    map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
  const isLeft = (name: string) => !Object.hasOwn(asked, name) && sent.includes(name);
  const all = names.map((name) => {
    const showing = showingOf(own(asked, name), own(shown, name), own(before, name));
    return [name, showing === "hidden" && isLeft(name) ? "stale" : showing] as const;
  });
  return (...wanted: Showing[]) => all.flatMap(([name, showing]) => (wanted.includes(showing) ? [name] : []));
}

function showingOf(asked: string | undefined, shown: string | null | undefined, before: string | undefined): Showing {
  if (asked === shown) return "same";
  if (shown === undefined) return "hidden";
  // A variable without an old value was never set by this package. It is still there although the request omitted it,
  // so the service adds it.
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

/** Whether the shown value is just the service's form of the requested one. */
export function showsForm(field: TextName, asked: string | undefined, record: ClusterRecord): boolean {
  const shown = record[field];
  return asked !== undefined && shown !== undefined && (ownForms[field] ?? sameText)(asked, shown, record);
}

/**
 * The state with the drift that the record shows. Inputs that the service does not show, or shows in their learned
 * form, stay as last applied.
 */
export function withDrift(state: ClusterState, record: ClusterRecord): ClusterState {
  const isAtRest = isStopped(record, state);
  // A number of replicas that takes effect at the next start is no drift, nor is one that an autoscaler may choose.
  const isKept = isAtRest || mayScaleTo(state.extraFields, record.replicas);
  const replicas = isKept ? (state.replicas ?? record.replicas) : (record.replicas ?? state.replicas);
  // After an unfinished update, the service may show the requested configuration and not the running one. The next
  // update needs to know the running one.
  if (state.__unfinished) return { ...state, replicas };
  const power = driftedPower(state, record, isAtRest);
  const { __echo: echo = {} } = state;
  const drifted = textNames.filter(
    (field) => record[field] !== undefined && record[field] !== echo[field] && !showsForm(field, state[field], record),
  );
  return {
    ...state,
    ...Object.fromEntries(drifted.map((field) => [field, field === "gpuType" ? gpuTypeOf(record) : record[field]])),
    ...power,
    ...driftedCost(state, { replicas, ...power }),
    replicas,
    ...(record.env ? driftedEnv(state, record.env, echo) : {}),
    ...driftedExtras(state.extraFields, record, echo.extraFields),
  };
}

function driftedEnv(state: ClusterState, shown: ShownEnv, { env = [], masked = [] }: Echo) {
  const { env: applied } = state;
  const hidden = new Set(env);
  const unread = new Set(masked);
  const kept = Object.entries(applied ?? {}).filter(([name]) => {
    return hidden.has(name) || (Object.hasOwn(shown, name) && (unread.has(name) || shown[name] === null));
  });
  const seen = Object.entries(shown).filter(([name]) => !hidden.has(name) && !unread.has(name));
  // A variable that was not requested is drift, even if its value is not shown.
  const values = seen.map(([name, value]) => [name, shownValue(applied?.[name], value)] as const);
  const next: Env = { ...Object.fromEntries(values), ...Object.fromEntries(kept) };
  return applied || seen.length > 0 ? withOthers(state, next) : {};
}

/** A mask is never a value: it stands for the applied value or, if there is none, for one that cannot be read. */
function shownValue(applied: string | undefined, shown: string | null): string {
  return isMasked(shown) ? (applied ?? "") : (shown ?? "");
}

/**
 * The drift of `desiredStatus`, if somebody has stopped or started the cluster. An unknown status word proves nothing, and a
 * later read will show the end of a stop in progress.
 */
function driftedPower({ desiredStatus = "running" }: ClusterState, { status }: ClusterRecord, isAtRest: boolean) {
  const isTelling = isAtRest || (stateOf(status) !== "unknown" && !isStopping(status));
  const actual = isAtRest ? ("stopped" as const) : ("running" as const);
  return isTelling && actual !== desiredStatus ? { desiredStatus: actual } : {};
}

/** The current cost of the cluster, at the price in the state; undefined if the state has no price any more. */
function driftedCost(state: CheckedInputs, now: Pick<ClusterState, "replicas" | "desiredStatus">) {
  const { hourlyCost, replicas } = state;
  if (hourlyCost === undefined || (now.replicas === replicas && now.desiredStatus === undefined)) return {};
  if (now.desiredStatus === "stopped") return { hourlyCost: 0 };
  const each = costOfReplica(state);
  return { hourlyCost: each === undefined ? undefined : roundCost(each * now.replicas) };
}

/** Paths of the inputs that a record does not show. Pure. */
export function unverified(inputs: CheckedInputs, record: ClusterRecord, { masked = [] }: Echo = {}): string[] {
  const { env = {} } = inputs;
  const silent = ([...textNames, "replicas"] as const).filter(
    (field) => inputs[field] !== undefined && record[field] === undefined,
  );
  const unread = record.env ? masked.filter((name) => Object.hasOwn(env, name)).map(pathOf) : ["env"];
  const extras = extrasShown(inputs.extraFields, record, "hidden").map(extraPathOf);
  return [...silent, ...(Object.keys(env).length > 0 ? unread : []), ...extras];
}

/**
 * Whether a new cluster has the requested GPU type and image. Pure. A service that silently drops fields of a request
 * creates a cluster without a GPU or without the image. That cluster exists and costs money, so it stays in the state,
 * and is an error.
 */

type Asked = Pick<CheckedInputs, "gpuType" | "container">;

/** The problems of a new cluster, one text for each part. A part that the service does not show counts as right. */
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

function hasNoGpu({ fields }: ClusterRecord): boolean {
  return fields?.get("gpus_per_replica") === 0;
}

function imageProblem(asked: string, record: ClusterRecord): string | undefined {
  const { container } = record;
  if (container === undefined) return isEmpty(record, "container") ? `no image instead of "${asked}"` : undefined;
  return mayBeImage(asked, container) ? undefined : `the image "${container}" instead of "${asked}"`;
}

/** Whether a record shows a field, but empty. */
function isEmpty({ fields = new Map() }: ClusterRecord, field: "gpuType" | "container"): boolean {
  const names: readonly string[] = [
    ...(field === "container" ? clusterTable.container.slice(1).map(String) : []),
    ...Object.values(vocabularies).map((own) => plainName(own[field])),
  ];
  const shown = [...fields.keys()].filter(
    (name) => names.includes(name) || (field === "gpuType" && gpuNames.includes(name)),
  );
  return shown.some((name) => fields.get(name) === null || fields.get(name) === "");
}

/** Forms in which services show requested values. Pure. */

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

/** Whether both references have a tag, or both have a digest, and these differ. */
function differsInTag(asked: string, shown: string): boolean {
  const [own, other] = [parseImage(asked), parseImage(shown)];
  const differs = (part: "tag" | "digest") =>
    own[part] !== undefined && other[part] !== undefined && own[part] !== other[part];
  return differs("tag") || differs("digest");
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
