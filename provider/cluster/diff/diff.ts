import { isDeepStrictEqual } from "node:util";
import { type ClusterRecord, isUuid, sameId } from "../../api/decode/records";
import { isDeleting, isStopping, stateOf } from "../../api/decode/states";
import type { ConfigInput } from "../../api/endpoints";
import { GpuClusterError } from "../../base/errors";
import { cleanText, listOf, maxNamed } from "../../base/text";
import {
  type CheckFailure,
  type Diff,
  hasUnknown,
  isRecord,
  type Properties,
  type PropertyChange,
  UNKNOWN,
} from "../../contract";
import { countHealthy, isDown, isStopped, type Observation, withHealth } from "../health/health";
import { type Effect, inputDefaults, inputFlags, inputNames, type TextName, textNames } from "../schema/fields";
import { hasKnownType, hasType } from "../schema/gpus";
import {
  asInputs,
  type CheckedInputs,
  type ClusterState,
  newSecrets,
  secretPathsOf,
  toPlainJson,
} from "../schema/state";
import { gpuTypeOf, hasValue, identifiersIn, isMasked, sameText, unknownValue, withDrift } from "./drift";

/**
 * The changes that turn the cluster of `state` into the one that `news` requests. Computed values are not compared. Two hidden
 * inputs are, because the state has to hold them: the timeouts, which a deletion reads there, and the secrets of the program.
 * @param fixed The inputs that the service cannot change in place: their changes replace the cluster.
 */
export function diffCluster(state: Properties, news: Properties, fixed: readonly string[] = []): Diff {
  const changes: Record<string, PropertyChange> = {};
  for (const name of inputNames) {
    if (name === "name" && news["__generatedName"] === true) continue; // a generated name is kept
    if (name === "gpuType" && hasKnownType(news) && hasType(asInputs(state), asInputs(news).gpuType)) continue;
    const old = state[name];
    const next = news[name];
    const isMap = name === "env" || name === "extraFields";
    if (isMap && (next === undefined || isRecord(next))) {
      // One change for each key, so that a diff names the key. A map that is not known yet differs as a whole.
      const oldValues = new Map(Object.entries(isRecord(old) ? old : {}));
      const values = new Map(Object.entries(next ?? {}));
      for (const key of new Set([...oldValues.keys(), ...values.keys()]))
        if (!isDeepStrictEqual(oldValues.get(key), values.get(key)))
          changes[`${name}.${key}`] = propertyChange(oldValues.get(key), values.get(key));
      continue;
    }
    const { once, effect } = inputFlags[name];
    const byDefault = inputDefaults[name];
    if (once || isDeepStrictEqual(old ?? byDefault, next ?? byDefault)) continue;
    const change = propertyChange(old, next);
    // The service did not report an absent old value, as of an imported cluster: it never replaces the cluster.
    changes[name] = effect === "replace" && old !== undefined ? { ...change, replace: true } : change;
  }
  for (const [path, change] of Object.entries(changes))
    if (isWithinPaths(path, fixed)) changes[path] = { ...change, replace: true };
  if (!isDeepStrictEqual(state["__timeouts"], news["__timeouts"])) changes["__timeouts"] = { kind: "update" };
  if (newSecrets(state, news).length > 0) changes["__secrets"] = { kind: "update" };
  if (state["settled"] === false) changes["settled"] = { kind: "update" };
  // Two clusters cannot have one name, so a replacement that keeps an explicit name deletes the old cluster first.
  const keepsName = news["__generatedName"] !== true && state["name"] === news["name"];
  return { changes, deleteBeforeReplace: keepsName };
}

/** Whether the path of a change (`env.MODEL`) is one of these paths, or its input is. A key can contain dots: `env.logging.level`. */
export function isWithinPaths(path: string, paths: readonly string[]): boolean {
  const [input = path] = path.split(".", 1);
  return paths.includes(path) || paths.includes(input);
}

/** Whether the value at the path of a change (`replicas`, `env.MODEL`) is not known yet. */
function isUnknownAt(inputs: object, path: string): boolean {
  const [, name = path, key] = /^(.*?)\.(.*)$/s.exec(path) ?? [];
  const value: unknown = Reflect.get(inputs, name);
  const isInside = key !== undefined && typeof value === "object" && value !== null;
  return hasUnknown(isInside ? Reflect.get(value, key) : value);
}

/** The changes that are known: an unknown value hides only itself, and one that is new is a change whatever it is. */
export function knownChanges(changes: Diff["changes"], inputs: object): Diff["changes"] {
  const isKnown = ([path, { kind }]: [string, PropertyChange]) =>
    !isUnknownAt(inputs, path) || (kind === "add" && path.includes("."));
  return Object.fromEntries(Object.entries(changes).filter(isKnown));
}

function propertyChange(old: unknown, next: unknown): PropertyChange {
  if (old === undefined) return { kind: "add" };
  return { kind: next === undefined ? "delete" : "update" };
}

/** The effects of the changes of a diff. An update that only completes an earlier operation has none. */
export function effectsOf(changes: Diff["changes"]): Set<Effect> {
  const effects = new Set<Effect>();
  for (const [path, { kind }] of Object.entries(changes)) {
    const name = inputNames.find((input) => isWithinPaths(path, [input]));
    const effect = name && inputFlags[name].effect;
    const isRemovedTrigger = kind === "delete" && (effect === "restart" || effect === "redeploy");
    if (effect && !isRemovedTrigger) effects.add(effect);
  }
  return effects;
}

/** A merge of configurations: the compiler asks for each input. */
type Merge = Readonly<Record<ConfigInput, unknown>>;

/** One change of a cluster, computed once: everything that is sent comes from here. */
export interface Update {
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly record: ClusterRecord;
  /** The paths that the update sets: those of the diff, and those that an unfinished operation has left. */
  readonly named: readonly string[];
  readonly effects: ReadonlySet<Effect>;
  readonly target: CheckedInputs;
}

/**
 * The one merge, for every input and every method: a path that is named has the value of the program; every other has what the
 * record shows, because another user may have changed it, or the program ignores it; what the record does not show has the value
 * of the state. A start sets the number of replicas, because that of a stopped cluster is no drift.
 */
export function updateTo(inputs: CheckedInputs, state: ClusterState, record: ClusterRecord): Update {
  const left = (state.__unfinished?.paths ?? []).map((path): [string, PropertyChange] => [path, { kind: "update" }]);
  const changes = { ...Object.fromEntries(left), ...diffCluster({ ...state }, { ...inputs }).changes };
  const named = Object.keys(changes);
  const effects = effectsOf(changes);
  const wasDown = isDown(record, state);
  // Some services roll out whatever changes: then a trigger must not restart the replicas once more.
  const triggers = effects.has("restart") || effects.has("redeploy");
  if (triggers && effects.has("configure") && !wasDown) effects.add("rollout");

  const observed = withDrift(state, record);
  const kept = (state.__observed?.kept ?? []).map((name) => [name, record.env?.[name]] as const);
  const keptEnv = Object.fromEntries(kept.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  const isNamed = (path: string) => isWithinPaths(path, named);
  const sourceOf = (path: string) => (isNamed(path) ? inputs : observed);
  const { desiredStatus } = sourceOf("desiredStatus");
  const starts = desiredStatus !== "stopped" && wasDown;
  const replicas =
    isNamed("replicas") || starts ? inputs.replicas : (record.replicas ?? state.replicas ?? inputs.replicas);
  const configuration = {
    container: sourceOf("container").container ?? inputs.container,
    registryCredentialId: sourceOf("registryCredentialId").registryCredentialId,
    env: mergeMaps("env", named, inputs.env, { ...keptEnv, ...observed.env }),
    extraFields: mergeMaps("extraFields", named, inputs.extraFields, observed.extraFields),
  } satisfies Merge;
  // None of no replicas gets healthy, and none answers a probe.
  const skipAwait = replicas === 0 ? true : inputs.skipAwait;
  const target = { ...inputs, ...configuration, replicas, desiredStatus, skipAwait };
  return { inputs, state, record, named, effects, target };
}

function mergeMaps<Value>(
  map: "env" | "extraFields",
  named: readonly string[],
  next: Readonly<Record<string, Value>> = {},
  others: Readonly<Record<string, Value>> = {},
): Record<string, Value> {
  const names = Object.keys({ ...next, ...others });
  const values = names.map((name) => [name, (isWithinPaths(`${map}.${name}`, named) ? next : others)[name]] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

/** The configuration before an update: of what the update names, as the record showed it; of all else, that of the state. */
export function configurationBefore({ state, record, named }: Update): Partial<CheckedInputs> {
  const observed = withDrift(state, record);
  const sourceOf = (path: string) => (isWithinPaths(path, named) ? observed : state);
  return {
    container: sourceOf("container").container,
    registryCredentialId: sourceOf("registryCredentialId").registryCredentialId,
    env: state.env && mergeMaps("env", named, observed.env, state.env),
    extraFields: state.extraFields && mergeMaps("extraFields", named, observed.extraFields, state.extraFields),
  } satisfies Merge;
}

function maskedVariables({ env = {} }: ClusterRecord): string[] {
  return Object.entries(env)
    .filter(([, value]) => value !== "" && isMasked(value))
    .map(([name]) => name);
}

/**
 * The variables of other users whose values the service masks: those that the update does not name, and whose value is not in the
 * state. One that the service itself showed right after our own apply is its own, and is left out.
 */
export function unknownVariables({ state, record, named }: Pick<Update, "state" | "record" | "named">): string[] {
  const { env = {}, __observed: known } = state;
  const isKnown = (name: string) =>
    Object.hasOwn(env, name) ? env[name] !== unknownValue : known?.env?.includes(name);
  // An earlier read may have shown masks where this one shows no `env`.
  const masked = record.env ? maskedVariables(record) : Object.keys(env);
  return masked.filter((name) => !isKnown(name) && !isWithinPaths(`env.${name}`, named));
}

interface StateDetails extends Pick<ClusterState, "unverifiedInputs"> {
  readonly settled: boolean;
  readonly unfinished?: ClusterState["__unfinished"];
  readonly seenBy: string;
  /** The state before, whose values stay if this observation has none. */
  readonly before?: Partial<ClusterState>;
}

export function toState(inputs: CheckedInputs, { record, status }: Observation, details: StateDetails): ClusterState {
  const { before = {}, settled, seenBy } = details;
  // The state of a stopped cluster has no replicas, even if an observation has some.
  const isDown = isStopped(record ?? {}) || (settled && inputs.desiredStatus === "stopped");
  const known = isDown ? {} : before;
  const observed = isDown || !status ? undefined : withHealth(status, settled && !inputs.skipAwait);
  return toPlainJson({
    ...inputs,
    // The state of an unfinished operation can hold values of the state before.
    __secrets: settled ? inputs.__secrets : secretPathsOf(inputs, before),
    status: record?.status ?? status?.status ?? before.status,
    endpoint: record?.endpoint ?? before.endpoint,
    createdAt: record?.createdAt ?? before.createdAt,
    replicaStatuses: observed?.replicas ?? known.replicaStatuses ?? [],
    readyReplicas: observed ? countHealthy(observed, inputs.replicas) : (known.readyReplicas ?? 0),
    settled,
    unverifiedInputs: details.unverifiedInputs ?? before.unverifiedInputs,
    __seenBy: seenBy,
    __observed: before.__observed,
    __createdAt: before.__createdAt,
    __resumedAt: before.__resumedAt,
    __fixed: before.__fixed,
    __unfinished: details.unfinished,
  });
}

/** Only a replacement changes them. `findMismatches` compares the name by another rule. */
const fixedTexts = textNames.filter((field) => field !== "name" && inputFlags[field].effect === "replace");

/** Whether a record reports another value than the inputs. A field that it does not report counts as equal. */
function isOtherText(field: TextName, inputs: CheckedInputs, record: ClusterRecord): boolean {
  return inputs[field] !== undefined && record[field] !== undefined && !hasValue(field, inputs[field], record);
}

/**
 * The reasons why a cluster cannot be the one that the inputs describe.
 * @param fixed The inputs that the service cannot change in place: a difference would replace the adopted cluster.
 */
export function findMismatches(
  inputs: CheckedInputs,
  record: ClusterRecord,
  fixed: readonly string[] = [],
): CheckFailure[] {
  const { id } = record;
  if (isDeleting(record.status)) {
    return [{ property: "adopt", reason: `${id} is ${record.status}, so it cannot be adopted` }];
  }
  // Opaque identifiers cannot be compared with a name.
  const isOpaqueType = (field: TextName) => field === "gpuType" && identifiersIn(record).every(isUuid);
  const others = fixedTexts.filter((field) => isOtherText(field, inputs, record) && !isOpaqueType(field));
  const failures: CheckFailure[] = others.map((property) => ({
    property,
    reason: `is "${inputs[property]}", but ${id} has "${property === "gpuType" ? gpuTypeOf(record) : record[property]}"; set \`${property}\` to that`,
  }));
  if (record.name !== undefined && !inputs.__generatedName && !sameText(record.name, inputs.name)) {
    const reason = `is "${inputs.name}", but ${id} is "${record.name}"; remove \`name\`, or set it to that`;
    failures.push({ property: "name", reason });
  }
  const changes = adoptionChanges(inputs, record);
  const sendsEnv = changes.some((path) => isWithinPaths(path, ["env"]));
  const unread = sendsEnv ? maskedVariables(record).filter((name) => !Object.hasOwn(inputs.env ?? {}, name)) : [];
  if (unread.length > 0) {
    const names = listOf(
      unread.map((name) => `\`${cleanText(name, 60)}\``),
      maxNamed,
    );
    const reason = `differs from that of ${id}, which has ${names} with values that the service masks: set them in the program, or remove them in the service`;
    failures.push({ property: "env", reason });
  }
  for (const property of fixed) {
    const paths = changes.filter((path) => isWithinPaths(path, [property])).map((path) => cleanText(path, 100));
    const reason = `is not that of ${id} (${listOf(paths)}), and the service cannot change it in place; set it to what ${id} has`;
    if (paths.length > 0) failures.push({ property, reason });
  }
  return failures;
}

/** The inputs with the name of the adopted cluster; an explicit name keeps the spelling of the program. */
export function withName(inputs: CheckedInputs, { name }: ClusterRecord): CheckedInputs {
  return name === undefined || !inputs.__generatedName ? inputs : { ...inputs, name };
}

/** An adopted cluster has these in the spelling of the program. */
const spelledByProgram: ReadonlySet<TextName> = new Set(["name", "gpuType"]);

/**
 * The state that this package would have written for the cluster: the observed values, or those of the program if the service
 * reports none. It omits unmanaged variables, so that no difference removes them.
 */
export function adoptedState(inputs: CheckedInputs, record: ClusterRecord): ClusterState {
  const { env, replicas, desiredStatus } = inputs;
  const others = textNames.filter((field) => !spelledByProgram.has(field) && isOtherText(field, inputs, record));
  const state = stateOf(record.status);
  const isPowerKnown = state !== "unknown" && !isStopping(record.status) && !hasUnknown(desiredStatus);
  const actual = state === "stopped" ? "stopped" : "running";
  const found = Object.entries(env ?? {}).filter(([name]) => Object.hasOwn(record.env ?? {}, name));
  const foundEnv = found.map(([name, value]) => {
    const observed = record.env?.[name] ?? null;
    return [name, observed === null || isMasked(observed) ? value : observed] as const;
  });
  return {
    ...inputs,
    ...(isPowerKnown && actual !== (desiredStatus ?? "running") && { desiredStatus: actual }),
    replicas: record.replicas ?? replicas,
    ...Object.fromEntries(others.map((field) => [field, record[field]])),
    env: env && record.env ? Object.fromEntries(foundEnv) : env,
    __observed: { kept: Object.keys(record.env ?? {}).filter((name) => !Object.hasOwn(env ?? {}, name)) },
    endpoint: record.endpoint,
    createdAt: record.createdAt,
  };
}

/** The paths that the adoption will change. Values that are not known yet count as equal. */
export function adoptionChanges(inputs: CheckedInputs, record: ClusterRecord): string[] {
  const paths = Object.keys(diffCluster(adoptedState(inputs, record), inputs).changes);
  return paths.filter((path) => !isUnknownAt(inputs, path));
}

/**
 * The difference that the engine shows, with that of the cost. A cost that neither has is no change, and a new price alone causes no
 * update. `adopt` is used only at creation: a later change to another cluster would silently have no effect.
 * @throws GpuClusterError if `adopt` names another cluster than the resource has, and nothing replaces the cluster.
 */
export function diffResource(state: Properties, news: Properties, id: string, fixed: readonly string[] = []): Diff {
  const diff = diffCluster(state, news, fixed);
  const { adopt, hourlyCost } = news;
  const isOther = typeof adopt === "string" && adopt !== UNKNOWN && !sameId(adopt, id);
  if (isOther && !Object.values(diff.changes).some(({ replace }) => replace))
    throw new GpuClusterError(
      `cluster "${state["name"]}" (${id}): \`adopt\` names ${adopt}, but this resource already manages ${id}. ` +
        "Remove `adopt`, or set it in another resource",
    );
  const { hourlyCost: oldCost } = state;
  if (Object.keys(diff.changes).length === 0 || hourlyCost === undefined || hourlyCost === oldCost) return diff;
  return { ...diff, changes: { ...diff.changes, hourlyCost: propertyChange(oldCost, hourlyCost) } };
}
