import type { ClusterRecord } from "../../api/decode/records";
import type { PropertyChange } from "../../contract";
import { countHealthy, isDown, isStopped, type Observation, withHealth } from "../health/health";
import type { Effect } from "../schema/fields";
import { secretPathsOf } from "../schema/secrets";
import { type CheckedInputs, type ClusterState, toPlainJson } from "../schema/state";
import { diffCluster, effectsOf, isWithinPaths } from "./diff";
import { maskedVariables, unknownValue, withDrift } from "./drift";

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

export function updateTo(inputs: CheckedInputs, state: ClusterState, record: ClusterRecord): Update {
  const left = (state.__unfinished?.paths ?? []).map((path): [string, PropertyChange] => [path, { kind: "update" }]);
  const changes = { ...Object.fromEntries(left), ...diffCluster({ ...state }, { ...inputs }).changes };
  const named = Object.keys(changes);
  const target = mergeInputs(inputs, state, record, named);
  const effects = new Set(effectsOf({ changes }));
  // Some services roll out whatever changes: then a trigger must not restart the replicas once more.
  const triggers = effects.has("restart") || effects.has("redeploy");
  if (triggers && effects.has("configure") && !isDown(record, state)) effects.add("rollout");
  return { inputs, state, record, named, effects, target };
}

/**
 * The one merge, for every input and every method: a path that is named has the value of the program; every other has what the
 * record shows, because another user may have changed it, or the program ignores it; what the record does not show has the value
 * of the state. A start sets the number of replicas, because that of a stopped cluster is no drift.
 */
function mergeInputs(
  inputs: CheckedInputs,
  state: ClusterState,
  record: ClusterRecord,
  named: readonly string[],
): CheckedInputs {
  const observed = withDrift(state, record);
  const kept = (state.__observed?.kept ?? []).map((name) => [name, record.env?.[name]] as const);
  const keptEnv = Object.fromEntries(kept.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  const isNamed = (path: string) => isWithinPaths(path, named);
  const sourceOf = (path: string) => (isNamed(path) ? inputs : observed);
  const { desiredStatus } = sourceOf("desiredStatus");
  const starts = desiredStatus !== "stopped" && isDown(record, state);
  const replicas =
    isNamed("replicas") || starts ? inputs.replicas : (record.replicas ?? state.replicas ?? inputs.replicas);
  return {
    ...inputs,
    replicas,
    desiredStatus,
    container: sourceOf("container").container ?? inputs.container,
    registryCredentialId: sourceOf("registryCredentialId").registryCredentialId,
    env: mergeMaps("env", named, inputs.env, { ...keptEnv, ...observed.env }),
    extraFields: mergeMaps("extraFields", named, inputs.extraFields, observed.extraFields),
    // None of no replicas gets healthy, and none answers a probe.
    skipAwait: replicas === 0 ? true : inputs.skipAwait,
  };
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
  };
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
