import type { ClusterRecord } from "../../api/decode/records";
import { stateOf } from "../../api/decode/states";
import { withDrift } from "../diff/drift";
import { isDown } from "../health/health";
import type { Effect } from "../schema/fields";
import type { CheckedInputs, ClusterState } from "../schema/state";

/** Plans an update, or a creation that has an id. Sends nothing: steps.ts runs the plan. */

export interface Update {
  /** The inputs of the program. */
  readonly inputs: CheckedInputs;
  /** The state and the record before the update. */
  readonly state: ClusterState;
  readonly record: ClusterRecord;
  /** The effects of the diff between the state and the inputs. */
  readonly effects: ReadonlySet<Effect>;
}

export type Step =
  /** Reads a new cluster at once if no answer has confirmed the names of the request. */
  | "checkMade"
  /** Sends the new configuration. */
  | "configure"
  /** The same for a stopped cluster. A refusal is not a failure: `configure` follows after the start. */
  | "configureStopped"
  /** Makes the replicas run the new configuration. */
  | "rollOut"
  | "stop"
  | "start"
  | "restart"
  | "redeploy"
  | "scale"
  | "waitUntilReady";

/** The steps after a create request. The service has the configuration and the number of replicas already. */
export function planOfCreation({ desiredStatus }: CheckedInputs): Step[] {
  return ["checkMade", desiredStatus === "stopped" ? "stop" : "waitUntilReady"];
}

/**
 * The steps of an update, in order. The configuration comes first, so that a refusal changes nothing. Replicas are added after
 * the new configuration is healthy, so that nobody pays for more replicas of a bad one, and a rollback has none to remove.
 */
export function planOf(update: Update): Step[] {
  const { inputs, state, record, effects } = update;
  // A new probe is no reason to touch a cluster that another user has stopped or changed.
  if (effects.size === 1 && effects.has("probe") && state.settled !== false) return ["waitUntilReady"];
  const steps: Step[] = [];
  const down = isDown(record, state);
  const rollsOut = needsRollout(update);
  const configures = rollsOut || effects.has("configure");
  if (configures) steps.push(down ? "configureStopped" : "configure");
  if (inputs.desiredStatus === "stopped") return [...steps, "stop"];
  if (down) steps.push("start");
  if (down && configures) steps.push("configure");
  if (rollsOut) steps.push("rollOut");
  else if (!down && (effects.has("redeploy") || stateOf(record.status) === "failed")) steps.push("redeploy");
  else if (!down && effects.has("restart")) steps.push("restart");
  const { replicas } = requestedInputs(update);
  const before = replicasOf(update);
  // Without a replica, nothing shows whether the new configuration is healthy.
  const growsFromSome = before === undefined || (before > 0 && before < replicas);
  if (rollsOut && !down && growsFromSome) steps.push("waitUntilReady");
  if (down || before !== replicas) steps.push("scale");
  return [...steps, "waitUntilReady"];
}

/** Whether the replicas have to run another configuration, even if an earlier update has already stored it. */
export function needsRollout({ state, effects }: Update): boolean {
  return effects.has("rollout") || state.__unfinished === "rollout";
}

/** The number of replicas before the update; `undefined` if the service shows none and the last update did not finish. */
export function replicasOf({ record, state }: Pick<Update, "record" | "state">): number | undefined {
  return record.replicas ?? (state.settled === false ? undefined : state.replicas);
}

/**
 * The inputs for requests, by a three-way merge: what the diff changes has the value of the program; everything else has the
 * value that the service shows, because another user may have changed it, or the program ignores it. After an unfinished
 * operation, and in an adoption, it is not known who set the variables that the service shows. An update does not wait for a
 * cluster that an autoscaler has reduced to no replicas: none gets healthy, and none answers a probe.
 */
export function requestedInputs(update: Update): CheckedInputs {
  const requested = mergedInputs(update);
  return requested.replicas === 0 ? { ...requested, skipAwait: true } : requested;
}

function mergedInputs({ inputs, state, record, effects }: Update): CheckedInputs {
  if (state.settled !== true || state.__unfinished !== undefined) return inputs;
  const { container, env } = withDrift(state, record);
  const isScaled = effects.has("scale") || isDown(record, state);
  return {
    ...inputs,
    replicas: isScaled ? inputs.replicas : (record.replicas ?? inputs.replicas),
    container: inputs.container === state.container ? container : inputs.container,
    env: mergedEnv(inputs.env, state.env, env),
  };
}

type Env = CheckedInputs["env"];

function mergedEnv(desired: Env = {}, before: Env = {}, observed: Env = {}): Env {
  const entries: [string, string][] = [];
  for (const name of Object.keys({ ...desired, ...observed })) {
    const value = desired[name] === before[name] ? observed[name] : desired[name];
    if (value !== undefined) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}
