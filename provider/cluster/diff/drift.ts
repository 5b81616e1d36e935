import { type ClusterRecord, clusterTable, gpuNames, isUuid } from "../../api/decode/records";
import { isStopping, stateOf } from "../../api/decode/states";
import type { GpuType } from "../../api/decode/types";
import { vocabularies } from "../../api/endpoints";
import { isSameGpu, matchGpu } from "../../api/gpuMatch";
import { cleanText, listOf, maxNamed, plainName } from "../../base/text";
import { isRecord, type Properties } from "../../contract";
import { isStopped } from "../health/health";
import { type TextName, textNames } from "../schema/fields";
import { allowedTypes, costOfReplica, costOfReplicas, hasType } from "../schema/gpus";
import { type CheckedInputs, type ClusterState, type ObservedInputs, withUnmanaged } from "../schema/state";

/**
 * Drift is a difference from what was observed right after an apply. A service can report inputs in another way than they were
 * requested: with a default registry, with masked values, with additional variables. That is not drift.
 */

export interface ObservedDifferences {
  /** Empty: nothing differs. */
  readonly echo: ObservedInputs;
  /** Paths with another value than the requested one, not just another spelling of it. */
  readonly differing: readonly string[];
  /** The paths of `differing` with the value from before the change: the change did not arrive. */
  readonly unchanged: readonly string[];
}

export function compareObserved(
  inputs: CheckedInputs,
  record: ClusterRecord,
  previous: Partial<ClusterState> = {},
): ObservedDifferences {
  // An input that neither the program nor the state has is the choice of the service.
  const texts = textNames.filter(
    (field) =>
      (inputs[field] ?? previous[field]) !== undefined &&
      record[field] !== undefined &&
      record[field] !== inputs[field],
  );
  // An old image without a tag or a digest is also that of a new one with it.
  const oldTexts = texts.filter(
    (field) => !hasValue(field, inputs[field], record) && hasValue(field, previous[field], record),
  );
  const newTexts = texts.filter((field) => !oldTexts.includes(field));

  const requested = new Map(Object.entries(inputs.env ?? {}));
  const observed = new Map(Object.entries(record.env ?? {}));
  const old = new Map(Object.entries(previous.env ?? {}));
  const names = record.env ? [...new Set([...requested.keys(), ...observed.keys()])].sort() : [];
  /** The variables that the service adds, hides or changes. */
  const ignored: string[] = [];
  const otherEnv: string[] = [];
  const oldEnv: string[] = [];
  for (const name of names) {
    const value = observed.get(name);
    if (value === requested.get(name)) continue;
    if (value === undefined) ignored.push(name);
    else if (!requested.has(name)) {
      // A removed variable that stays is the service's own.
      ignored.push(name);
      if (old.has(name) || previous.__unfinished?.paths.includes(`env.${name}`)) oldEnv.push(pathIn("env", name));
    } else if (value === old.get(name)) oldEnv.push(pathIn("env", name));
    else if (!isMasked(value)) {
      ignored.push(name);
      otherEnv.push(pathIn("env", name));
    }
  }

  const extras = differingExtras(inputs.extraFields, record);
  return {
    echo: {
      ...Object.fromEntries(newTexts.map((field) => [field, record[field]])),
      env: ignored.length > 0 ? ignored : undefined,
      extraFields: extras.length > 0 ? extras : undefined,
    },
    differing: [
      ...texts.filter((field) => !hasValue(field, inputs[field], record)),
      ...otherEnv,
      ...oldEnv,
      ...extras.map((name) => pathIn("extraFields", name)),
    ],
    unchanged: [...oldTexts, ...oldEnv],
  };
}

function pathIn(map: "env" | "extraFields", name: string): string {
  return `${map}.${cleanText(name, 100)}`;
}

/** Whether a record reports this value of an input, in any spelling that services are known to use. */
export function hasValue(field: TextName, value: string | undefined, record: ClusterRecord): boolean {
  const observed = record[field];
  if (value === undefined || observed === undefined) return false;
  if (field === "gpuType") return isSameGpu(value, identifiersIn(record));
  return field === "container" ? sameImage(value, observed) : sameText(value, observed);
}

/** The value in a state of a variable of another user that the service masks. It is never sent. */
export const unknownValue = "***";

/** The state with the drift of a record. An input that the service does not report stays as last applied. */
export function withDrift(state: ClusterState, record: ClusterRecord): ClusterState {
  const { __observed: known, __unfinished, desiredStatus = "running" } = state;
  // Of these, the record may show what a request of ours has stored, and the next update needs what the replicas run.
  const paths = __unfinished?.paths ?? [];
  const drifted = textNames.filter(
    (field) =>
      record[field] !== undefined &&
      record[field] !== known?.[field] &&
      !paths.includes(field) &&
      !(field === "gpuType"
        ? identifiersIn(record).some((each) => hasType(state, each))
        : hasValue(field, state[field], record)),
  );

  const hasStopped = isStopped(record, state);
  const isStoppedOrStopping = hasStopped || isStopping(record.status);
  const actual = isStoppedOrStopping ? "stopped" : "running";
  // An unknown status word proves nothing.
  const isPowerKnown = isStoppedOrStopping || stateOf(record.status) !== "unknown";
  const isPowerDrift = isPowerKnown && actual !== desiredStatus && !paths.includes("desiredStatus");

  // A number of replicas that takes effect at the next start, or that an autoscaler can choose, is not drift.
  const isNoDrift = hasStopped || mayScaleTo(state.extraFields, record.replicas);
  const replicas = isNoDrift ? (state.replicas ?? record.replicas) : (record.replicas ?? state.replicas);
  const isCostDrift = state.hourlyCost !== undefined && (replicas !== state.replicas || isPowerDrift);
  const size = { replicas, isStopped: isPowerDrift && actual === "stopped" };

  const applied = new Map(Object.entries(state.env ?? {}));
  const observed = record.env ?? {};
  const ignored = new Set([...keysIn(paths, "env"), ...(known?.env ?? []), ...(known?.kept ?? [])]);
  // Of a new cluster, it is not known yet which variables the service adds.
  if (!known && __unfinished?.kind === "creation")
    for (const name of Object.keys(observed)) if (!applied.has(name)) ignored.add(name);
  const env = new Map([...applied].filter(([name]) => ignored.has(name) || Object.hasOwn(observed, name)));
  for (const [name, value] of Object.entries(observed)) {
    if (ignored.has(name)) continue;
    // An empty string may stand for a value of ours that is not shown; a masked one of another user is not known.
    const hidden = applied.get(name) ?? (value === "" ? "" : unknownValue);
    env.set(name, value === null || isMasked(value) ? hidden : value);
  }
  const hasEnv = record.env !== undefined && (state.env !== undefined || env.size > 0);

  const ignoredExtras = [...keysIn(paths, "extraFields"), ...(known?.extraFields ?? [])];
  const extras = differingExtras(state.extraFields, record).filter((name) => !ignoredExtras.includes(name));
  const observedExtras = Object.fromEntries(extras.map((name) => [name, record.fields?.get(plainName(name))]));

  return {
    ...state,
    ...Object.fromEntries(drifted.map((field) => [field, field === "gpuType" ? gpuTypeOf(record) : record[field]])),
    ...(isPowerDrift && { desiredStatus: actual }),
    ...(isCostDrift && { hourlyCost: costOfReplicas(size, costOfReplica(state)) }),
    replicas,
    ...(hasEnv && withUnmanaged(state, Object.fromEntries(env))),
    ...(extras.length > 0 && { extraFields: { ...state.extraFields, ...observedExtras } }),
  };
}

/** The keys of a map in paths: `MODEL` of `env.MODEL`. */
export function keysIn(paths: readonly string[], map: "env" | "extraFields"): string[] {
  return paths.filter((path) => path.startsWith(`${map}.`)).map((path) => path.slice(map.length + 1));
}

function differingExtras(extras: Properties = {}, { fields }: ClusterRecord): string[] {
  return Object.keys(extras).filter((name) => {
    const observed = fields?.get(plainName(name));
    return observed !== undefined && !isSameValue(extras[name], observed);
  });
}

/** Names are compared in any spelling; those that the service adds inside an object are ignored. A number equals its digits. */
function isSameValue(requested: unknown, observed: unknown): boolean {
  if (isRecord(requested) && isRecord(observed)) {
    const values = new Map(Object.entries(observed).map(([name, value]) => [plainName(name), value]));
    return Object.entries(requested).every(([name, value]) =>
      isSameValue(value ?? null, values.get(plainName(name)) ?? null),
    );
  }
  if (Array.isArray(requested) && Array.isArray(observed))
    return requested.length === observed.length && requested.every((item, index) => isSameValue(item, observed[index]));
  const arePlain = [requested, observed].every((value) => typeof value !== "object" || value === null);
  return requested === observed || (arePlain && `${requested}` === `${observed}`);
}

const rangeNames = {
  min: ["min_replicas", "min_replica", "min_replica_count", "minimum_replicas"],
  max: ["max_replicas", "max_replica", "max_replica_count", "maximum_replicas"],
} as const;

/** Whether the extra fields have a range in which an autoscaler can choose this number of replicas. */
export function mayScaleTo(extras: Properties = {}, count?: number): count is number {
  for (const object of [extras, ...Object.values(extras).filter(isRecord)]) {
    const numbers = new Map(Object.entries(object).map(([name, value]) => [plainName(name), value]));
    const firstOf = (names: readonly string[]) =>
      names.map((name) => numbers.get(name)).find((value) => typeof value === "number");
    const min = firstOf(rangeNames.min);
    const max = firstOf(rangeNames.max);
    if (min !== undefined && max !== undefined) return count !== undefined && count >= min && count <= max;
  }
  return false;
}

export function unverifiedPaths(inputs: CheckedInputs, record: ClusterRecord): string[] {
  const { env = {}, extraFields = {} } = inputs;
  const unreported: string[] = ([...textNames, "replicas"] as const).filter(
    (field) => inputs[field] !== undefined && record[field] === undefined,
  );
  const observed = record.env && new Map(Object.entries(record.env));
  // Sorted, because the order of the keys in a program is not a change.
  const names = Object.keys(env).sort();
  if (observed)
    unreported.push(...names.filter((name) => isMasked(observed.get(name) ?? null)).map((name) => pathIn("env", name)));
  else if (names.length > 0) unreported.push("env");
  const extras = Object.keys(extraFields).filter((name) => record.fields?.get(plainName(name)) === undefined);
  return [...unreported, ...extras.map((name) => pathIn("extraFields", name))];
}

/**
 * What a new cluster has instead of the requested GPU type and image. A part that the service does not report counts as right. A
 * service that drops unknown fields of a request creates a cluster without a GPU or without the image: it exists and costs
 * money, so it stays in the state, and is an error.
 */
export function findSpecMismatches(
  { gpuType, container }: Pick<CheckedInputs, "gpuType" | "container">,
  record: ClusterRecord,
  gpus: readonly GpuType[],
): string[] {
  const { fields } = record;
  const problems: string[] = [];
  const isEmpty = (names: readonly string[]) =>
    names.some((name) => fields?.get(name) === null || fields?.get(name) === "");

  const identifiers = identifiersIn(record);
  if (fields?.get("gpus_per_replica") === 0 || (identifiers.length === 0 && isEmpty(gpuFields)))
    problems.push(`no GPU instead of "${gpuType}"`);
  else if (!isSameGpu(gpuType, identifiers)) {
    const wanted = matchGpu(gpuType, gpus);
    const found = identifiers.map((text) => matchGpu(text, gpus)).filter((match) => match.kind === "one");
    const isOther = wanted.kind === "one" && found.length > 0 && found.every(({ gpu }) => gpu.type !== wanted.gpu.type);
    if (isOther) problems.push(`the GPU type "${gpuTypeOf(record)}" instead of "${gpuType}"`);
  }

  const image = record.container;
  if (image === undefined && isEmpty(imageFields)) problems.push(`no image instead of "${container}"`);
  // A mirror or a digest keeps the name of the image, and a string that is not a reference names no other image.
  const name = parseImage(container).path.split("/").at(-1) ?? container;
  if (image !== undefined && /[/:]/.test(image) && !image.includes(name))
    problems.push(`the image "${image}" instead of "${container}"`);
  return problems;
}

/** The inputs with the GPU type of a cluster, if the program allows it. The cost of another type than `gpuType` is not known. */
export function withTypeOfRecord(inputs: CheckedInputs, record: ClusterRecord): CheckedInputs {
  const identifiers = identifiersIn(record);
  const gpuType = allowedTypes(inputs).find((type) => isSameGpu(type, identifiers));
  if (gpuType === undefined || isSameGpu(gpuType, [inputs.gpuType])) return inputs;
  return { ...inputs, gpuType, hourlyCost: undefined };
}

export function identifiersIn({ gpuType, gpuIdentifiers = [] }: ClusterRecord): string[] {
  return [...new Set(gpuType === undefined ? gpuIdentifiers : [gpuType, ...gpuIdentifiers])];
}

/** The GPU type as a program would write it: a readable name if the record has one, else the id. */
export function gpuTypeOf(record: ClusterRecord): string | undefined {
  const identifiers = identifiersIn(record);
  return identifiers.find((text) => !isUuid(text)) ?? identifiers[0];
}

const vocabularyNames = (field: "gpuType" | "container") =>
  Object.values(vocabularies).map((names) => plainName(names[field]));
const gpuFields: readonly string[] = [...gpuNames, ...vocabularyNames("gpuType")];
const imageFields: readonly string[] = [
  ...clusterTable.container.slice(1).map(String),
  ...vocabularyNames("container"),
];

/**
 * Whether the observed image is the requested one. The service can add the default registry, a tag or a digest to the reference;
 * what the request names must be the same.
 */
export function sameImage(requested: string, observed: string): boolean {
  const wanted = parseImage(requested);
  const actual = parseImage(observed);
  const isKept = (part: "tag" | "digest") => wanted[part] === undefined || wanted[part] === actual[part];
  return wanted.path === actual.path && wanted.host === actual.host && isKept("tag") && isKept("digest");
}

function parseImage(reference: string) {
  const [name = "", digest] = reference.split("@");
  const [, location = name, tag] = /^(.*?)(?::([^:/]+))?$/.exec(name) ?? [];
  // Container tools distinguish a registry from a folder by the same rule.
  const [, host, path = location] = /^([^/]*[.:][^/]*|localhost)\/(.+)$/.exec(location) ?? [];
  return { host: (host ?? "docker.io").replace(/^index\./, ""), path: path.replace(/^library\//, ""), tag, digest };
}

/**
 * A masked value is null or empty, holds a row of stars or dots, consists of one other character, or is one of these words as a
 * whole. A value that only contains such a word, as in `/run/secrets/hf_token`, is not masked.
 */
const maskPattern =
  /^$|[*•●]{3}|^([x#.\-_])\1{2,}$|^(redacted|masked)$|^[<[({](redacted|masked|hidden|secret|encrypted|sensitive)[>\])}]$/i;

export function isMasked(observed: string | null): boolean {
  return observed === null || maskPattern.test(observed.trim());
}

export function listOfVariables(names: readonly string[]): string {
  const paths = names.map((name) => `\`env.${cleanText(name, 60)}\``);
  return listOf(paths, maxNamed);
}

/** Host names and GPU types are not case-sensitive. */
export function sameText(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}
